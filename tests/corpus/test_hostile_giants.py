"""Giant texts, tables and pages are read, or refused for what they would take."""

from collections.abc import Callable, Iterator

import pytest

from tests.unit.ingest import hostile
from tests.unit.ingest.test_hostile import SETTINGS, TEXT, outcome
from tgrag.ingest.sandbox import ParsingPool


@pytest.fixture(scope="module")
def pool() -> Iterator[ParsingPool]:
    with ParsingPool(SETTINGS) as pool:
        yield pool


BIG: dict[str, Callable[[], bytes]] = {
    "spaces.txt": lambda: (TEXT + " ").encode() * 300_000,
    "no spaces.txt": lambda: "слово".encode() * 1_000_000,
    "one letter.txt": lambda: b"a" * 10_000_000,
    "spaces.html": lambda: b"<p>" + (TEXT + " ").encode() * 300_000,
    "no spaces.html": lambda: b"<p>" + b"word" * 2_500_000,
    "spaces.md": lambda: (TEXT + " ").encode() * 300_000,
    "lines.txt": lambda: b"\n" * 10_000_000 + TEXT.encode(),
    "blank.txt": lambda: b" " * 10_000_000 + TEXT.encode(),
    "table.csv": lambda: b"name,price,number\n" + b"bolt,12,3\n" * 100_000,
    "wide.csv": lambda: b",".join([b"name"] * 20_000) + b"\n" + b",".join([b"bolt"] * 20_000),
    "table.html": lambda: b"<table>" + b"<tr><td>bolt</td><td>12</td></tr>" * 200_000 + b"</table>",
    "span.html": lambda: f'<table><tr><td colspan="1000000000" rowspan="1000000000">{TEXT}</td></tr></table>'.encode(),
    "tags.html": lambda: b"<" * 5_000_000 + TEXT.encode(),
    "pipes.md": lambda: b"|a|b|\n|-|-|\n" + b"|bolt|12|\n" * 100_000,
    "far.xlsx": lambda: hostile.xlsx(TEXT, far="XFD1048576"),
    "span.docx": lambda: hostile.docx(
        '<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="1000000000"/></w:tcPr>'
        + hostile.paragraph(TEXT)
        + "</w:tc></w:tr></w:tbl>"
    ),
    "spaces.pdf": lambda: hostile.pdf_of_stream(b"BT /F1 12 Tf 50 700 Td (A page of text.) Tj ET\n" + b" " * 300_000_000),
    "letters.pdf": lambda: hostile.pdf_of_stream(
        b"BT /F1 12 Tf 50 700 Td\n" + b"(A line of text.) Tj 0 -0.1 Td\n" * 60_000 + b"ET"
    ),
}  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("name", BIG)
def test_giant_texts_and_tables_are_read_or_refused(pool: ParsingPool, name: str) -> None:
    reason, text = outcome(pool, name, BIG[name]())
    assert reason or text
    assert "not read within" not in (reason or "")
    print(name, reason, len(text))
