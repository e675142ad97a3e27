import re
from collections.abc import Callable

import pytest

from tests.unit.ingest.little_books import LINED, NUMBERED, Book, dense, spaced, unlined, wrapped
from tgrag.ingest.parse import parse
from tgrag.records import Element


def elements(text: str) -> tuple[Element, ...]:
    document = parse("book.txt", text.encode())
    assert document.status == "ok", document.reason
    return document.elements


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def found(text: str) -> list[list[str]]:
    return [words(e.text) for e in elements(text) if e.kind == "heading" and not e.drop]


@pytest.mark.parametrize("lay_out", [spaced, wrapped, dense], ids=lambda function: function.__name__)
@pytest.mark.parametrize("book", [*NUMBERED, *LINED], ids=lambda book: book.name)
def test_headings_of_little_books(book: Book, lay_out: Callable[[Book], str]) -> None:
    text = lay_out(book)
    assert found(text) == [words(title) for title in book.headings]
    assert words(" ".join(element.text for element in elements(text))) == words(text)


UNLINED = [book for book in (*NUMBERED, *LINED) if book.name in (
    "parts that begin their chapters anew", "frame of prologue and epilogue", "chapters the first", "novel in letters",
    "letters of a Russian novel", "cantos", "titles below and verse inside", "roman chapters", "contents first",
    "notes at the ends of chapters", "contents with pages last",
)]  # fmt: skip


@pytest.mark.parametrize("book", UNLINED, ids=lambda book: book.name)
def test_headings_of_books_in_one_line(book: Book) -> None:
    text = unlined(book)
    assert found(text) == [words(title) for title in book.headings]
    assert words(" ".join(element.text for element in elements(text))) == words(text)


def levels(text: str) -> list[int | None]:
    return [element.level for element in elements(text) if element.kind == "heading"]


def test_books_in_parts_and_parts_in_books_nest_as_the_text_shows() -> None:
    page = "Some text that goes on for a while. " * 20
    inner = f"{{}} I\n\n{page}\n\n{{}} II\n\n{page}\n\n"
    books_in_parts = "".join(f"PART {n}\n\n" + inner.format("BOOK", "BOOK") for n in ("ONE", "TWO"))
    parts_in_books = "".join(f"BOOK {n}\n\n" + inner.format("PART", "PART") for n in ("ONE", "TWO"))
    for text in (books_in_parts, parts_in_books):
        outer, first, second = levels(text)[:3]
        assert levels(text) == [outer, first, second] * 2
        assert outer is not None and first is not None and outer < first == second


def test_titles_above_sections_that_begin_anew_are_books_of_their_own() -> None:
    tales = next(book for book in LINED if book.name == "tales in sections")
    assert levels(spaced(tales)) == [0, 6, 6, 0, 0, 6, 6]
    parts = next(book for book in NUMBERED if book.name == "parts that begin their chapters anew")
    assert levels(spaced(parts)) == [3, 5, 5, 3, 5, 5, 3]


def test_scene_breaks_stay_in_the_text_as_paragraphs() -> None:
    book = next(book for book in LINED if book.name == "scene breaks and mentions")
    breaks = [element for element in elements(spaced(book)) if element.text in ("* * *", "***")]
    assert [(element.kind, element.drop) for element in breaks] == [("paragraph", None)] * 2
