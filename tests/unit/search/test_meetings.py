import pytest

from tgrag.search.hints import find_hints, unit_bonus
from tgrag.search.horizon import resolve_as_of
from tgrag.search.requests import AsOf
from tgrag.search.view import View


@pytest.fixture(scope="module")
def view(snapshot):
    return View(snapshot, resolve_as_of(snapshot, None, []))


def meetings(question, view):
    return [(h.kind, h.ordinal, h.text) for h in find_hints(question, view) if h.ordinal is not None]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Что делала Марфа до встречи с Одинцовым?", ("before", 4, "до встречи с Одинцовым")),
        (
            "Как жила Марфа, прежде чем она встретила Одинцова?",
            ("before", 4, "прежде чем она встретила Одинцова"),
        ),
        ("Что было после знакомства Марфы и Одинцова?", ("after", 4, "после знакомства Марфы и Одинцова")),
        ("What did Никита do until he met Гаврила?", ("before", 6, "until he met Гаврила")),
        ("Що робив Никита після зустрічі з Марфа?", ("after", 1, "після зустрічі з Марфа")),
    ],
)
def test_a_meeting_is_a_limit(view, question, expected):
    assert meetings(question, view) == [expected]


@pytest.mark.parametrize(
    "question",
    [
        "Что делала Марфа до встречи?",  # with whom?
        "Кто встретил Марфу до шторма?",
        "Что было до встречи Марфы и Наполеона?",
        "До чего дошла Марфа?",
    ],
)
def test_what_names_no_two_who_meet_is_no_limit(view, question):
    assert meetings(question, view) == []


def test_a_meeting_after_the_horizon_is_no_hint(snapshot):
    early = View(snapshot, resolve_as_of(snapshot, AsOf(series="lighthouse", ordinal=3), []))
    assert meetings("Что делала Марфа до встречи с Одинцовым?", early) == []


@pytest.mark.parametrize(("side", "expected"), [("до", range(4)), ("после", range(4, 12))])
def test_what_lies_on_its_side_is_raised_in_all_books_of_the_series(view, side, expected):
    hints = find_hints(f"Что делала Марфа {side} встречи с Одинцовым?", view)
    raised = view.text_units(unit_bonus(hints, view).nonzero()[0].tolist())
    assert {unit.series_id for unit in raised} == {"lighthouse"}
    assert [unit.ordinal for unit in raised] == [o for o in expected if o <= raised[-1].ordinal]
    assert (raised[-1].book_number > 1) == (side == "после")
