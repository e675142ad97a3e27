"""One file to one ParsedDocument: which format it is, which reader reads it, and what a refusal says.

The format is told by content first and by suffix where content does not tell. What comes out depends on
the bytes, the suffix and the versions in the parse key, and on nothing else.
"""

import importlib.metadata
import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import PurePosixPath
from typing import Literal, cast

from tgrag.hashing import stable_hash
from tgrag.ingest.archive import Archive
from tgrag.ingest.counted import with_counted
from tgrag.ingest.encoding import decode, decode_markup
from tgrag.ingest.epub import read_epub
from tgrag.ingest.fb2 import read_fb2
from tgrag.ingest.garbage import fault_of_document
from tgrag.ingest.markup import Markup, read_html, read_markdown
from tgrag.ingest.metadata import declared_language
from tgrag.ingest.plain import read_plain
from tgrag.ingest.refine import refine
from tgrag.ingest.refusal import Refused
from tgrag.ingest.rtf import read_rtf
from tgrag.ingest.tei import TEI_ROOTS, read_tei
from tgrag.ingest.xml import parse_xml
from tgrag.records import ParsedDocument
from tgrag.settings import ParseSettings

DEFAULTS = ParseSettings()
PARSER_VERSION = 2
"""Raised by hand when a rule changes what comes out of a file; a golden test reminds of it."""

_PARSERS = (
    "docling-slim", "docling-parse", "docling-core", "lxml", "markdown-it-py", "mdit-py-plugins", "chardet",
    "odfdo", "python-docx", "python-pptx", "openpyxl", "striprtf",
)  # fmt: skip

Format = Literal[
    "pdf",
    "docx",
    "xlsx",
    "pptx",
    "odt",
    "ods",
    "odp",
    "epub",
    "fb2",
    "fb2.zip",
    "tei",
    "html",
    "md",
    "csv",
    "rtf",
    "txt",
]

_SET_IN_LINES = frozenset(("txt", "pdf"))  # their readers have looked at what stands alone on a line
_MARKDOWN = frozenset((".md", ".markdown", ".mdown", ".mkd", ".qmd", ".rmd"))
_HTML = frozenset((".html", ".htm", ".xhtml", ".shtml"))
_CONTAINERS = frozenset((".docx", ".xlsx", ".xlsm", ".pptx", ".odt", ".ods", ".odp", ".epub", ".fb2.zip"))
_OTHER = "save it as DOCX, PDF or plain text and add that"
_UNREADABLE = {
    ".doc": "it is in Word's old binary format",
    ".dot": "it is in Word's old binary format",
    ".xls": "it is in Excel's old binary format",
    ".ppt": "it is in PowerPoint's old binary format",
    ".djvu": "DjVu is not read",
    ".mobi": "Kindle books are not read",
    ".azw3": "Kindle books are not read",
}
_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG", "it is a picture"),
    (b"\xff\xd8\xff", "it is a picture"),
    (b"GIF8", "it is a picture"),
    (b"II*\x00", "it is a picture"),
    (b"MM\x00*", "it is a picture"),
    (b"AT&TFORM", "DjVu is not read"),
    (b"Rar!", "it is an archive; unpack it"),
    (b"7z\xbc\xaf", "it is an archive; unpack it"),
    (b"\x1f\x8b", "it is an archive; unpack it"),
)
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ROOT_ELEMENT = re.compile(
    r"\s*(?:<\?.*?\?>\s*|<!--.*?-->\s*|<!DOCTYPE[^>\[]*(?:\[.*?\])?\s*>\s*)*<(?P<tag>[\w.:-]+)", re.DOTALL
)
_ZIP_FORMATS: tuple[tuple[str, Format], ...] = (
    ("META-INF/container.xml", "epub"),
    ("word/document.xml", "docx"),
    ("xl/workbook.xml", "xlsx"),
    ("ppt/presentation.xml", "pptx"),
)
_OPENDOCUMENT: dict[str, Format] = {"text": "odt", "spreadsheet": "ods", "presentation": "odp"}


