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
