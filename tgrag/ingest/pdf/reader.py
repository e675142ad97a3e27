"""The pages of a PDF as lines, read one at a time through docling-parse; and its outline."""

import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO

import pypdfium2
from docling_core.types.doc.page import PdfTextCell, SegmentedPdfPage, TextCell
from docling_parse.pdf_parser import ContentConfig, ContentLevel, DoclingPdfParser

from tgrag.ingest.archive import DAMAGED
from tgrag.ingest.page import Line, Page
from tgrag.ingest.pdf.typography import Restore, Typography
from tgrag.ingest.refusal import Refused
from tgrag.ingest.text import clean, squeeze

ENCRYPTED = "it is protected by a password; save it without one and add it again"
SOFT_HYPHEN = "\u00ad"

_PIECE_GAP = 1.3  # of the letters' height: a wider space parts cells or columns, even in stretched lines
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
            sheet = Sheet(Page(number, 0.0, 0.0, ()), has_picture=True, fault=f"it is damaged ({error})")
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
        Page(number, width, height, tuple(_lines(page, height, restore))),
        has_picture=covered > _PICTURE_SHARE * width * height,
    )


def _lines(page: SegmentedPdfPage, height: float, restore: Restore) -> Iterator[Line]:
    """Yield the lines; the words, which come in the same order, tell the letters' size and weight."""
    words = iter(page.word_cells)
    in_step = True
    for cell in page.textline_cells:
        own = _words_of(cell.text, words) if in_step else []
        text = restore(cell.text, cell.rect.to_bounding_box())
        in_step = in_step and bool(own)
        if own:
            yield from _pieces(text, own, height)
        else:
            yield from _piece(text, [cell], height)


def _words_of(text: str, words: Iterator[PdfTextCell | TextCell]) -> list[PdfTextCell | TextCell]:
    """Return the next words, when they are those of a line; [] when they are not."""
    wanted, found, own = "".join(text.split()), "", []
    while len(found) < len(wanted):
        word = next(words, None)
        if word is None:
            return []
        own.append(word)
        found += "".join(word.text.split())
    return own if found == wanted else []


def _pieces(text: str, words: Sequence[PdfTextCell | TextCell], height: float) -> Iterator[Line]:
    """Cut a line where a space is too wide for a space between words."""
    begin = place = first = 0
    for index, word in enumerate(words):
        box = word.rect.to_bounding_box()
        if index > first:
            before = words[index - 1].rect.to_bounding_box()
            if box.l - before.r > _PIECE_GAP * max(min(before.height, box.height), 1.0):
                yield from _piece(text[begin:place], words[first:index], height)
                begin, first = place, index
        place = _after(text, place, len("".join(word.text.split())))
    yield from _piece(text[begin:], words[first:], height)


def _after(text: str, place: int, n_visible: int) -> int:
    """Return the place behind so many visible characters."""
    while n_visible:
        n_visible -= not text[place].isspace()
        place += 1
    return place


def _piece(text: str, words: Sequence[PdfTextCell | TextCell], height: float) -> Iterator[Line]:
    cleaned = squeeze(clean(text))
    if not cleaned:
        return
    if text.rstrip().endswith(SOFT_HYPHEN):
        cleaned += SOFT_HYPHEN
    lettered = [word for word in words if any(map(str.isalnum, word.text))]
    boxes = [word.rect.to_bounding_box().to_top_left_origin(height) for word in words]
    yield Line(
        cleaned,
        left=min(box.l for box in boxes),
        top=min(box.t for box in boxes),
        right=max(box.r for box in boxes),
        bottom=max(box.b for box in boxes),
        size=statistics.median_low(map(_size, words)),
        is_bold=bool(lettered) and all(map(_is_bold, lettered)),
    )


def _size(word: PdfTextCell | TextCell) -> float:
    """Return the height of a word's letters; a word that runs up or down the page is as high as it is wide."""
    box = word.rect.to_bounding_box()
    is_turned = len(word.text) > 2 and box.height > 2 * box.width
    return max(float(box.width if is_turned else box.height), 1.0)


def _is_bold(word: PdfTextCell | TextCell) -> bool:
    name = (getattr(word, "font_name", "") or "").lower()
    return any(weight in name for weight in ("bold", "black", "heavy"))