def parse(
    name: str,
    data: bytes,
    settings: ParseSettings = DEFAULTS,
    on_page: Callable[[], None] = lambda: None,
) -> ParsedDocument:
    """Read a file. One that cannot be read is a document with status "failed" and a reason for a person.

    on_page: called as the work goes on, as a sign of life: after each page of a long document and after each step.
    """
    try:
        format = detect_format(name, data)
        document = _read_pdf(data, settings, on_page) if format == "pdf" else _READERS[format](data)
        on_page()
        elements = document.elements if format in _SET_IN_LINES else with_counted(document.elements)
        document = replace(document, elements=refine(elements))
        on_page()
        return _with_text(document)
    except Refused as refusal:
        return ParsedDocument(status="failed", reason=str(refusal))
    except RecursionError:
        return ParsedDocument(
            status="failed", reason="it is nested too deeply to be a document; get another copy"
        )


def _with_text(document: ParsedDocument) -> ParsedDocument:
    """Return a document that has text. Headings with nothing below them are the text. Raises Refused."""
    text = [element for element in document.elements if not element.drop]
    if not text:
        raise Refused("there is no text in it; check that this is the right file")
    if fault := fault_of_document([element.text for element in text]):
        raise Refused(f"its text is not language: {fault}; get another copy")
    if any(element.kind != "heading" for element in text):
        return document
    elements = tuple(
        replace(element, kind="paragraph", level=None) if element.kind == "heading" else element
        for element in document.elements
    )
    return replace(
        document,
        elements=elements,
        warnings=(*document.warnings, "there are only headings in it; they were read as text"),
    )


def check(settings: ParseSettings) -> None:
    """Raise ConfigurationError when a reader or an engine that the settings ask for is not installed."""
    if settings.pdf == "layout":
        from tgrag.ingest import docling_layout

        docling_layout.check(settings)
    if settings.ocr != "none":
        from tgrag.ingest.ocr import open_reader

        open_reader(settings)


def parse_key(content_hash: str, name: str, settings: ParseSettings) -> str:
    """Return the memo key of a parse: everything that its result depends on."""
    versions = {package: importlib.metadata.version(package) for package in _PARSERS}
    return stable_hash("parse", content_hash, _suffix(name), PARSER_VERSION, versions, settings.recipe())


def detect_format(name: str, data: bytes) -> Format:
    """Return the format of a file. Raises Refused when it is none that is read."""
    suffix = _suffix(name)
    if not data.strip():
        raise Refused("the file is empty")
    if b"%PDF-" in data[:1024]:
        return "pdf"
    if data.startswith(b"PK\x03\x04") or data.startswith(b"PK\x05\x06"):
        return _zip_format(suffix, Archive(data))
    if data.startswith(_OLE):
        raise Refused(_ole_reason(data))
    if data.startswith(b"{\\rtf"):
        return "rtf"
    for signature, reason in _SIGNATURES:
        if data.startswith(signature):
            raise Refused(f"{reason}; {_OTHER}")
    if suffix in _UNREADABLE:
        raise Refused(f"{_UNREADABLE[suffix]}; {_OTHER}")
    if suffix in _CONTAINERS or suffix in (".pdf", ".rtf"):
        raise Refused(f"the file is damaged: there is no {suffix[1:].upper()} in it; get another copy")
    if suffix in _MARKDOWN:
        return "md"
    if suffix == ".csv":
        return "csv"
    return _text_format(suffix, data)


def _suffix(name: str) -> str:
    suffixes = [suffix.lower() for suffix in PurePosixPath(name).suffixes]
    return ".fb2.zip" if suffixes[-2:] == [".fb2", ".zip"] else (suffixes or [""])[-1]


