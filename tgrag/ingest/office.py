"""DOCX, XLSX and CSV through Docling's own readers, without its layout models (and so without torch)."""

from io import BytesIO

from docling.backend.abstract_backend import DeclarativeDocumentBackend
from docling.backend.csv_backend import CsvDocumentBackend
from docling.backend.msexcel_backend import MsExcelDocumentBackend
from docling.backend.msword_backend import MsWordDocumentBackend
from docling.datamodel.base_models import InputFormat
from docling.datamodel.document import InputDocument
from docling.datamodel.pipeline_options import ConvertPipelineOptions
from docling.pipeline.simple_pipeline import SimplePipeline
from docling_core.types.doc import (
    CodeItem,
    ContentLayer,
    DocItem,
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
from lxml import etree

from tgrag.ingest.archive import DAMAGED, Archive
from tgrag.ingest.encoding import decode
from tgrag.ingest.headings import line_heading
from tgrag.ingest.refusal import Refused
from tgrag.ingest.text import clean, squeeze, squeeze_lines
from tgrag.records import Element, ElementKind, Fragment, ParsedDocument

_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_STRICT_WORD = "{http://purl.oclc.org/ooxml/wordprocessingml/main}"
# Comments are removed because Docling takes them for elements.
_XML = etree.XMLParser(
    resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True, huge_tree=True
)
_MAIN_PART = "word/document.xml"


def read_docx(data: bytes) -> ParsedDocument:
    archive = Archive(data)
    if _MAIN_PART in archive:
        data = archive.replaced(_MAIN_PART, _without_formatting(archive.read(_MAIN_PART)))
    return _read(data, InputFormat.DOCX, MsWordDocumentBackend)


def read_xlsx(data: bytes) -> ParsedDocument:
    """Read a workbook: each sheet under a heading with its name, each table as rows of cells joined by bars."""
    Archive(data)
    return _read(data, InputFormat.XLSX, MsExcelDocumentBackend)


def read_csv(data: bytes) -> ParsedDocument:
    return _read(decode(data).encode(), InputFormat.CSV, CsvDocumentBackend)


def _without_formatting(xml: bytes) -> bytes:
    """Remove the formatting of runs and links, where Docling would part words; hidden text stays hidden."""
    try:
        root = etree.fromstring(xml, _XML)
    except etree.XMLSyntaxError as error:
        raise Refused(DAMAGED.format("its text cannot be read")) from error
    for namespace in (_WORD, _STRICT_WORD):
        for properties in list(root.iter(f"{namespace}rPr")):
            for formatting in list(properties):
                if formatting.tag != f"{namespace}vanish":
                    properties.remove(formatting)
        for link in list(root.iter(f"{namespace}hyperlink")):
            parent, place = link.getparent(), link.getparent().index(link)
            parent[place : place + 1] = list(link)
    return bytes(etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True))


def _read(data: bytes, format: InputFormat, backend: type[DeclarativeDocumentBackend]) -> ParsedDocument:
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
    titles = (squeeze(clean(item.text)) for item in document.texts if isinstance(item, TitleItem))
    return ParsedDocument(status="ok", title=next(filter(None, titles), None), elements=tuple(elements))


def _collect(document: DoclingDocument, node: NodeItem, elements: list[Element]) -> None:
    for reference in node.children:
        item = reference.resolve(document)
        if isinstance(item, DocItem) and item.content_layer != ContentLayer.BODY:
            continue
        if isinstance(item, TableItem):
            _add(elements, "table", _table_text(document, item), _page(item))
        elif isinstance(item, InlineGroup):
            _add(elements, "paragraph", _inline_text(document, item), None)
        else:
            if isinstance(item, TextItem):
                _add_text_item(document, item, elements)
            elif isinstance(item, GroupItem) and item.label == GroupLabel.SHEET:
                _add(elements, "heading", item.name.removeprefix("sheet: "), None, level=1)
            _collect(document, _without_inline(document, item), elements)


def _add_text_item(document: DoclingDocument, item: TextItem, elements: list[Element]) -> None:
    text = item.text if item.text.strip() else _inline_text(document, item)
    if isinstance(item, SectionHeaderItem):
        _add(elements, "heading", squeeze(text), _page(item), level=item.level)
    elif isinstance(item, ListItem):
        marker = item.marker.strip() if item.enumerated else ""
        _add(elements, "list_item", f"{marker} {text}".strip(), _page(item))
    else:
        _add(elements, "paragraph", text, _page(item), is_verbatim=isinstance(item, CodeItem))


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


def _table_text(document: DoclingDocument, table: TableItem) -> str:
    """Return the rows as lines; a merged cell stands once, where it begins."""
    lines = []
    for row in range(table.data.num_rows):
        cells = (cell for cell in table.data.table_cells if cell.start_row_offset_idx == row)
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
) -> None:
    text = clean(text) if is_verbatim else squeeze_lines(clean(text))
    found = line_heading(text) if kind == "paragraph" and not is_verbatim else None
    if found:
        elements.append(Element("heading", text, level=found.level, fragments=_fragments(page)))
    elif text.strip():
        elements.append(Element(kind, text, level=level, fragments=_fragments(page)))
