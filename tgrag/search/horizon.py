"""From ``as_of`` and ``books`` to what may be seen.

The only code besides the view that reads a whole snapshot. What it says when it refuses repeats the caller's
own words and names nothing of the index: a title may lie after the limit.
"""

import calendar
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from tgrag.errors import AmbiguousAsOf, InvalidRequest, UnknownBook, UnknownChapter
from tgrag.language import fold, words
from tgrag.records import NEVER
from tgrag.search.numbers import Kind, read_heading
from tgrag.search.requests import AsOf
from tgrag.store.places import Book, BookKey, Chapter
from tgrag.store.snapshot import Snapshot

Place = TypeVar("Place", Book, Chapter)

_CHAPTER_ID = re.compile(r"\d+(\.\d+)+")


@dataclass(frozen=True, slots=True)
class Horizon:
    """last: for each visible series its last visible ordinal. books: those that may be seen, up to there."""

    last: Mapping[str, int]
    books: frozenset[BookKey]

    def __hash__(self) -> int:
        return hash((frozenset(self.last.items()), self.books))

    def of(self, book: Book) -> int:
        """Return the last visible ordinal for a book, -1 when nothing of it may be seen."""
        return self.last.get(book.series_id, -1) if book.key in self.books else -1


def resolve_as_of(snapshot: Snapshot, as_of: AsOf | None, books: Sequence[str]) -> Horizon:
    """Return what a request with this ``as_of`` and these ``books`` may see.

    Raises UnknownBook, UnknownChapter, AmbiguousAsOf or InvalidRequest.
    """
    named = {name: _books_called(snapshot.books, name) for name in books}
    wanted = frozenset(book.key for found in named.values() for book in found)
    last = {book.series_id: NEVER for book in snapshot.books}
    if as_of is not None and last:
        last = _limits(snapshot, as_of, wanted)
    for name, found in named.items():
        if all(book.first_ordinal > last.get(book.series_id, -1) for book in found):
            raise UnknownBook(f"no book, document or series called «{name}» is known here")
    return Horizon(last, wanted if books else frozenset(book.key for book in snapshot.books))


def title_key(title: str) -> str:
    """Return the form in which titles are compared: words only, case and ё folded."""
    return " ".join(words(fold(title)))


def _limits(snapshot: Snapshot, as_of: AsOf, wanted: frozenset[BookKey]) -> dict[str, int]:
    is_place = as_of.chapter is not None or as_of.book is not None
    if is_place + (as_of.ordinal is not None) + (as_of.date is not None) > 1:
        raise InvalidRequest("as_of takes one of: chapter (with or without book), book, ordinal, date")
    elsewhere = {series for series, _ in wanted}
    if as_of.date is not None:
        last = _dated_by(snapshot, as_of.date)
        if as_of.series is not None:
            bound = _series_bound(snapshot.books, as_of, wanted)
            last = {series: limit for series, limit in last.items() if series in {bound, *elsewhere}}
        return last
    bound = _series_bound(snapshot.books, as_of, wanted)
    others = {series: NEVER for series in elsewhere if series != bound}
    if as_of.ordinal is not None:
        return {**others, bound: as_of.ordinal}
    books = [book for book in snapshot.books if book.series_id == bound]
    if as_of.book is not None:
        books = _books_meant(books, as_of.book)
    if as_of.chapter is None:
        return {**others, bound: _only(books, "book", as_of.book).last_ordinal}
    chapters = _chapters_meant([c for c in snapshot.chapters if c.book in books], as_of.chapter)
    if len(chapters) > 1:
        chapters = [c for c in chapters if c.book.key in wanted] or chapters
    return {**others, bound: _only(chapters, "chapter", as_of.chapter).last_ordinal}


# --- series and books ---------------------------------------------------------------------------------


def _series_bound(books: Sequence[Book], as_of: AsOf, wanted: frozenset[BookKey]) -> str:
    candidates = {book.series_id for book in books}
    if as_of.series is not None:
        key = title_key(as_of.series)
        candidates = {
            b.series_id for b in books if as_of.series == b.series_id or key == title_key(b.series_title)
        }
        if not candidates:
            raise UnknownBook(f"as_of: no series called «{as_of.series}» is known here")
    elif len(candidates) > 1 and isinstance(as_of.book, str) and not as_of.book.isdecimal():
        candidates = {book.series_id for book in _books_meant(books, as_of.book)}
    if len(candidates) > 1:
        candidates = candidates & {series for series, _ in wanted} or candidates
    if len(candidates) > 1:
        raise AmbiguousAsOf(
            "as_of fits several series of the collection; say which: as_of.series, the title of a book in "
            "as_of.book, or books of one series in books"
        )
    return candidates.pop()


