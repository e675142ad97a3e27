import json
from dataclasses import replace
from pathlib import Path

import pytest
from lxml import html
from typer.testing import CliRunner, Result

from tests.books import SAMPLE
from tgrag.chunk import chunk, layout
from tgrag.cli import app
from tgrag.ingest.collection import ParsedSource, place
from tgrag.inspect.document import Inspected, describe
from tgrag.inspect.lines import document_lines
from tgrag.inspect.page import blocks, document_page
from tgrag.records import Box, Drop, Element, Fragment, ParsedDocument
from tgrag.settings import ChunkSettings

LINES = "Первая строка абзаца, и она длинна. Вторая его строка стоит уже на другой странице книги."
TURN = LINES.index("Вторая")
DEFAULT = ChunkSettings()
DOCUMENT = ParsedDocument(
    status="ok",
    title="Книга <о тегах>",
    n_pages=3,
    warnings=("page 3: a picture without text",),
    elements=(
        Element("paragraph", "Содержание: Глава I . . . 5", drop=Drop("contents", "a table of contents")),
        Element("heading", "Часть первая", 3, (Fragment(0, 1),)),
        Element("heading", "Глава I", 5, (Fragment(0, 1),)),
        Element(
            "paragraph",
            LINES,
            fragments=(Fragment(0, 1, Box(1, 2, 3, 4)), Fragment(TURN, 2, Box(5, 6, 7, 8))),
        ),
        Element("heading", "Глава II", 5, (Fragment(0, 2),)),
        Element("paragraph", "Здесь <b>ничего</b> & всё.", fragments=(Fragment(0, 2),)),
        Element(
            "paragraph", "", fragments=(Fragment(0, 3),), drop=Drop("unreadable", "a picture without text")
        ),
    ),
)


def inspected(document: ParsedDocument, settings: ChunkSettings = DEFAULT) -> Inspected:
    (placement,) = place([ParsedSource("book.pdf", document)], None)
    return describe(
        document, placement, layout(document), chunk("d", document, "ru", settings), settings.limit
    )


def test_headings_drops_and_units_are_the_whole_text() -> None:
    found = inspected(DOCUMENT)
    text = found.document.text
    covered = [False] * len(text)
    for span in (*found.headings, *found.dropped, *found.units):
        assert not any(covered[span.start : span.end])
        covered[span.start : span.end] = [True] * (span.end - span.start)
    assert not "".join(c for c, seen in zip(text, covered, strict=True) if not seen).strip()
    assert all(unit.text == text[unit.start : unit.end] for unit in found.units)
    assert all(drop.text == text[drop.start : drop.end] for drop in found.dropped)


def test_headings_know_how_deep_they_stand_and_units_their_pages() -> None:
    found = inspected(DOCUMENT)
    assert [(h.title, h.level, h.depth) for h in found.headings] == [
        ("Часть первая", 3, 0),
        ("Глава I", 5, 1),
        ("Глава II", 5, 1),
    ]
    assert [unit.pages for unit in found.units] == [[1, 2], [2]]
    assert [(place.start, place.page) for place in found.units[0].places] == [(0, 1), (TURN, 2)]


def test_lines_name_all_that_a_person_asks_for() -> None:
    lines = "\n".join(document_lines(inspected(DOCUMENT)))
    for expected in (
        "Книга <о тегах>",
        "Глава II (p. 2)",
        "contents: a table of contents",
        "text units: 2",
        "warning: page 3",
    ):
        assert expected in lines


def test_lines_do_not_drown_in_drops() -> None:
    drops = tuple(
        Element("paragraph", str(n), drop=Drop("page_furniture", "a page number")) for n in range(40)
    )
    lines = list(document_lines(inspected(replace(DOCUMENT, elements=DOCUMENT.elements + drops))))
    assert sum("a page number" in line for line in lines) == 5
    assert any("35 more" in line for line in lines)


def test_the_page_shows_every_character_once_and_escapes_it() -> None:
    page = html.fromstring(document_page(inspected(DOCUMENT)))
    for bookkeeping in page.xpath("//*[@class='size' or @class='page']"):
        bookkeeping.drop_tree()
    shown = ["".join(node.itertext()).strip() for node in page.xpath("//main/h2 | //main/section")]
    assert shown == [element.text for element in DOCUMENT.elements]
    assert page.xpath("//nav/a[@href='#h1']/text()") == ["Глава I"]
    assert not page.xpath("//section//b")


def test_a_page_mark_stands_where_the_page_begins() -> None:
    unit = next(block for block in blocks(inspected(DOCUMENT)) if block.kind == "unit")
    assert [(s.page, s.text) for s in unit.stretches] == [(1, LINES[:TURN]), (2, LINES[TURN:])]


def test_an_overlap_is_shown_as_repeated() -> None:
    sentences = " ".join(f"Это предложение номер {n} говорит о разном." for n in range(40))
    document = replace(DOCUMENT, elements=(Element("paragraph", sentences),))
    found = inspected(document, ChunkSettings(limit=64, overlap=20))
    shown = "".join(stretch.text for block in blocks(found) for stretch in block.stretches)
    assert shown.replace(" ", "") == sentences.replace(" ", "")
    assert any(block.repeated for block in blocks(found))


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["inspect", "document", *arguments])


def test_the_command_gives_the_units_of_an_index(tmp_path: Path) -> None:
    result = run(str(SAMPLE), "--json")
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert {"document", "headings", "dropped", "units"} == set(found)
    assert [heading["title"] for heading in found["headings"]] == [
        "I",
        "II",
        "III",
        "IV",
        "V",
        "VI",
        "ЗАКЛЮЧЕНИЕ",
    ]
    text = found["document"]["text"]
    assert all(unit["text"] == text[unit["start"] : unit["end"]] for unit in found["units"])
    assert "<section" in run(str(SAMPLE), "--html").stdout


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [("old.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" * 9, "old binary format"), ("void.txt", b"", "empty")],
)
def test_a_file_that_cannot_be_read_says_why(tmp_path: Path, name: str, content: bytes, says: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    result = run(str(path), "--json")
    assert (result.exit_code, result.stdout) == (1, "")
    error = json.loads(result.stderr)["error"]
    assert error["code"] == "unreadable_document"
    assert says in error["message"]


def test_a_wrong_request_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Один.")
    (tmp_path / "b.txt").write_text("Два.")
    for arguments, says in (
        ((str(tmp_path),), "2 files"),
        ((str(tmp_path / "none.txt"),), "none.txt"),
        ((str(SAMPLE), "--html", "--json"), "choose one"),
    ):
        result = run(*arguments)
        assert result.exit_code == 2, result.output
        assert says in result.stderr
        assert "Traceback" not in result.stderr


def test_an_engine_that_is_not_installed_is_a_wrong_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("TGRAG_PARSE__OCR", "tesseract")
    result = run(str(SAMPLE))
    assert result.exit_code == 2, result.output
    assert "there is no such program" in result.stderr
