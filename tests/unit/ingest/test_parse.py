import io
import json

import docx
import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fixtures.ingest_golden import GOLDEN, parses
from tests.unit.ingest.samples import RUSSIAN, UKRAINIAN, pdf, zipped
from tgrag.hashing import bytes_hash
from tgrag.ingest import parse as parsing
from tgrag.ingest.parse import PARSER_VERSION, detect_format, parse, parse_key
from tgrag.settings import ParseSettings


def shape(name: str, data: bytes) -> list[tuple[str, int | None, int | None, str]]:
    document = parse(name, data)
    assert document.status == "ok", document.reason
    return [
        (e.kind, e.level, e.fragments[0].page if e.fragments else None, e.text)
        for e in document.elements
        if not e.drop
    ]


def word_file() -> bytes:
    document = docx.Document()
    document.add_heading("Титул", level=0)
    document.add_heading("Раздел", level=1)
    paragraph = document.add_paragraph("Сло")
    paragraph.add_run("во").bold = True
    paragraph.add_run(" целое — да.")
    document.add_paragraph("Глава 2")
    document.add_paragraph("первое", style="List Number")
    table = document.add_table(rows=2, cols=2)
    for row in range(2):
        for column in range(2):
            table.cell(row, column).text = f"я{row}{column}"
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def test_docx_keeps_words_whole() -> None:
    assert shape("a.docx", word_file()) == [
        ("paragraph", None, None, "Титул"),
        ("heading", 1, None, "Раздел"),
        ("paragraph", None, None, "Слово целое — да."),
        ("heading", 5, None, "Глава 2"),
        ("list_item", None, None, "1. первое"),
        ("table", None, None, "я00 | я01\nя10 | я11"),
    ]
    assert parse("a.docx", word_file()).title == "Титул"


def test_xlsx_sheets_are_headings() -> None:
    workbook = openpyxl.Workbook()
    sheet = workbook.active
    assert sheet is not None
    sheet.title = "Ціни"
    sheet.append(["Товар", "Ціна"])
    sheet.append(["Хліб", 25])
    buffer = io.BytesIO()
    workbook.save(buffer)
    assert shape("a.xlsx", buffer.getvalue()) == [
        ("heading", 1, None, "Ціни"),
        ("table", None, 1, "Товар | Ціна\nХліб | 25"),
    ]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "cp1251"])
def test_csv_of_any_encoding(encoding: str) -> None:
    data = "Місто;Річка\nКиїв;Дніпро, Либідь\n".encode(encoding)
    assert shape("a.csv", data) == [("table", None, None, "Місто | Річка\nКиїв | Дніпро, Либідь")]


GLYPHS = (
    "M]heh^guc dh_dk Jhkkbckdhc N_^_jZpbb hl bxgy ]h^Z KlZlvy Gh\\\\u_ aZdhgu ij_^mkfZljb\\\\Zxsb_ m]heh^gmx"
)
ODT = "application/vnd.oasis.opendocument.text"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("a.txt", b"", "empty"),
        ("a.txt", b" \n \n", "empty"),
        ("a.txt", bytes(range(256)) * 20, "not text"),
        ("a.pdf", b"hello there", "damaged"),
        ("a.pdf", b"%PDF-1.4 hello", "damaged"),
        ("a.pdf", pdf([[]]), "scan"),
        ("a.pdf", pdf([[(72, 700, GLYPHS), (72, 680, GLYPHS)]]), "cannot be copied"),
        ("a.pdf", b"%PDF-1.4 broken /Encrypt 5 0 R", "password"),
        ("a.docx", b"not a zip", "damaged"),
        ("a.docx", zipped({"a.txt": "x"}), "damaged"),
        ("a.docx", zipped({"word/document.xml": "<broken"}), "damaged"),
        ("a.docx", word_file()[:500], "damaged"),
        ("a.docx", OLE + "EncryptedPackage".encode("utf-16-le"), "password"),
        ("a.doc", OLE + b"\x00" * 100, "old binary format"),
        ("a.pptx", zipped({"ppt/presentation.xml": "<x/>"}), "damaged"),
        ("a.odt", zipped({"content.xml": "<x/>"}), "damaged"),
        ("a.odt", zipped({"mimetype": ODT, "content.xml": "<x"}), "damaged"),
        ("a.odt", zipped({"mimetype": ODT, "content.xml": "<x/>"}), "cannot read a part"),
        ("a.zip", zipped({"a.txt": "x", "b.txt": "y"}), "unpack"),
        ("a.png", b"\x89PNG\r\n\x1a\n" + b"\x00" * 50, "picture"),
        ("a.rtf", b"hello there", "damaged"),
        ("a.epub", zipped({"mimetype": "application/epub+zip"}), "damaged"),
        ("a.html", b"<html><body><img src='x'></body></html>", "no text"),
        ("a.fb2", b"<FictionBook><body>", "damaged"),
        ("a.html", b"<div>" * 5000 + b"x", "nested"),
        ("a.md", b"> " * 2000 + b"x", "nested"),
    ],
)
def test_a_file_that_cannot_be_read_is_failed_with_a_reason(name: str, data: bytes, says: str) -> None:
    document = parse(name, data)
    assert document.status == "failed"
    assert says in (document.reason or "")
    assert document.elements == ()


