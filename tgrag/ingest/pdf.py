"""PDF through Docling's native reader: text lines with their places, made into paragraphs here.

No layout model runs, so there is no torch; headings come from the lines' own words and from bold numbering.
"""

import re
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import pairwise

from docling.backend.docling_parse_backend import ThreadedDoclingParseDocumentBackend
from docling.datamodel.backend_options import ThreadedDoclingParseBackendOptions
from docling.datamodel.base_models import ConversionStatus, InputFormat
from docling.datamodel.document import InputDocument
from docling.datamodel.pipeline_options import NativePdfPipelineOptions
from docling.pipeline.native_pdf_pipeline import NativePdfPipeline

from tgrag.ingest.archive import DAMAGED
from tgrag.ingest.headings import ARTICLE, Heading, heading_at, is_title_like
from tgrag.ingest.refusal import Refused
from tgrag.ingest.text import clean, ends_sentence, join_lines, squeeze, starts_lower
from tgrag.records import Element, Fragment, ParsedDocument
from tgrag.settings import ParseSettings

SCAN = "it has no text, only pictures of pages (a scan); run it through text recognition (OCR) and add the result"
GARBAGE = "its text cannot be copied: the fonts do not say which letters they show; run it through text recognition (OCR)"
ENCRYPTED = "it is protected by a password; save it without one and add it again"

_MIN_CHARACTERS_A_PAGE = 10  # fewer on average: the text is in the pictures
_BLANK_LINE = 0.7  # of a line's height: a wider gap parts paragraphs
_SAME_ROW = 0.5  # share of the height by which two pieces overlap when they stand on one row
_INDENT = 6.0  # points
_SHORT = 0.8  # of the column's width: a line that ends a paragraph
_EDGE = 0.1  # of the page's height: where page numbers stand
_PAGE_NUMBER = re.compile(
    r"[-–— ]*(?:\d{1,4}|[ivxlc]{1,6})(?:\s*(?:/|из|з|of)\s*\d{1,4})?[-–— ]*", re.IGNORECASE
)
_ITEM = re.compile(
    r"(?:[-–—•·▪*]\s|\d{1,3}(?:\.\d{1,3})*[.)]\s|\d{1,3}(?:\.\d{1,3})+\s|[а-яa-zіїєґ]\)\s)", re.IGNORECASE
)
_BOLD_NUMBERED = re.compile(r"(?P<number>\d{1,2}(?:\.\d{1,2})*)\.?\s+(?P<title>\D.*)")
_VOWELS = frozenset("аеёиоуыэюяіїєaeiouy")
_WORD = re.compile(r"[^\W\d_]{3,}")


@dataclass(frozen=True, slots=True)
class _Line:
    """A printed line; left, right, top, bottom in points from the page's top left corner."""

    text: str
    left: float
    right: float
    top: float
    bottom: float
    is_bold: bool

    @property
    def height(self) -> float:
        return max(self.bottom - self.top, 1.0)


def read_pdf(data: bytes, settings: ParseSettings, on_page: Callable[[], None]) -> ParsedDocument:
    """Read a PDF. Raises Refused when it is locked, damaged, a scan, or its letters are not letters."""
    options = ThreadedDoclingParseBackendOptions(
        parser_threads=1, include_bitmap_images=False, render_pages=False
    )
    source = InputDocument(
        path_or_stream=BytesIO(data),
        format=InputFormat.PDF,
        backend=ThreadedDoclingParseDocumentBackend,
        backend_options=options,
        filename="file.pdf",
    )
    if not source.valid:
        raise Refused(ENCRYPTED if b"/Encrypt" in data else DAMAGED.format("it is not a readable PDF"))
    pages = _pages(source)
    lines = [line for page in pages for line in page[1]]
    if sum(len(line.text) for line in lines) < _MIN_CHARACTERS_A_PAGE * len(pages):
        raise Refused(SCAN)
    if not _is_language(" ".join(line.text for line in lines)):
        raise Refused(GARBAGE)
    elements = [element for number, page in pages for element in _elements(page, number)]
    return ParsedDocument(status="ok", n_pages=len(pages), elements=tuple(elements))


def _pages(source: InputDocument) -> list[tuple[int, list[_Line]]]:
    """Return the lines of each page, with the page's number, in the order of the file."""
    options = NativePdfPipelineOptions(
        generate_page_images=False, generate_picture_images=False, parser_threads=1, document_timeout=None
    )
    try:
        result = NativePdfPipeline(options).execute(source, raises_on_error=True)
    except RuntimeError as error:  # the pipeline wraps whatever its reader raised
        if isinstance(error.__cause__, MemoryError):
            raise MemoryError from error
        raise Refused(DAMAGED.format("a page of it cannot be read")) from error
    if result.status != ConversionStatus.SUCCESS:
        raise Refused(
            DAMAGED.format("; ".join(fault.error_message for fault in result.errors) or "it has no pages")
        )
    pages = []
    for page in result.pages:
        lines = []
        for cell in page.parsed_page.textline_cells if page.parsed_page else ():
            box = cell.rect.to_bounding_box().to_top_left_origin(page.size.height)
            text = squeeze(clean(cell.text))
            if text:
                lines.append(
                    _Line(text, box.l, box.r, box.t, box.b, "bold" in (cell.font_name or "").lower())
                )
        pages.append((page.page_no, _rows(_without_page_numbers(lines, page.size.height))))
    return pages


def _without_page_numbers(lines: Sequence[_Line], height: float) -> list[_Line]:
    edge = height * _EDGE
    return [
        line
        for line in lines
        if not ((line.bottom < edge or line.top > height - edge) and _PAGE_NUMBER.fullmatch(line.text))
    ]


