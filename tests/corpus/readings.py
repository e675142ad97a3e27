"""The words of a file as other tools read them: what our readers are held against."""

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import openpyxl
import pypdfium2
from lxml import etree, html
from markdown_it import MarkdownIt

_WORD = re.compile(r"\w+")
_PLAIN = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉ⁿⁱ", "01234567890123456789ni")
_PARTS_WORDS = frozenset(("p", "tab", "br", "tc", "h", "s", "line-break", "oMath"))
_NOT_SHOWN = frozenset(("Fallback", "del", "moveFrom", "tracked-changes", "note-citation", "instrText"))
_HIDDEN_HTML = "//script|//style|//head|//template|//comment()|//*[@hidden]"


def words(text: str) -> list[str]:
    """Return the words; what is raised or lowered counts as the plain characters that other tools make of it."""
    return _WORD.findall(text.translate(_PLAIN).casefold())


def independent_words(path: Path) -> list[str] | None:
    """Return the words that another tool finds in a file, None where none is at hand (old binary formats)."""
    reader = _READERS.get(path.suffix.lower())
    return words(reader(path)) if reader else None


def _xml_text(path: Path, member: str) -> str:
    with zipfile.ZipFile(path) as archive:
        root = etree.fromstring(archive.read(member))
    return "".join(_shown(root))


def _shown(node: etree._Element) -> Iterator[str]:
    name = etree.QName(node).localname if isinstance(node.tag, str) else ""
    if not name or name in _NOT_SHOWN:
        return
    if name in _PARTS_WORDS:
        yield " "
    yield node.text or ""
    for child in node:
        yield from _shown(child)
        yield child.tail or ""
    if name in _PARTS_WORDS:
        yield " "


def _docx(path: Path) -> str:
    with zipfile.ZipFile(path) as archive:
        root = etree.fromstring(archive.read("word/document.xml"))
    for node in list(root.iter()):
        if isinstance(node.tag, str) and etree.QName(node).localname == "noBreakHyphen":
            node.tag, node.text = etree.QName(etree.QName(node).namespace, "t"), "-"
        is_text = isinstance(node.tag, str) and etree.QName(node).localname == "t"
        if not is_text:
            node.text = None
        node.tail = None
    return "".join(_shown(root))


def _html(text: str) -> str:
    root = html.document_fromstring(text.encode(), parser=html.HTMLParser(encoding="utf-8"))
    for node in root.xpath(_HIDDEN_HTML):
        node.drop_tree()
    return " ".join(root.itertext())


def _read_html(path: Path) -> str:
    data = path.read_bytes()
    declared = re.search(rb"charset\s*=\s*[\"']?([\w-]+)", data)
    try:
        return _html(data.decode())
    except UnicodeDecodeError:
        return _html(data.decode(declared[1].decode() if declared else "cp1251", errors="replace"))


def _markdown(path: Path) -> str:
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    return _html(f"<body>{parser.render(path.read_text('utf-8'))}</body>")


def _workbook(path: Path) -> str:
    sheets = openpyxl.load_workbook(path, data_only=True).worksheets
    cells = (
        [
            sheet.title,
            *(str(value) for row in sheet.iter_rows(values_only=True) for value in row if value is not None),
        ]
        for sheet in sheets
    )
    return " ".join(" ".join(sheet) for sheet in cells)


def _pdf(path: Path) -> str:
    document = pypdfium2.PdfDocument(path)
    try:
        return "\n".join(page.get_textpage().get_text_range() for page in document)
    finally:
        document.close()


_READERS = {
    ".docx": _docx,
    ".odt": lambda path: _xml_text(path, "content.xml"),
    ".xlsx": _workbook,
    ".xlsm": _workbook,
    ".csv": lambda path: path.read_text("utf-8-sig"),
    ".md": _markdown,
    ".html": _read_html,
    ".pdf": _pdf,
}