def test_headings_without_a_text_are_the_text() -> None:
    document = parse("a.html", b"<html><body><h1>Title</h1></body></html>")
    assert [(element.kind, element.level, element.text) for element in document.elements] == [
        ("paragraph", None, "Title")
    ]
    assert "only headings" in document.warnings[0]


def test_content_decides_where_the_suffix_is_wrong() -> None:
    assert detect_format("a.txt", pdf([[]])) == "pdf"
    assert detect_format("a.bin", word_file()) == "docx"
    assert detect_format("a.txt", b"<?xml version='1.0'?><FictionBook/>") == "fb2"
    assert detect_format("a", b"<!DOCTYPE html><p>x") == "html"
    assert detect_format("a.log", UKRAINIAN.encode()) == "txt"
    assert detect_format("a.md", b"# x") == "md"


def test_text_of_any_suffix_and_encoding_reads_alike() -> None:
    expected = parse("a.txt", RUSSIAN.encode())
    assert expected.status == "ok"
    for encoding in ("cp1251", "koi8-r", "utf-16"):
        assert parse("a.text", RUSSIAN.encode(encoding)) == expected


@settings(max_examples=60, deadline=None)
@given(
    st.binary(max_size=400),
    st.sampled_from([".txt", ".html", ".md", ".fb2", ".xml", ".epub", ".docx", ".csv", ".rtf", ".odt"]),
)
def test_no_bytes_make_the_parser_raise(data: bytes, suffix: str) -> None:
    assert parse("file" + suffix, data).status in ("ok", "failed")


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 30_000), st.integers(0, 255))
def test_damage_inside_a_document_never_raises(place: int, byte: int) -> None:
    data = bytearray(word_file())
    data[place % len(data)] = byte
    assert parse("a.docx", bytes(data)).status in ("ok", "failed")


def test_the_parse_key_names_what_a_parse_depends_on(monkeypatch: pytest.MonkeyPatch) -> None:
    content = bytes_hash(b"x")
    key = parse_key(content, "one.txt", ParseSettings())
    assert key == parse_key(content, "deep/two.TXT", ParseSettings(timeout_seconds=5))
    assert key != parse_key(content, "one.txt", ParseSettings(ocr="tesseract"))
    assert key != parse_key(content, "one.md", ParseSettings())
    assert key != parse_key(bytes_hash(b"y"), "one.txt", ParseSettings())
    monkeypatch.setattr(parsing, "PARSER_VERSION", PARSER_VERSION + 1)
    assert key != parse_key(content, "one.txt", ParseSettings())


def test_golden_parses() -> None:
    """What the parser makes of the fixtures. Where a change is meant: raise PARSER_VERSION, renew golden.json."""
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    assert parses() == golden["parses"], "raise PARSER_VERSION and run python -m tests.fixtures.ingest_golden"
    assert golden["version"] == PARSER_VERSION