def _books_called(books: Iterable[Book], name: str) -> list[Book]:
    key = title_key(name)
    if not key:
        return []
    return [
        book
        for book in books
        if key in {title_key(title) for title in (book.title, *book.document_titles, book.series_title)}
        or key == title_key(read_heading(book.title).title)
        or name == book.series_id
    ]


def _books_meant(books: Sequence[Book], wanted: int | str) -> list[Book]:
    """Return the books that a number, a title or «Book Two» means; its own title counts more than its series'."""
    if isinstance(wanted, str) and not wanted.isdecimal():
        key = title_key(wanted)
        found = [book for book in books if key and key == title_key(book.title)] or _books_called(
            books, wanted
        )
        number = read_heading(wanted).number
        if not found and number is not None:
            found = [book for book in books if number in (book.number, read_heading(book.title).number)]
    else:
        found = [book for book in books if book.number == int(wanted)]
    if not found:
        raise UnknownBook(f"as_of: no book «{wanted}» is known here")
    return found


# --- chapters -----------------------------------------------------------------------------------------


def _chapters_meant(chapters: Sequence[Chapter], wanted: int | str) -> list[Chapter]:
    found: list[Chapter] = []
    if isinstance(wanted, int) or wanted.isdecimal():
        found = _by_number(chapters, int(wanted), None) or [c for c in chapters if c.chapter_id == wanted]
    elif _CHAPTER_ID.fullmatch(wanted):
        found = [c for c in chapters if c.chapter_id == wanted]
    elif title_key(wanted):
        heading = read_heading(wanted)
        found = _by_title(chapters, title_key(wanted))
        if not found and heading.number is not None:
            found = _by_number(chapters, heading.number, heading.kind)
    if not found:
        raise UnknownChapter(f"as_of: no chapter «{wanted}» is known here")
    return found


def _by_title(chapters: Sequence[Chapter], key: str) -> list[Chapter]:
    """Return the chapters with this heading, else with this whole path, else with this title after the number."""
    return (
        [c for c in chapters if title_key(c.title) == key]
        or [c for c in chapters if title_key(" ".join(c.headings)) == key]
        or [c for c in chapters if title_key(read_heading(c.title).title) == key]
    )


def _by_number(chapters: Sequence[Chapter], number: int, kind: Kind | None) -> list[Chapter]:
    """Return the chapters whose heading has this number, else, where headings are not numbered, the n-th ones."""
    numbered = [(read_heading(c.title), c) for c in chapters]
    found = [(heading.kind, c) for heading, c in numbered if heading.number == number]
    order: tuple[Kind | None, ...] = (
        ("chapter", None) if kind == "chapter" else ("chapter", None, "part", "book")
    )
    for accepted in (kind,) if kind in ("part", "book") else order:
        of_kind = [c for its_kind, c in found if its_kind == accepted]
        if of_kind:
            return of_kind
    if kind in ("part", "book"):
        return []
    return [c for book in dict.fromkeys(c.book for c in chapters) for c in _nth(chapters, book, number)]


def _nth(chapters: Sequence[Chapter], book: Book, number: int) -> list[Chapter]:
    leaves = [c for c in chapters if c.book == book and c.is_leaf and c.headings]
    n_numbered = sum(read_heading(c.title).number is not None for c in leaves)
    if 2 * n_numbered >= max(1, len(leaves)) or number < 1:
        return []
    return leaves[number - 1 : number]


def _only(found: Sequence[Place], what: str, wanted: object) -> Place:
    if len(found) == 1:
        return found[0]
    raise AmbiguousAsOf(
        f"as_of: {what} «{wanted}» fits several; be more precise: give the book as well (number or title), "
        'or the chapter\'s id, such as "1.5"'
    )


# --- dates --------------------------------------------------------------------------------------------


def _dated_by(snapshot: Snapshot, date: str) -> dict[str, int]:
    """Return for each series the last ordinal before its first text that is undated or dated later."""
    limit = period_end(date)
    if limit is None:
        raise InvalidRequest(f"as_of.date «{date}» is not a date")
    units = snapshot.text_units
    ends = {written: period_end(written or "") for written in set(units.column("date").tolist())}
    last: dict[str, int] = {}
    closed: set[str] = set()
    columns = (units.column(name).tolist() for name in ("series_id", "ordinal", "date"))
    for series, ordinal, written in zip(*columns, strict=True):
        end = ends[written]
        if end is None or end > limit:
            closed.add(series)
        if series not in closed:
            last[series] = ordinal
    return last


def period_end(date: str) -> str | None:
    """Return the last day of a year, month or day in ISO 8601, as a full date; None when it is not one."""
    try:
        year, month, day = [*map(int, date.split("-")), 0, 0][:3]
        month = month or 12
        last_day = calendar.monthrange(year, month)[1]
    except ValueError:
        return None
    return f"{year:04}-{month:02}-{day or last_day:02}" if day <= last_day else None
