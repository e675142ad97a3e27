"""PDF through Docling's full pipeline: its layout and table models, for machines that have them.

Needs the package ``docling`` with torch and models of 0.5 GB, which are in no package; ``check`` says what is missing.
Pages are converted a few at a time, so that memory stays bounded and each batch is a sign of life.
"""

import importlib.util
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from io import BytesIO
from itertools import groupby
from pathlib import Path
from typing import Any

import pypdfium2
from docling.datamodel.base_models import ConversionStatus, DocumentStream, InputFormat
from docling.datamodel.pipeline_options import (
    OcrOptions,
    PdfPipelineOptions,
    RapidOcrOptions,
    TesseractCliOcrOptions,
)
from docling_core.types.doc import (
    CodeItem,
    ContentLayer,
    DocItem,
    DocItemLabel,
    DoclingDocument,
    ListItem,
    ProvenanceItem,
    SectionHeaderItem,
    TableItem,
    TextItem,
    TitleItem,
)

from tgrag.errors import ConfigurationError
from tgrag.ingest.archive import DAMAGED
from tgrag.ingest.garbage import fault
from tgrag.ingest.ocr import rapidocr_model, tesseract_languages
from tgrag.ingest.office import table_text
from tgrag.ingest.pdf import ENCRYPTED, SCAN
from tgrag.ingest.refusal import Refused
from tgrag.ingest.text import clean, squeeze, squeeze_lines
from tgrag.records import Box, Drop, Element, ElementKind, Fragment, ParsedDocument
from tgrag.settings import ParseSettings

PAGES_AT_ONCE = 8
TITLE_LEVEL = 1

_FURNITURE = Drop("page_furniture", "it stands in the head or foot of each page")
_CONTENTS = Drop("contents", "it is a table of contents")
_LAYERS = {ContentLayer.BODY, ContentLayer.FURNITURE}


def check(settings: ParseSettings) -> None:
    """Raise ConfigurationError when what the full pipeline needs is not installed."""
    missing = [name for name in ("torch", "docling_ibm_models") if importlib.util.find_spec(name) is None]
    if missing:
        raise ConfigurationError(
            f"parse.pdf is layout, which needs {' and '.join(missing)}; `pip install tgrag[layout]`, then"
            " `docling-tools models download -o FOLDER` and set parse.artifacts_path to that folder"
        )
    if settings.artifacts_path and not Path(settings.artifacts_path).is_dir():
        raise ConfigurationError(
            f"parse.artifacts_path {settings.artifacts_path} is no folder; fill it with"
            f" `docling-tools models download -o {settings.artifacts_path}`"
        )


def read_pdf_layout(data: bytes, settings: ParseSettings, on_page: Callable[[], None]) -> ParsedDocument:
    """Read a PDF. Raises Refused when it is locked, damaged or without text, ConfigurationError without models.

    on_page: called after each page, in batches.
    """
    check(settings)
    elements: list[Element] = []
    n_pages = _n_pages(data)
    for first in range(1, n_pages + 1, PAGES_AT_ONCE):
        last = min(first + PAGES_AT_ONCE - 1, n_pages)
        stream = DocumentStream(name="file.pdf", stream=BytesIO(data))
        result = _converter(settings).convert(stream, raises_on_error=False, page_range=(first, last))
        if result.status not in (ConversionStatus.SUCCESS, ConversionStatus.PARTIAL_SUCCESS):
            faults = "; ".join(error.error_message for error in result.errors)
            raise Refused(DAMAGED.format(f"its pages {first}–{last} cannot be read: {faults}"))
        elements.extend(to_elements(result.document))
        for _ in range(first, last + 1):
            on_page()
    if not elements:
        raise Refused(SCAN)
    elements, warnings = without_garbage(elements)
    return ParsedDocument(status="ok", n_pages=n_pages, warnings=warnings, elements=tuple(elements))


def pipeline_options(settings: ParseSettings) -> PdfPipelineOptions:
    """Return Docling's options: tables on, text recognition as the settings say, for pages that need it."""
    options = PdfPipelineOptions(do_table_structure=True, do_ocr=settings.ocr != "none")
    options.artifacts_path = settings.artifacts_path
    if settings.ocr != "none":
        options.ocr_options = _ocr_options(settings)
    return options


