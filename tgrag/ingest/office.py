"""Office formats through Docling's own readers, without its layout models (and so without torch).

DOCX and OpenDocument texts are made plain first (word.py, opendocument.py); what those mark is resolved here.
"""

import re
from collections import defaultdict
from collections.abc import Mapping
from io import BytesIO

from docling.backend.abstract_backend import DeclarativeDocumentBackend
from docling.backend.csv_backend import CsvDocumentBackend
from docling.backend.opendocument_backend import (
    OdpDocumentBackend,
    OdsDocumentBackend,
    OdtDocumentBackend,
)
from docling.datamodel.base_models import InputFormat
from docling.datamodel.document import InputDocument
from docling.datamodel.pipeline_options import ConvertPipelineOptions
from docling.pipeline.simple_pipeline import SimplePipeline
from docling_core.types.doc import (
    CodeItem,
    ContentLayer,
    DocItem,
    DocItemLabel,
    DoclingDocument,
    GroupItem,
    GroupLabel,
    InlineGroup,
    ListItem,
    NodeItem,
    RichTableCell,
    SectionHeaderItem,
    TableCell,
    TableItem,
    TextItem,
    TitleItem,
)

from tgrag.ingest import opendocument, word
from tgrag.ingest.archive import DAMAGED, Archive
from tgrag.ingest.docling_office import ExcelReader, PowerpointReader, WordReader
from tgrag.ingest.encoding import decode
from tgrag.ingest.headings import line_heading
from tgrag.ingest.marks import resolve, role_of, unmarked
from tgrag.ingest.refusal import Refused
from tgrag.ingest.text import clean, squeeze, squeeze_lines
from tgrag.records import Drop, Element, ElementKind, Fragment, ParsedDocument

_SHEET, _SLIDE = "sheet: ", re.compile(r"slide-(\d+)")  # Docling's names of groups
NO_NOTES: Mapping[str, str] = {}
_FURNITURE = Drop("page_furniture", "it stands in the head or foot of each page")


def read_docx(data: bytes) -> ParsedDocument:
    """Read a Word document. Its foot- and endnotes follow the paragraphs that refer to them."""
    archive = Archive(data)
    if word.MAIN_PART not in archive:
        return _read(data, InputFormat.DOCX, WordReader)
    main_part, notes = word.printed(archive)
    return _read(archive.replaced(word.MAIN_PART, main_part), InputFormat.DOCX, WordReader, notes)


def read_odt(data: bytes) -> ParsedDocument:
    """Read an OpenDocument text, as read_docx does."""
    archive = Archive(data)
    content, notes = opendocument.printed(archive)
    return _read(archive.replaced(opendocument.CONTENT, content), InputFormat.ODT, OdtDocumentBackend, notes)


def read_pptx(data: bytes) -> ParsedDocument:
    """Read a presentation: slides are pages, their titles headings, the speaker's notes footnotes."""
    Archive(data)
    return _read(data, InputFormat.PPTX, PowerpointReader)


def read_odp(data: bytes) -> ParsedDocument:
    Archive(data)
    return _read(data, InputFormat.ODP, OdpDocumentBackend)


def read_ods(data: bytes) -> ParsedDocument:
    Archive(data)
    return _read(data, InputFormat.ODS, OdsDocumentBackend)


def read_xlsx(data: bytes) -> ParsedDocument:
    """Read a workbook: each sheet under a heading with its name, each table as rows of cells joined by bars."""
    Archive(data)
    return _read(data, InputFormat.XLSX, ExcelReader)


def read_csv(data: bytes) -> ParsedDocument:
    return _read(decode(data).encode(), InputFormat.CSV, CsvDocumentBackend)


def _read(
    data: bytes,
    format: InputFormat,
    backend: type[DeclarativeDocumentBackend],
    notes: Mapping[str, str] = NO_NOTES,
) -> ParsedDocument:
    """notes: what the marks of a source that was made plain refer to."""
    source = InputDocument(
        path_or_stream=BytesIO(data), format=format, backend=backend, filename=f"file.{format.value}"
    )
    if not source.valid:
        raise Refused(DAMAGED.format(f"it is not a readable {format.value.upper()}"))
    try:
        document = SimplePipeline(ConvertPipelineOptions()).execute(source, raises_on_error=True).document
    except RuntimeError as error:  # the pipeline wraps whatever its reader raised
        if isinstance(error.__cause__, MemoryError):
            raise MemoryError from error
        fault = f"{type(error.__cause__).__name__}: {error.__cause__}"
        raise Refused(f"Docling cannot read a part of it ({fault}); save it again or as PDF") from error
    elements: list[Element] = []
    _collect(document, document.body, elements)
    titles = (unmarked(item.text) for item in document.texts if _is_title(item))
    title = next(filter(None, map(squeeze, map(clean, titles))), None)
    return ParsedDocument(
        status="ok",
        title=title,
        n_pages=max((element.fragments[0].page for element in elements if element.fragments), default=None),
        elements=resolve(elements, notes),
    )


def _is_title(item: TextItem) -> bool:
    return isinstance(item, TitleItem) or role_of(item.text) == "title"


