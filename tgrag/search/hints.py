"""Places that a question names: «в первой главе», «у другій частині», "by the end", "before he met her", a title of this
index.

A hint is soft: it raises what stands there and hides nothing.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from tgrag.language import lemmas, words
from tgrag.records import Language
from tgrag.search.labels import label
from tgrag.search.meetings import Meeting, named_meetings
from tgrag.search.numbers import Kind, numbered_places, read_heading
from tgrag.search.positions import Part, named_parts, span
from tgrag.search.requests import Hint
from tgrag.search.terms import is_stop_word
from tgrag.search.view import Scores, View
from tgrag.store.lexical import Mask
from tgrag.store.places import Book, BookKey, Chapter, lies_under

# In the units of a fused score, where the best of a clear ranking has 1 to 3.
CHAPTER_BONUS = 1.0
BOOK_BONUS = 0.5

_QUOTED = re.compile(r"«([^»]+)»|“([^”]+)”|„([^“]+)“|\"([^\"]+)\"")


def find_hints(question: str, view: View) -> list[Hint]:
    """Return the visible books and chapters that the question names, each once.

    A chapter number counts inside the part and the book that are named as well, where it occurs there; a beginning or
    an end is that of the books named, or of the only one.
    """
    books = {book.key: _book_hint(text, book) for text, book in _named_books(question, view)}
    numbered = _preferring(_numbered_chapters(question, view), lambda found: found.chapter.book.key in books)
    outer = [found for found in numbered if found.kind != "chapter"]
    inner = [found for found in numbered if found.kind == "chapter"]
    inner = _preferring(inner, lambda found: any(_lies_in(found.chapter, part.chapter) for part in outer))
    places = [*(inner or outer), *_titled_chapters(question, view)]
    named = {(p.chapter.book.key, p.chapter.chapter_id): _chapter_hint(p.text, p.chapter) for p in places}
    spoken_of = [view.books[key] for key in books] or list(view.books.values())[: len(view.books) == 1]
    parts = [_part_hint(text, book, part) for part, text in named_parts(question) for book in spoken_of]
    meetings = [_meeting_hint(meeting, view) for meeting in named_meetings(question, view)]
    return [*books.values(), *named.values(), *parts, *meetings]


def unit_bonus(hints: Iterable[Hint], view: View) -> Scores:
    """Return what each text unit gains from the hints."""
    spans = [(hint, view.units_between(*span)) for hint in hints for span in _spans(hint, view)]
    return _bonus(spans, len(view.units))


def state_bonus(hints: Iterable[Hint], view: View) -> Scores:
    """Return what each entity state gains from the hints."""
    spans = [(hint, view.states_between(*span)) for hint in hints for span in _spans(hint, view)]
    return _bonus(spans, len(view.states))


def _bonus(hinted: Iterable[tuple[Hint, Mask]], n_rows: int) -> Scores:
    bonus = np.zeros(n_rows)
    for hint, mask in hinted:
        np.maximum(bonus, mask * (BOOK_BONUS if hint.kind == "book" else CHAPTER_BONUS), out=bonus)
    return bonus


def _spans(hint: Hint, view: View) -> list[tuple[BookKey, int, int]]:
    """Return the books that a hint means, and of each the first and the last ordinal."""
    key = hint.series, hint.book_number
    if hint.ordinal is not None:
        of_series = [book for book in view.books.values() if book.series_id == hint.series]
        if hint.kind == "before":
            return [(book.key, book.first_ordinal, hint.ordinal - 1) for book in of_series]
        return [(book.key, hint.ordinal, book.last_ordinal) for book in of_series]
    if hint.part is not None:
        return [(key, *span(hint.part, view.books[key].first_ordinal, view.books[key].last_ordinal))]
    if hint.chapter_id is None:
        return [(key, view.books[key].first_ordinal, view.books[key].last_ordinal)]
    chapter = next(c for c in view.chapters if c.book.key == key and c.chapter_id == hint.chapter_id)
    return [(key, chapter.first_ordinal, chapter.last_ordinal)]


# --- by number ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Place:
    """A heading that the question names, and the words with which it does."""

    kind: Kind
    text: str
    chapter: Chapter


def _numbered(question: str) -> list[tuple[Kind, int, str]]:
    """Return kind, number and words of every «chapter five» in the question."""
    tokens = words(question)
    return [
        (kind, number, " ".join(tokens[span.start : span.stop]))
        for kind, number, span in numbered_places(tokens)
    ]


def _numbered_chapters(question: str, view: View) -> list[_Place]:
    return [
        _Place(kind, text, chapter)
        for kind, number, text in _numbered(question)
        for chapter in view.chapters
        if (heading := read_heading(chapter.title)).number == number
        and (heading.kind == kind or (heading.kind is None and kind == "chapter"))
    ]


def _preferring(places: list[_Place], accepted: Callable[[_Place], bool]) -> list[_Place]:
    return [place for place in places if accepted(place)] or places


def _lies_in(chapter: Chapter, outer: Chapter) -> bool:
    return chapter.book == outer.book and lies_under(chapter.chapter_id, outer.chapter_id)


# --- by title -----------------------------------------------------------------------------------------


def _named_books(question: str, view: View) -> list[tuple[str, Book]]:
    books = view.books.values()
    n_books = Counter(book.series_id for book in books)
    numbered = [
        (text, book)
        for kind, number, text in _numbered(question)
        for book in books
        if kind == "book" and number == book.number and n_books[book.series_id] > 1
    ]
    candidates = view.books_titled(_words_of(question, view))
    titled = [(book.title, book) for book in candidates if _is_named(book.title, book.language, question, 1)]
    return numbered + titled


def _titled_chapters(question: str, view: View) -> list[_Place]:
    candidates = view.chapters_titled(_words_of(question, view))
    titles = [(read_heading(chapter.title).title, chapter) for chapter in candidates]
    return [
        _Place("chapter", title, c) for title, c in titles if _is_named(title, c.book.language, question, 2)
    ]


def _words_of(question: str, view: View) -> dict[Language, tuple[str, ...]]:
    """Return the lemmas of the question in each language of the text: a title that it names begins with one."""
    return {language: _lemmas(question, language) for language in view.languages}


def _is_named(title: str, language: Language, question: str, min_content_words: int) -> bool:
    """Tell whether the question holds a title in any inflection, as long as that or in quotation marks.

    A title of one word has to be written as a name.
    """
    sought, n_content_words = _read_title(title, language)
    if any(_lemmas(quoted, language) == sought for quoted in _quoted(question)):
        return bool(sought)
    if n_content_words < min_content_words:
        return False
    place = _place(_lemmas(question, language), sought)
    return place is not None and (len(sought) > 1 or words(question)[place][0].isupper())


@lru_cache(maxsize=20_000)
def _read_title(title: str, language: Language) -> tuple[tuple[str, ...], int]:
    """Return the lemmas of a title and how many of its words have a meaning of their own."""
    return tuple(lemmas(title, language)), sum(not is_stop_word(word) for word in words(title))


@lru_cache(maxsize=100)
def _lemmas(text: str, language: Language) -> tuple[str, ...]:
    return tuple(lemmas(text, language))


@lru_cache(maxsize=100)
def _quoted(question: str) -> tuple[str, ...]:
    return tuple("".join(groups) for groups in _QUOTED.findall(question))


def _place(tokens: tuple[str, ...], sought: tuple[str, ...]) -> int | None:
    """Return where ``sought`` begins in ``tokens``, or None."""
    starts = range(len(tokens) - len(sought) + 1) if sought and sought[0] in tokens else ()
    return next((start for start in starts if tokens[start : start + len(sought)] == sought), None)


def _book_hint(text: str, book: Book) -> Hint:
    return Hint(
        text=text,
        kind="book",
        series=book.series_id,
        book_number=book.number,
        chapter_id=None,
        label=label(book.title, ()),
    )


def _chapter_hint(text: str, chapter: Chapter) -> Hint:
    return Hint(
        text=text,
        kind="chapter",
        series=chapter.book.series_id,
        book_number=chapter.book.number,
        chapter_id=chapter.chapter_id,
        label=label(chapter.book.title, chapter.headings),
    )


def _part_hint(text: str, book: Book, part: Part) -> Hint:
    return Hint(
        text=text,
        kind="part",
        series=book.series_id,
        book_number=book.number,
        chapter_id=None,
        label=label(book.title, (text,)),
        part=part,
    )


def _meeting_hint(meeting: Meeting, view: View) -> Hint:
    (unit,) = view.text_units([meeting.unit])
    return Hint(
        text=meeting.text,
        kind=meeting.side,
        series=unit.series_id,
        book_number=unit.book_number,
        chapter_id=unit.chapter_id,
        label=label(unit.book_title, unit.headings),
        ordinal=unit.ordinal,
    )