def _zip_format(suffix: str, archive: Archive) -> Format:
    for member, format in _ZIP_FORMATS:
        if member in archive:
            return format
    if "mimetype" in archive:
        kind = archive.read("mimetype").decode("ascii", errors="replace").strip()
        document = re.fullmatch(r"application/vnd\.oasis\.opendocument\.(\w+)(?:-template)?", kind)
        if document and document[1] in _OPENDOCUMENT:
            return _OPENDOCUMENT[document[1]]
    if _fb2_member(archive):
        return "fb2.zip"
    if suffix in _UNREADABLE:
        raise Refused(f"{_UNREADABLE[suffix]}; {_OTHER}")
    if suffix in _CONTAINERS:
        raise Refused(
            f"the file is damaged: the text of the {suffix[1:].upper()} is missing in it; get another copy"
        )
    raise Refused("it is an archive; unpack it and add the files that are in it")


def _text_format(suffix: str, data: bytes) -> Format:
    text = decode_markup(data)
    root = _ROOT_ELEMENT.match(text)
    tag = root["tag"].rsplit(":", 1)[-1] if root else ""
    if tag == "FictionBook":
        return "fb2"
    if tag in TEI_ROOTS:
        return "tei"
    if suffix in _HTML or tag.lower() == "html" or re.match(r"\s*<!DOCTYPE\s+html", text, re.IGNORECASE):
        return "html"
    if suffix in (".xml", ".fb2") or text.lstrip().startswith("<?xml"):
        kind = f"its outermost element is <{tag}>" if tag else "it has no outermost element"
        raise Refused(f"this kind of XML is not read ({kind}); FictionBook, TEI, CES and XHTML are")
    return "txt"


def _ole_reason(data: bytes) -> str:
    if "EncryptedPackage".encode("utf-16-le") in data:
        return "it is protected by a password; save it without one and add it again"
    return f"it is in an old binary format of Microsoft Office; {_OTHER}"


def _fb2_member(archive: Archive) -> str | None:
    books = [name for name in archive.names if name.lower().endswith(".fb2")]
    return books[0] if len(books) == 1 else None


def _read_plain(data: bytes) -> ParsedDocument:
    title, elements = read_plain(decode(data))
    return ParsedDocument(status="ok", title=title, elements=elements)


def _from_markup(markup: Markup) -> ParsedDocument:
    language = declared_language(markup.language)
    return ParsedDocument(status="ok", title=markup.title, language=language, elements=markup.elements)


def _read_zipped_fb2(data: bytes) -> ParsedDocument:
    archive = Archive(data)
    return read_fb2(parse_xml(archive.read(_fb2_member(archive) or "")))


def _read_pdf(data: bytes, settings: ParseSettings, on_page: Callable[[], None]) -> ParsedDocument:
    if settings.pdf == "layout":
        from tgrag.ingest.docling_layout import read_pdf_layout

        return read_pdf_layout(data, settings, on_page)
    from tgrag.ingest.pdf import read_pdf  # Docling takes seconds to import: only where it is needed

    return read_pdf(data, settings, on_page)


def _read_office(reader: str, data: bytes) -> ParsedDocument:
    from tgrag.ingest import office

    return cast(ParsedDocument, getattr(office, reader)(data))


_READERS: dict[Format, Callable[[bytes], ParsedDocument]] = {
    "docx": partial(_read_office, "read_docx"),
    "xlsx": partial(_read_office, "read_xlsx"),
    "pptx": partial(_read_office, "read_pptx"),
    "odt": partial(_read_office, "read_odt"),
    "ods": partial(_read_office, "read_ods"),
    "odp": partial(_read_office, "read_odp"),
    "csv": partial(_read_office, "read_csv"),
    "epub": read_epub,
    "fb2": lambda data: read_fb2(parse_xml(data)),
    "fb2.zip": _read_zipped_fb2,
    "tei": lambda data: read_tei(parse_xml(data)),
    "html": lambda data: _from_markup(read_html(data)),
    "md": lambda data: _from_markup(read_markdown(decode(data))),
    "rtf": read_rtf,
    "txt": _read_plain,
}
