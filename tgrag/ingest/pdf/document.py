"""A PDF to a document: its pages read, those without text recognised or reported, the rest laid out."""

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from tgrag.ingest.archive import DAMAGED
from tgrag.ingest.garbage import fault
from tgrag.ingest.ocr import open_reader
from tgrag.ingest.page import Page
from tgrag.ingest.pdf.layout import to_elements
from tgrag.ingest.pdf.reader import DAMAGED_PAGE, ENCRYPTED, Sheet, read_outline, read_sheets
from tgrag.ingest.refusal import Refused
from tgrag.records import Drop, Element, Fragment, ParsedDocument
from tgrag.settings import ParseSettings

__all__ = ["ENCRYPTED", "GARBAGE", "SCAN", "read_pdf"]

SCAN = "it has no text, only pictures of pages (a scan); run it through text recognition (OCR) and add the result"
GARBAGE = "its text cannot be copied: {}; run it through text recognition (OCR)"
PICTURE = "there is no text on it, only a picture"

_UNEVEN = 0.3  # of the size of letters
_MIN_CHARACTERS = 10  # fewer beside a picture: the text is in the picture


def read_pdf(data: bytes, settings: ParseSettings, on_page: Callable[[], None]) -> ParsedDocument:
    """Read a PDF. Raises Refused when it is locked, damaged, a scan, or its letters are not letters.

    on_page: called after each page that is read, and again as the pages are laid out.
    """
    if settings.pdf == "layout":
        from tgrag.ingest.docling_layout import read_pdf_layout  # takes seconds to import

        return read_pdf_layout(data, settings, on_page)
    sheets = [_checked(sheet) for sheet in read_sheets(data, on_page)]
    sheets = _recognised(sheets, data, settings, on_page)
    faults = {sheet.page.number: sheet.fault for sheet in sheets if sheet.fault}
    pages = [sheet.page for sheet in sheets if not sheet.fault]
    if not any(page.lines for page in pages):
        raise Refused(_refusal(list(faults.values())))
    unreadable = {sheet.page.number: _unreadable(sheet) for sheet in sheets if sheet.fault}
    elements = to_elements(pages, read_outline(data), unreadable, on_page)
    if all(element.drop for element in elements) and any(sheet.has_picture for sheet in sheets):
        raise Refused(SCAN)  # a scanning program's mark on every page is no text
    return ParsedDocument(
        status="ok", n_pages=len(sheets), warnings=tuple(_warnings(faults)), elements=tuple(elements)
    )


def _checked(sheet: Sheet) -> Sheet:
    """Say what is wrong with a page's text."""
    text = "\n".join(line.text for line in sheet.page.lines)
    if sheet.fault or (not text and not sheet.has_picture):
        return sheet
    if sheet.has_picture and len(text) < _MIN_CHARACTERS:
        return replace(sheet, fault=PICTURE)
    return replace(sheet, fault=fault(text))


def _recognised(
    sheets: list[Sheet], data: bytes, settings: ParseSettings, on_page: Callable[[], None]
) -> list[Sheet]:
    """Read the pictures of the pages without readable text, where text recognition is set up."""
    numbers = [sheet.page.number for sheet in sheets if sheet.fault]
    reader = open_reader(settings) if numbers else None
    if reader is None:
        return sheets
    read: dict[int, Page] = {}
    for page in reader.read(data, numbers):
        read[page.number] = _even(page)
        on_page()
    return [
        _checked(Sheet(read[sheet.page.number], has_picture=True)) if sheet.page.number in read else sheet
        for sheet in sheets
    ]


def _even(page: Page) -> Page:
    """Give letters of about the usual size that size: text recognition measures each line by the letters in it."""
    if not page.lines:
        return page
    usual = statistics.median(line.size for line in page.lines)
    lines = (
        replace(line, size=usual) if abs(line.size - usual) < _UNEVEN * usual else line for line in page.lines
    )
    return replace(page, lines=tuple(lines))


def _unreadable(sheet: Sheet) -> Element:
    text = "\n".join(line.text for line in sheet.page.lines)
    return Element(
        "paragraph",
        text,
        fragments=(Fragment(0, sheet.page.number),),
        drop=Drop("unreadable", sheet.fault or PICTURE),
    )


def _refusal(faults: Sequence[str]) -> str:
    if faults and all(reason.startswith(DAMAGED_PAGE) for reason in faults):
        return DAMAGED.format("no page of it can be read")
    letters = [reason for reason in faults if reason != PICTURE]
    return GARBAGE.format(max(set(letters), key=letters.count)) if letters else SCAN


def _warnings(faults: Mapping[int, str]) -> list[str]:
    """Return one warning for each run of pages with one fault: «pages 3–7: …»."""
    warnings = []
    runs = groupby(enumerate(sorted(faults)), key=lambda item: (item[1] - item[0], faults[item[1]]))
    for (_, reason), run in runs:
        numbers = [number for _, number in run]
        name = f"page {numbers[0]}" if len(numbers) == 1 else f"pages {numbers[0]}–{numbers[-1]}"
        warnings.append(f"{name}: {reason}")
    return warnings
