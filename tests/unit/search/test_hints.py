import pytest
from hypothesis import given
from hypothesis import strategies as st

from tgrag.search.hints import CHAPTER_BONUS, find_hints, unit_bonus
from tgrag.search.horizon import Horizon, resolve_as_of
from tgrag.search.positions import span
from tgrag.search.requests import AsOf
from tgrag.search.view import View


@pytest.fixture(scope="module")
def view(snapshot):
    return View(snapshot, resolve_as_of(snapshot, None, []))


def places(question, view):
    return {(h.series, h.book_number, h.chapter_id) for h in find_hints(question, view)}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Что случилось в главе 2 первой части?", {("lighthouse", 1, "1.2")}),
        ("Что было во второй части?", {("lighthouse", 1, "2")}),
        ("Що зробив Тарас у третьому розділі?", {("mill", 1, "3")}),
        ("Кто бежал во второй главе «Рижского гостя»?", {("lighthouse", 2, None), ("lighthouse", 2, "2")}),
        ("Чем кончается Рижский гость?", {("lighthouse", 2, None)}),
        ("Что открылось в тайне старого ключа?", {("lighthouse", 1, "2.1")}),
        ("Что было до главы «Шторм»?", {("lighthouse", 1, "1.2")}),
        ("Когда начался шторм?", set()),
        ("Кто потерял ключ?", set()),
        ("Сколько глав в книге?", set()),
    ],
)
def test_places_that_a_question_names(view, question, expected):
    assert places(question, view) == expected


def test_a_chapter_after_the_horizon_is_no_hint(snapshot):
    early = View(snapshot, resolve_as_of(snapshot, AsOf(series="lighthouse", ordinal=2), []))
    assert places("Что открылось в главе «Тайна старого ключа»?", early) == set()
    assert places("Что было во второй части?", early) == set()


def test_a_hint_raises_the_units_under_it(view):
    bonus = unit_bonus(find_hints("Что было во второй части?", view), view)
    raised = view.text_units(bonus.nonzero()[0].tolist())
    assert [u.chapter_id for u in raised] == ["2.1", "2.1", "2.1", "2.2"]
    assert bonus.max() == CHAPTER_BONUS


def test_nothing_visible_gives_no_hints(snapshot):
    assert find_hints("Что было в первой главе?", View(snapshot, Horizon({}, frozenset()))) == []


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Каким стал Одинцов к концу «Рижского гостя»?", []),
        ("Каким стал Одинцов к концу романа «Рижский гость»?", [("lighthouse", 2, "end")]),
        ("Что было у Тараса в начале повести «Млин над річкою»?", [("mill", 1, "beginning")]),
        ("Хто купив «Млин над річкою» наприкінці?", [("mill", 1, "end")]),
        ("What has changed by the end of «Млин над річкою»?", []),
        ("What has changed in «Млин над річкою» by the end of the story?", [("mill", 1, "end")]),
        ("Кто к концу романа умирает?", []),  # of which of three books?
        ("Что было в конце концов с «Рижским гостем»?", []),
        ("Что было в начале зимы в «Рижском госте»?", []),
    ],
)
def test_beginnings_and_ends_that_a_question_names(view, question, expected):
    hints = find_hints(question, view)
    assert [(h.series, h.book_number, h.part) for h in hints if h.part] == expected


def test_the_end_of_the_only_book_is_that_of_what_is_read_of_it(snapshot):
    whole = View(snapshot, resolve_as_of(snapshot, AsOf(series="mill", ordinal=2), []))
    half = View(snapshot, resolve_as_of(snapshot, AsOf(series="mill", ordinal=1), []))
    for view, last in ((whole, 2), (half, 1)):
        hints = find_hints("Що сталося наприкінці?", view)
        assert [hint.label for hint in hints] == ["Млин над річкою, наприкінці"]
        raised = view.text_units(unit_bonus(hints, view).nonzero()[0].tolist())
        assert [unit.ordinal for unit in raised] == [last]


@given(st.integers(0, 1000), st.integers(0, 1000))
def test_a_beginning_and_an_end_lie_in_the_book(first, more):
    last = first + more
    start, until = span("beginning", first, last)
    since, end = span("end", first, last)
    assert start == first <= until <= last == end >= since >= first
    assert until - start == end - since
