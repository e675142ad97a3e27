import pytest
from pydantic import ValidationError

from tests.unit.search.graphs import BOOKS, BookText, library
from tgrag.errors import AmbiguousAsOf, InvalidRequest, TgragError, UnknownBook, UnknownChapter
from tgrag.records import NEVER
from tgrag.search.horizon import period_end, resolve_as_of
from tgrag.search.requests import AsOf


def limit(snapshot, as_of, books=()):
    """The last visible ordinal of the lighthouse series."""
    horizon = resolve_as_of(snapshot, AsOf.model_validate(as_of), list(books))
    return horizon.last["lighthouse"]


LIGHTHOUSE = {"series": "lighthouse", "book": 1}


@pytest.mark.parametrize(
    ("as_of", "expected"),
    [
        ({**LIGHTHOUSE, "chapter": "1.1"}, 2),
        ({**LIGHTHOUSE, "chapter": "1.2"}, 4),
        ({**LIGHTHOUSE, "chapter": "Часть первая"}, 4),
        ({**LIGHTHOUSE, "chapter": "часть 2"}, 8),
        ({**LIGHTHOUSE, "chapter": "Part Two"}, 8),
        ({**LIGHTHOUSE, "chapter": "тайна старого ключа"}, 7),
        ({**LIGHTHOUSE, "chapter": "Глава 2. Шторм"}, 4),
        ({**LIGHTHOUSE, "chapter": "Часть вторая / Глава 1. Тайна старого ключа"}, 7),
        ({**LIGHTHOUSE, "chapter": "0"}, 0),
        ({"series": "Серия lighthouse", "book": 2, "chapter": "II"}, 11),
        ({"book": "Рижский гость", "chapter": 1}, 10),
        ({"book": "Рижский гость", "chapter": "глава первая"}, 10),
        ({"book": "маяк НА скале"}, 8),
        ({"series": "lighthouse", "book": 1}, 8),
        ({"series": "lighthouse", "book": "2"}, 11),
        ({"series": "lighthouse", "ordinal": 5}, 5),
        ({"series": "lighthouse", "ordinal": 500}, 500),
        ({"date": "1851"}, 8),
        ({"date": "1852-05-30"}, 8),
        ({"date": "1852-05-31"}, 11),
        ({"date": "1852-05"}, 11),
    ],
)
def test_as_of_is_inclusive_up_to_the_end_of_what_it_names(snapshot, as_of, expected):
    assert limit(snapshot, as_of) == expected


def test_one_series_is_bound_and_the_others_are_hidden_unless_named(snapshot):
    as_of = AsOf(series="lighthouse", ordinal=3)
    assert dict(resolve_as_of(snapshot, as_of, []).last) == {"lighthouse": 3}
    named = resolve_as_of(snapshot, as_of, ["Млин над річкою", "Маяк на скале"])
    assert dict(named.last) == {"lighthouse": 3, "mill": NEVER}
    assert named.books == {("mill", 1), ("lighthouse", 1)}


def test_books_of_one_series_bind_it(snapshot):
    assert limit(snapshot, {"ordinal": 3}, ["Маяк на скале"]) == 3
    assert limit(snapshot, {"chapter": "I"}, ["Рижский гость"]) == 10


def test_without_as_of_everything_is_visible(snapshot):
    horizon = resolve_as_of(snapshot, None, [])
    assert dict(horizon.last) == {"lighthouse": NEVER, "mill": NEVER}
    assert len(horizon.books) == 3


def test_a_series_or_document_title_names_its_books(snapshot):
    assert resolve_as_of(snapshot, None, ["серия Lighthouse"]).books == {("lighthouse", 1), ("lighthouse", 2)}


