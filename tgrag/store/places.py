"""The books and chapters of an index, read off its text units, in the order in which they start."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tgrag.records import Document, Language, TextUnit
from tgrag.store.tables import Rows

BookKey = tuple[str, int]  # series_id, book_number


@dataclass(frozen=True, slots=True)
class Book:
    """document_titles: of the files that hold it. last_ordinal: of its last text unit, inclusive."""

    series_id: str
    series_title: str
    number: int
    title: str
    document_titles: tuple[str, ...]
    language: Language
    first_ordinal: int
    last_ordinal: int

    @property
    def key(self) -> BookKey:
        return self.series_id, self.number


@dataclass(frozen=True, slots=True)
class Chapter:
    """A heading of a book, parts that only hold chapters included, and the text units under it.

    chapter_id, headings: its path («1.3»); «0» and no headings before the first one. last_ordinal: of its
    last text unit, inclusive. is_leaf: no heading lies under it.
    """

    book: Book
    chapter_id: str
    headings: tuple[str, ...]
    first_ordinal: int
    last_ordinal: int
    is_leaf: bool

    @property
    def title(self) -> str:
        return self.headings[-1] if self.headings else ""


def lies_under(chapter_id: str, outer: str) -> bool:
    """Tell whether a heading path is ``outer`` or lies under it (both of one book)."""
    return chapter_id == outer or chapter_id.startswith(outer + ".")


def books_of(units: Rows[TextUnit], documents: Rows[Document]) -> tuple[Book, ...]:
    """Return the books that have text, by (series, first ordinal)."""
    of_document = {row.document_id: row for row in documents.take(range(len(documents)))}
    found: dict[BookKey, dict[str, Any]] = {}
    names = ("series_id", "book_number", "book_title", "document_id", "language")
    for _, first, last, (series, number, title, document_id, language) in _runs(units, names):
        book = found.setdefault(
            (series, number), {"title": title, "language": language, "first": first, "documents": {}}
        )
        book["documents"][document_id] = of_document[document_id]
        book["last"] = last
    return tuple(
        Book(
            series_id=series,
            series_title=next(iter(book["documents"].values())).series_title,
            number=number,
            title=book["title"],
            document_titles=tuple(document.title for document in book["documents"].values()),
            language=book["language"],
            first_ordinal=book["first"],
            last_ordinal=book["last"],
        )
        for (series, number), book in found.items()
    )


def chapters_of(units: Rows[TextUnit], books: Sequence[Book]) -> tuple[Chapter, ...]:
    """Return every heading path of the text units, and every outer one, an outer one before its first inner one."""
    by_key: Mapping[BookKey, Book] = {book.key: book for book in books}
    spans: dict[tuple[BookKey, str], tuple[int, int]] = {}
    headings: dict[tuple[BookKey, str], tuple[str, ...]] = {}
    texts = units.nested("headings")
    names = ("series_id", "book_number", "chapter_id")
    for row, first, last, (series, number, chapter_id) in _runs(units, names):
        for depth, path in enumerate(_paths_to(chapter_id), start=1):
            place = ((series, number), path)
            if place not in spans:
                headings[place] = tuple(texts.of(row)[:depth])
            spans[place] = (spans.get(place, (first, last))[0], last)
    outer = {(book, path) for book, chapter_id in spans for path in _paths_to(chapter_id)[:-1]}
    return tuple(
        Chapter(by_key[place[0]], place[1], headings[place], *span, is_leaf=place not in outer)
        for place, span in spans.items()
    )


def _paths_to(chapter_id: str) -> list[str]:
    """Return the heading paths from the outermost one to this one: "1.2.1" gives "1", "1.2" and "1.2.1"."""
    steps = chapter_id.split(".")
    return [".".join(steps[: depth + 1]) for depth in range(len(steps))]


def _runs(units: Rows[TextUnit], names: Sequence[str]) -> Iterator[tuple[int, int, int, tuple[Any, ...]]]:
    """Yield the longest runs of rows that agree in some columns: first row, first and last ordinal, the values."""
    begins = units.runs(*names)
    ends = np.append(begins, len(units))[1:] - 1
    ordinals = units.column("ordinal")
    values = zip(*(units.table[name].take(begins).to_pylist() for name in names), strict=True)
    return zip(begins.tolist(), ordinals[begins].tolist(), ordinals[ends].tolist(), values, strict=True)
