"""The titles of books and chapters, and the text units that stand under each."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import cast

import numpy as np
from numpy.typing import NDArray

from tgrag.language import lemmas
from tgrag.records import Language, TextUnit
from tgrag.search.numbers import read_heading
from tgrag.store.places import Book, Chapter
from tgrag.store.tables import Rows

TitleKey = tuple[str, ...]  # a title as lemmas

_BRACKETS = re.compile(r"\s*\([^()]*\)")  # "Lilli's Marriage (1919 film)"


@lru_cache(maxsize=4096)
def title_keys(book: str, headings: tuple[str, ...], language: Language) -> frozenset[TitleKey]:
    """Return the titles that a text unit stands under: without «Chapter 5» before and brackets behind."""
    titles = (_BRACKETS.sub("", read_heading(title).title) for title in (book, *headings))
    return frozenset(key for title in titles if (key := tuple(lemmas(title, language))))


class Titles:
    """The titles of books and chapters, as lemmas, and the text units under each; read when first asked for."""

    def __init__(self, units: Rows[TextUnit]) -> None:
        self._units = units

    @cached_property
    def rows(self) -> dict[TitleKey, NDArray[np.int64]]:
        """For each title the rows of the text units under it, ascending."""
        by_place: dict[tuple[str, tuple[str, ...], str], list[int]] = {}
        table = self._units.table
        columns = (table[name].to_pylist() for name in ("book_title", "headings", "language"))
        for row, (book, headings, language) in enumerate(zip(*columns, strict=True)):
            by_place.setdefault((book, tuple(headings), language), []).append(row)
        found: dict[TitleKey, set[int]] = {}
        for (book, headings, language), rows in by_place.items():
            for key in title_keys(book, headings, cast(Language, language)):
                found.setdefault(key, set()).update(rows)
        return {key: np.array(sorted(rows), dtype=np.int64) for key, rows in found.items()}

    @cached_property
    def longest(self) -> dict[str, int]:
        """For each first lemma of a title the number of words in the longest title that begins with it."""
        lengths: dict[str, int] = {}
        for key in self.rows:
            lengths[key[0]] = max(lengths.get(key[0], 0), len(key))
        return lengths


class PlaceTitles:
    """The books and chapters of a version by the first lemma of their titles; read when first asked for."""

    def __init__(self, books: Sequence[Book], chapters: Sequence[Chapter]) -> None:
        self._given = books, chapters

    def books(self, firsts: Mapping[Language, Iterable[str]]) -> list[Book]:
        """Return the books whose title begins with one of the lemmas of their language, in their order."""
        books, _ = self._given
        return [books[place] for place in _begun_by(self._by_first[0], firsts)]

    def chapters(self, firsts: Mapping[Language, Iterable[str]]) -> list[Chapter]:
        """Return the chapters whose title, without its number, begins with one of the lemmas, in their order."""
        _, chapters = self._given
        return [chapters[place] for place in _begun_by(self._by_first[1], firsts)]

    @cached_property
    def _by_first(self) -> tuple["_Firsts", "_Firsts"]:
        books, chapters = self._given
        return (
            _firsts((book.title, book.language) for book in books),
            _firsts((read_heading(chapter.title).title, chapter.book.language) for chapter in chapters),
        )


_Firsts = dict[tuple[Language, str], list[int]]


def _firsts(titles: Iterable[tuple[str, Language]]) -> _Firsts:
    found: _Firsts = {}
    for place, (title, language) in enumerate(titles):
        for first in lemmas(title, language)[:1]:
            found.setdefault((language, first), []).append(place)
    return found


def _begun_by(by_first: _Firsts, firsts: Mapping[Language, Iterable[str]]) -> list[int]:
    keys = {(language, lemma) for language, asked in firsts.items() for lemma in asked}
    return sorted(place for key in keys for place in by_first.get(key, ()))
