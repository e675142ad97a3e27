"""The cells of docling-parse to lines: pieces of text with the size and the weight of their letters."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from docling_core.types.doc.base import BoundingBox
from docling_core.types.doc.page import PdfTextCell, SegmentedPdfPage, TextCell

from tgrag.ingest.page import Line
from tgrag.ingest.pdf.typography import Restore
from tgrag.ingest.scripts import raised
from tgrag.ingest.text import clean, squeeze

SOFT_HYPHEN = "\u00ad"

_PIECE_GAP = 1.3  # of the letters' height: a wider space parts cells or columns, even in stretched lines
_BASE = re.compile(
    r"[(«]?(?:[\d.,]*\d|[a-zA-Zα-ω]|[кcсдdмm]?[мm]|km)"
)  # a number, a variable or a unit of length
_SMALL, _RISE = 0.8, 0.2  # of the base's height: how high a power is and how far it is raised
_BOLD = ("bold", "black", "heavy")


class _Word(NamedTuple):
    """visible: its text without spaces. Places in points from the page's bottom left corner."""

    visible: str
    left: float
    bottom: float
    right: float
    top: float
    font: str

    @property
    def size(self) -> float:
        """The height of the letters; a word that runs up or down the page is as high as it is wide."""
        width, height = self.right - self.left, self.top - self.bottom
        return max(width if len(self.visible) > 2 and height > 2 * width else height, 1.0)


def to_lines(page: SegmentedPdfPage, height: float, restore: Restore) -> Iterator[Line]:
    """Yield the lines of a page; its words, which come in the same order, tell the letters' size and weight.

    height: of the page. restore: see ``Typography``.
    """
    words = map(_word, page.word_cells)
    in_step = True
    for cell in page.textline_cells:
        whole = _word(cell)
        own = _words_of(whole.visible, words) if in_step else []
        in_step = in_step and bool(own)
        text = restore(
            cell.text, BoundingBox.model_construct(l=whole.left, b=whole.bottom, r=whole.right, t=whole.top)
        )
        yield from _pieces(_with_powers(text, own), own or [whole], height)


def _word(cell: PdfTextCell | TextCell) -> _Word:
    rect = cell.rect
    across, up = (rect.r_x0, rect.r_x1, rect.r_x2, rect.r_x3), (rect.r_y0, rect.r_y1, rect.r_y2, rect.r_y3)
    font = cell.font_name if isinstance(cell, PdfTextCell) else ""
    return _Word("".join(cell.text.split()), min(across), min(up), max(across), max(up), font)


def _words_of(wanted: str, words: Iterator[_Word]) -> list[_Word]:
    """Return the next words, when they are those of a line; [] when they are not."""
    found = ""
    own: list[_Word] = []
    while len(found) < len(wanted):
        word = next(words, None)
        if word is None:
            return []
        own.append(word)
        found += word.visible
    return own if found == wanted else []


def _with_powers(text: str, words: Sequence[_Word]) -> str:
    """Write the powers of a line as such, each behind what it hangs on; a raised number after a word is a note's."""
    powers = [index for index in range(1, len(words)) if _is_power(words[index - 1], words[index])]
    for index in reversed(powers):
        begin = _after(text, 0, sum(len(word.visible) for word in words[:index]))
        end = _after(text, begin, len(words[index].visible))
        text = text[:begin] + raised(text[begin:end].strip()) + text[end:]
    return text


def _is_power(base: _Word, word: _Word) -> bool:
    return (
        word.visible.isdecimal()
        and bool(_BASE.fullmatch(base.visible))
        and word.size < _SMALL * base.size
        and word.bottom - base.bottom > _RISE * base.size
        and word.left - base.right < _RISE * base.size
    )


def _pieces(text: str, words: Sequence[_Word], height: float) -> Iterator[Line]:
    """Cut a line where a space is too wide for a space between words."""
    begin = first = 0
    for index in range(1, len(words)):
        before, word = words[index - 1], words[index]
        if word.left - before.right > _PIECE_GAP * min(before.size, word.size):
            place = _after(text, begin, sum(len(word.visible) for word in words[first:index]))
            yield from _piece(text[begin:place], words[first:index], height)
            begin, first = place, index
    yield from _piece(text[begin:], words[first:], height)


def _after(text: str, place: int, n_visible: int) -> int:
    """Return the place behind so many visible characters."""
    while n_visible:
        n_visible -= not text[place].isspace()
        place += 1
    return place


def _piece(text: str, words: Sequence[_Word], height: float) -> Iterator[Line]:
    cleaned = squeeze(clean(text))
    if not cleaned:
        return
    if text.rstrip().endswith(SOFT_HYPHEN):
        cleaned += SOFT_HYPHEN
    yield Line(
        cleaned,
        left=min(word.left for word in words),
        top=height - max(word.top for word in words),
        right=max(word.right for word in words),
        bottom=height - min(word.bottom for word in words),
        size=sorted(word.size for word in words)[(len(words) - 1) // 2],
        is_bold=_is_bold(words),
    )


def _is_bold(words: Sequence[_Word]) -> bool:
    """Tell whether all words with letters or digits are bold."""
    fonts = {word.font for word in words if any(map(str.isalnum, word.visible))}
    return bool(fonts) and all(map(_is_bold_font, fonts))


@lru_cache(maxsize=1024)
def _is_bold_font(name: str) -> bool:
    return any(weight in name.lower() for weight in _BOLD)