@pytest.mark.parametrize(
    ("as_of", "books", "error"),
    [
        ({"ordinal": 3}, [], AmbiguousAsOf),
        ({"ordinal": 3}, ["Маяк на скале", "Млин над річкою"], AmbiguousAsOf),
        ({"series": "lighthouse", "chapter": "III"}, [], UnknownChapter),
        ({"series": "lighthouse", "chapter": ""}, [], UnknownChapter),
        ({"series": "lighthouse", "chapter": "Пропавшая глава"}, [], UnknownChapter),
        ({"series": "lighthouse", "chapter": 7}, [], UnknownChapter),
        ({"series": "lighthouse", "book": 1, "chapter": "1"}, [], AmbiguousAsOf),  # in both parts
        ({"series": "lighthouse", "chapter": 2}, [], AmbiguousAsOf),
        ({"series": "lighthouse", "chapter": -1}, [], UnknownChapter),
        ({"series": "lighthouse", "chapter": 0}, [], UnknownChapter),
        ({"series": "lighthouse", "chapter": 10**30}, [], UnknownChapter),
        ({"series": "lighthouse", "chapter": "²"}, [], UnknownChapter),
        ({"series": "lighthouse", "book": "²"}, [], UnknownBook),
        ({"series": "lighthouse", "chapter": "9" * 500}, [], UnknownChapter),
        ({"series": "lighthouse", "book": 3}, [], UnknownBook),
        ({"series": "harbour", "ordinal": 3}, [], UnknownBook),
        ({"book": "Пропавшая книга"}, [], UnknownBook),
        (None, ["Пропавшая книга"], UnknownBook),
        (None, [""], UnknownBook),
        ({"series": "lighthouse", "ordinal": 3}, ["Рижский гость"], UnknownBook),
        ({"date": "1851-02-30"}, [], InvalidRequest),
        ({"series": "lighthouse", "ordinal": 3, "date": "1850"}, [], InvalidRequest),
    ],
)
def test_what_cannot_be_resolved_is_refused_without_naming_anything_of_the_index(
    snapshot, as_of, books, error
):
    with pytest.raises(error) as caught:
        resolve_as_of(snapshot, None if as_of is None else AsOf.model_validate(as_of), books)
    own_words = {str(value).lower() for value in [*(as_of or {}).values(), *books]}
    titles = [book.title for book in snapshot.books] + [c.title for c in snapshot.chapters if c.title]
    assert isinstance(caught.value, TgragError)
    for title in titles:
        assert title.lower() in own_words or len(title) < 3 or title not in caught.value.message


def test_a_bare_value_is_a_chapter():
    assert AsOf.model_validate(5).chapter == 5
    assert AsOf.model_validate("III").chapter == "III"
    with pytest.raises(ValidationError):
        AsOf.model_validate({"series": "x"})


@pytest.mark.parametrize(
    "as_of",
    [
        True,
        2.5,
        [3],
        {"chapter": True},
        {"book": False},
        {"ordinal": True},
        {"ordinal": -1},
        {"ordinal": 2**63},
        {"chapter": "x" * 501},
        {"chapter": "\ud800"},
        {"date": "1852-13"},
        {"date": "1852-00"},
        {"date": "١٨٥٢"},
    ],
)
def test_what_is_no_point_in_time_is_refused_as_such(as_of):
    with pytest.raises(ValidationError):
        AsOf.model_validate(as_of)


def test_the_nth_chapter_counts_only_where_headings_have_no_numbers():
    titled = BookText("s", 1, "B", [((title,), ["Текст."]) for title in ("Утро", "День", "Вечер")])
    assert resolve_as_of(library([titled]), AsOf(chapter=2), []).last["s"] == 1
    numbered = BookText("s", 1, "B", [((title,), ["Текст."]) for title in ("Пролог", "1", "2", "Эпилог")])
    assert resolve_as_of(library([numbered]), AsOf(chapter=2), []).last["s"] == 2
    with pytest.raises(UnknownChapter):
        resolve_as_of(library([numbered]), AsOf(chapter=4), [])


def test_dates_open_books_of_a_series_in_order_and_undated_ones_never():
    books = [
        BookText("s", 1, "A", [(("I",), ["Один."])], date="2001"),
        BookText("s", 2, "B", [(("I",), ["Два."])], date="2005"),
        BookText("s", 3, "C", [(("I",), ["Три."])], date="2003"),
        BookText("t", 1, "D", [(("I",), ["Ноль."])]),
    ]
    assert dict(resolve_as_of(library(books), AsOf(date="2004"), []).last) == {"s": 0}
    assert dict(resolve_as_of(library(books), AsOf(date="2005-12-31"), []).last) == {"s": 2}


def test_an_empty_collection_shows_nothing():
    assert dict(resolve_as_of(library([]), AsOf(ordinal=3), []).last) == {}


@pytest.mark.parametrize(
    ("date", "end"),
    [
        ("2020", "2020-12-31"),
        ("2020-02", "2020-02-29"),
        ("2020-02-10", "2020-02-10"),
        ("2021-02-29", None),
        ("", None),
    ],
)
def test_a_period_ends_on_its_last_day(date, end):
    assert period_end(date) == end


def test_chapters_sort_by_where_they_start():
    many = BookText("s", 1, "B", [((f"Глава {n}",), ["Текст."]) for n in range(1, 13)])
    chapters = library([many]).chapters_of("s")
    assert [c.title for c in chapters] == [f"Глава {n}" for n in range(1, 13)]
    outer = [c.chapter_id for c in library(BOOKS).chapters_of("lighthouse") if c.book.number == 1]
    assert outer == ["0", "1", "1.1", "1.2", "2", "2.1", "2.2"]