def _rows(lines: Sequence[_Line]) -> list[_Line]:
    """Join consecutive pieces that stand side by side: cells of a table, parts of a line in several fonts."""
    rows: list[_Line] = []
    for line in lines:
        before = rows[-1] if rows else None
        if before and line.left >= before.right - 1 and _overlap(before, line) > _SAME_ROW:
            is_part = line.left - before.right < 0.15 * line.height
            rows[-1] = _Line(
                before.text + ("" if is_part else " ") + line.text,
                before.left,
                line.right,
                min(before.top, line.top),
                max(before.bottom, line.bottom),
                before.is_bold and line.is_bold,
            )
        else:
            rows.append(line)
    return rows


def _overlap(first: _Line, second: _Line) -> float:
    shared = min(first.bottom, second.bottom) - max(first.top, second.top)
    return shared / min(first.height, second.height)


def _elements(lines: Sequence[_Line], page: int) -> list[Element]:
    """Make headings and paragraphs of a page's lines."""
    texts = _with_gaps(lines)
    places = [place for place, text in enumerate(texts) if text]  # where in texts each line stands
    elements: list[Element] = []
    paragraph: list[_Line] = []
    index = 0
    while index < len(lines):
        heading, n_lines = _heading(lines, texts, places, index)
        if heading:
            _close(paragraph, page, elements)
            elements.append(
                Element("heading", heading.text, level=heading.level, fragments=(Fragment(0, page),))
            )
            index += n_lines
            continue
        if paragraph and _begins_paragraph(paragraph, lines[index], lines):
            _close(paragraph, page, elements)
        paragraph.append(lines[index])
        index += 1
    _close(paragraph, page, elements)
    return elements


def _heading(
    lines: Sequence[_Line], texts: Sequence[str], places: Sequence[int], index: int
) -> tuple[Heading | None, int]:
    """Return the heading that begins at a line, and how many lines it takes; its title is printed as it is."""
    found = heading_at(texts, places[index])
    if found is None:
        level = _bold_numbered_level(lines, index)
        return (Heading(lines[index].text, level) if level else None), 1
    n_lines = sum(places[index] <= place < places[index] + found[1] for place in places)
    if all(line.is_bold == lines[index].is_bold for line in lines[index : index + n_lines]):
        return found[0], n_lines
    return Heading(lines[index].text, found[0].level), 1


def _with_gaps(lines: Sequence[_Line]) -> list[str]:
    """Return the lines' texts with "" where the page shows a gap."""
    texts: list[str] = []
    for index, line in enumerate(lines):
        if index and _is_apart(lines[index - 1], line):
            texts.append("")
        texts.append(line.text)
    return texts


def _is_apart(above: _Line, below: _Line) -> bool:
    return below.top < above.top or below.top - above.bottom > _BLANK_LINE * min(above.height, below.height)


def _begins_paragraph(paragraph: Sequence[_Line], line: _Line, lines: Sequence[_Line]) -> bool:
    before = paragraph[-1]
    if line.top < before.top and starts_lower(line.text) and not ends_sentence(before.text):
        return False  # the next column goes on with the sentence
    if _is_apart(before, line):
        return True
    margin = min(other.left for other in paragraph[1:]) if len(paragraph) > 1 else min(before.left, line.left)
    if line.left > margin + _INDENT and not starts_lower(line.text):
        return True
    width = max(other.right for other in lines) - min(other.left for other in lines)
    is_short = before.right - before.left < _SHORT * width
    if _ITEM.match(line.text) and (is_short or before.text[-1] in ".;:,!?"):
        return True
    return (
        is_short
        and not starts_lower(line.text)
        and (ends_sentence(before.text) or before.is_bold != line.is_bold)
    )


def _bold_numbered_level(lines: Sequence[_Line], index: int) -> int | None:
    """Return the level of a line such as «2.1 Definitions» in bold that stands apart, or None."""
    line = lines[index]
    match = _BOLD_NUMBERED.fullmatch(line.text) if line.is_bold else None
    if match is None or not is_title_like(match["title"].rstrip(".")):
        return None
    goes_on = index + 1 < len(lines) and lines[index + 1].is_bold and not _is_apart(line, lines[index + 1])
    return None if goes_on else ARTICLE + match["number"].count(".") + 1


def _close(paragraph: list[_Line], page: int, elements: list[Element]) -> None:
    if not paragraph:
        return
    text = paragraph[0].text
    for line in paragraph[1:]:
        text = join_lines(text, line.text)
    elements.append(
        Element("list_item" if _ITEM.match(text) else "paragraph", text, fragments=(Fragment(0, page),))
    )
    paragraph.clear()


def _is_language(text: str) -> bool:
    """Tell letters that spell words from glyph numbers that happen to be letters."""
    words = set(_WORD.findall(text))
    n_visible = sum(not character.isspace() for character in text)
    if not words:
        return any(character.isalnum() for character in text)
    odd = sum(_is_odd(word) for word in words) / len(words)
    letters = sum(character.isalnum() or character in ".,;:!?-–—()«»\"'" for character in text) / max(
        n_visible, 1
    )
    voiced = statistics.mean(bool(_VOWELS & set(word.lower())) for word in words)
    return odd < 0.2 and letters > 0.75 and voiced > 0.5


def _is_odd(word: str) -> bool:
    """A word of two scripts, or with a capital after a small letter."""
    scripts = {"cyrillic" if "\u0400" <= letter <= "\u04ff" else "other" for letter in word}
    is_mixed_case = any(a.islower() and b.isupper() for a, b in pairwise(word))
    return len(scripts) > 1 or is_mixed_case