def to_elements(document: DoclingDocument) -> Iterator[Element]:
    """Yield the items of a converted PDF in reading order, with a fragment for each place on paper."""
    for item, _ in document.iterate_items(included_content_layers=_LAYERS):
        if isinstance(item, TableItem):
            text = table_text(document, item)
        elif isinstance(item, TextItem):
            text = clean(item.text) if isinstance(item, CodeItem) else squeeze_lines(clean(item.text))
        else:
            continue
        if text.strip():
            yield _element(document, item, text)


def without_garbage(elements: Sequence[Element]) -> tuple[list[Element], tuple[str, ...]]:
    """Drop, in their place, the elements of pages whose text is not language; return a warning for each page."""
    kept: list[Element] = []
    warnings: list[str] = []
    for page, group in groupby(elements, key=_page):
        on_page = list(group)
        reason = fault("\n".join(element.text for element in on_page))
        if reason is None:
            kept.extend(on_page)
        else:
            kept.extend(replace(element, drop=Drop("unreadable", reason)) for element in on_page)
            warnings.append(f"page {page}: {reason}")
    return kept, tuple(warnings)


def _element(document: DoclingDocument, item: DocItem, text: str) -> Element:
    kind: ElementKind = "paragraph"
    level = drop = None
    if isinstance(item, TitleItem):
        kind, level = "heading", TITLE_LEVEL
    elif isinstance(item, SectionHeaderItem):
        kind, level = "heading", TITLE_LEVEL + item.level
    elif isinstance(item, ListItem):
        kind = "list_item"
        text = f"{item.marker.strip()} {text}" if item.enumerated else text
    elif isinstance(item, TableItem):
        kind = "table"
    elif item.label == DocItemLabel.FOOTNOTE:
        kind = "footnote"
    if item.content_layer == ContentLayer.FURNITURE:
        drop = _FURNITURE
    elif item.label == DocItemLabel.DOCUMENT_INDEX:
        drop = _CONTENTS
    text = squeeze(text) if kind == "heading" else text
    return Element(kind, text, level=level, fragments=_fragments(document, item, len(text)), drop=drop)


def _fragments(document: DoclingDocument, item: DocItem, n_characters: int) -> tuple[Fragment, ...]:
    """Return where an item stands. Docling's spans are of its own text, which cleaning may have shortened."""
    fragments: list[Fragment] = []
    for place in item.prov:
        start = min(place.charspan[0], n_characters - 1) if fragments else 0
        if not fragments or start > fragments[-1].start:
            fragments.append(Fragment(start, place.page_no, _box(document, place)))
    return tuple(fragments)


def _box(document: DoclingDocument, place: ProvenanceItem) -> Box:
    box = place.bbox.to_top_left_origin(document.pages[place.page_no].size.height)
    return Box(box.l, box.t, box.r, box.b)


def _page(element: Element) -> int | None:
    return element.fragments[0].page if element.fragments else None


def _n_pages(data: bytes) -> int:
    try:
        with pypdfium2.PdfDocument(data) as document:
            return len(document)
    except pypdfium2.PdfiumError as error:
        raise Refused(
            ENCRYPTED if b"/Encrypt" in data else DAMAGED.format("it is not a readable PDF")
        ) from error


@lru_cache(maxsize=1)
def _converter(settings: ParseSettings) -> Any:
    from docling.document_converter import DocumentConverter, PdfFormatOption  # imports torch

    options = PdfFormatOption(pipeline_options=pipeline_options(settings))
    return DocumentConverter(allowed_formats=[InputFormat.PDF], format_options={InputFormat.PDF: options})


def _ocr_options(settings: ParseSettings) -> OcrOptions:
    if settings.ocr == "tesseract":
        return TesseractCliOcrOptions(lang=tesseract_languages(settings.ocr_languages))
    return RapidOcrOptions(
        lang=list(settings.ocr_languages), backend="onnxruntime", rec_model_path=str(rapidocr_model(settings))
    )