def _collect(
    document: DoclingDocument, node: NodeItem, elements: list[Element], page: int | None = None
) -> None:
    """Add what is below a node. page: of the slide that it is on, where items do not say it themselves."""
    for reference in node.children:
        item = reference.resolve(document)
        if isinstance(item, DocItem) and item.content_layer != ContentLayer.BODY:
            _add_aside(item, elements)
            continue
        if isinstance(item, TableItem):
            _add(elements, "table", table_text(document, item), _page(item) or page)
        elif isinstance(item, InlineGroup):
            _add(elements, "paragraph", _inline_text(document, item), page)
        else:
            if isinstance(item, TextItem):
                _add_text_item(document, item, elements, _page(item) or page)
            elif isinstance(item, GroupItem) and item.content_layer == ContentLayer.BODY:
                if item.label == GroupLabel.SHEET or item.name.startswith(_SHEET):
                    _add(elements, "heading", item.name.removeprefix(_SHEET), None, level=1)
                elif slide := _SLIDE.fullmatch(item.name):
                    page = int(slide[1]) + 1
            _collect(document, _without_inline(document, item), elements, page)


def _add_aside(item: DocItem, elements: list[Element]) -> None:
    """Add what stands beside the text: heads and feet of pages, notes of a speaker. Comments and the hidden go."""
    if not isinstance(item, TextItem) or item.label == DocItemLabel.FOOTNOTE:
        return
    if item.content_layer == ContentLayer.FURNITURE:
        _add(elements, "paragraph", item.text, _page(item), drop=_FURNITURE)
    elif item.content_layer == ContentLayer.NOTES and item.prov:
        _add(elements, "footnote", item.text, _page(item))


def _add_text_item(
    document: DoclingDocument, item: TextItem, elements: list[Element], page: int | None
) -> None:
    text = item.text if item.text.strip() else _inline_text(document, item)
    if isinstance(item, TitleItem) and page:  # of a slide
        _add(elements, "heading", squeeze(text), page, level=1)
    elif isinstance(item, SectionHeaderItem):
        _add(elements, "heading", squeeze(text), page, level=item.level)
    elif isinstance(item, ListItem):
        marker = item.marker.strip() if item.enumerated else ""
        _add(elements, "list_item", f"{marker} {text}".strip(), page)
    else:
        _add(elements, "paragraph", text, page, is_verbatim=isinstance(item, CodeItem))


def _without_inline(document: DoclingDocument, item: NodeItem) -> NodeItem:
    """Return a node whose children are blocks only: the inline ones are the item's own text."""
    if not isinstance(item, TextItem) or item.text.strip():
        return item
    blocks = [child for child in item.children if not isinstance(child.resolve(document), InlineGroup)]
    return NodeItem(self_ref=item.self_ref, children=blocks)


def _inline_text(document: DoclingDocument, node: NodeItem) -> str:
    """Return the text of the inline groups below a node, or of the parts of an inline group."""
    parts = (child.resolve(document) for child in node.children)
    if isinstance(node, InlineGroup):
        return " ".join(
            part.text.strip() for part in parts if isinstance(part, TextItem) and part.text.strip()
        )
    return " ".join(_inline_text(document, part) for part in parts if isinstance(part, InlineGroup))


def table_text(document: DoclingDocument, table: TableItem) -> str:
    """Return the rows as lines; a merged cell stands once, where it begins."""
    rows: dict[int, list[TableCell]] = defaultdict(list)
    for cell in table.data.table_cells:
        rows[cell.start_row_offset_idx].append(cell)
    lines = []
    for _, cells in sorted(rows.items()):
        texts = [
            _cell_text(document, cell) for cell in sorted(cells, key=lambda cell: cell.start_col_offset_idx)
        ]
        if any(texts):
            lines.append(" | ".join(texts))
    return "\n".join(lines)


def _cell_text(document: DoclingDocument, cell: TableCell) -> str:
    if not isinstance(cell, RichTableCell):
        return squeeze(clean(cell.text))
    elements: list[Element] = []
    _collect(document, NodeItem(self_ref="#/cell", children=[cell.ref]), elements)
    return squeeze(" ".join(element.text for element in elements))


def _page(item: DocItem) -> int | None:
    return item.prov[0].page_no if item.prov else None


def _fragments(page: int | None) -> tuple[Fragment, ...]:
    return () if page is None else (Fragment(0, page),)


def _add(
    elements: list[Element],
    kind: ElementKind,
    text: str,
    page: int | None,
    level: int | None = None,
    is_verbatim: bool = False,
    drop: Drop | None = None,
) -> None:
    text = clean(text) if is_verbatim else squeeze_lines(clean(text))
    may_be_heading = kind == "paragraph" and not is_verbatim and not drop and not role_of(text)
    found = line_heading(unmarked(text)) if may_be_heading else None
    if found:
        elements.append(Element("heading", text, level=found.level, fragments=_fragments(page)))
    elif text.strip():
        elements.append(Element(kind, text, level=level, fragments=_fragments(page), drop=drop))
