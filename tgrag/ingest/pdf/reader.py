"""The pages of a PDF as lines, read one at a time through docling-parse; and its outline."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO

import pypdfium2
from docling_core.types.doc.page import SegmentedPdfPage
from docling_parse.pdf_parser import ContentConfig, ContentLevel, DoclingPdfParser

from tgrag.ingest.archive import DAMAGED
from tgrag.ingest.page import Page
from tgrag.ingest.pdf.pieces import to_lines
from tgrag.ingest.pdf.typography import Restore, Typography
from tgrag.ingest.refusal import Refused
from tgrag.ingest.text import clean, squeeze

DAMAGED_PAGE = "it is damaged"
ENCRYPTED = "it is protected by a password; save it without one and add it again"

_PICTURE_SHARE = 0.3  # of the page's area, from which a picture may hold the page's text
_NEEDED = ContentConfig(
    char_cells_content_level=ContentLevel.SKIP,
    word_cells_content_level=ContentLevel.COMPUTE_AND_MATERIALIZE,
    line_cells_content_level=ContentLevel.COMPUTE_AND_MATERIALIZE,
    shapes_content_level=ContentLevel.SKIP,
    bitmaps_content_level=ContentLevel.COMPUTE_AND_MATERIALIZE,
    include_bitmap_bytes=False,
)


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page as it was read. has_picture: a picture takes so much of it that the text may be in the picture.

    fault: why its text could not be read, or None.
    """

    page: Page
    has_picture: bool = False
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class Bookmark:
    """An entry of a PDF's outline. depth: 0 for the outermost; page: from 1."""

    title: str
    depth: int
    page: int


def read_sheets(data: bytes, on_page: Callable[[], None]) -> Iterator[Sheet]:
    """Yield the pages of a PDF; only one is held at a time. Raises Refused when it cannot be opened."""
    try:
        document = DoclingPdfParser().load(BytesIO(data), content_config=_NEEDED)
        n_pages = document.number_of_pages()
    except RuntimeError as error:
        raise Refused(
            ENCRYPTED if b"/Encrypt" in data else DAMAGED.format("it is not a readable PDF")
        ) from error
    if not n_pages:
        raise Refused(DAMAGED.format("it has no pages"))
    typography = Typography(data)
    for number in range(1, n_pages + 1):
        try:
            with typography.page(number) as restore:
                sheet = _sheet(number, document.get_page(number), restore)
        except (RuntimeError, ValueError) as error:  # what the parser raises for a broken page
            sheet = Sheet(Page(number, 0.0, 0.0, ()), has_picture=True, fault=f"{DAMAGED_PAGE} ({error})")
        document.unload_pages((number, number + 1))
        yield sheet
        on_page()
    document.unload()
    typography.close()


def read_outline(data: bytes) -> list[Bookmark]:
    """Return the entries of a PDF's outline that lead to a page, in their order."""
    try:
        with pypdfium2.PdfDocument(data) as document:
            marks = []
            for entry in document.get_toc():
                target = entry.get_dest()
                page = target.get_index() if target else None
                title = squeeze(clean(entry.get_title()))
                if page is not None and title:
                    marks.append(Bookmark(title, entry.level, page + 1))
            return marks
    except pypdfium2.PdfiumError:  # the stricter of two parsers; the outline is only a help
        return []


def _sheet(number: int, page: SegmentedPdfPage, restore: Restore) -> Sheet:
    width, height = page.dimension.width, page.dimension.height
    covered = sum(
        picture.rect.to_bounding_box().area() for picture in page.bitmap_resources if picture.rect is not None
    )
    return Sheet(
        Page(number, width, height, tuple(to_lines(page, height, restore))),
        has_picture=covered > _PICTURE_SHARE * width * height,
    )
