"""What a page shows: lines of text and where they stand. The PDF reader and text recognition give these."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """A printed line, or a piece of one that stands apart.

    left, top, right, bottom: in points from the page's top left corner. size: the letters' height in points.
    """

    text: str
    left: float
    top: float
    right: float
    bottom: float
    size: float
    is_bold: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """number: from 1; width, height: in points; lines: in the order in which the file gives them."""

    number: int
    width: float
    height: float
    lines: tuple[Line, ...]
