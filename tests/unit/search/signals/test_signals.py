"""What speaks for a text unit besides its likeness to the question."""

import numpy as np
import pytest

from tests.unit.search.graphs import BookText, ToyEmbedder, library
from tgrag.search.fuse import Ranking, with_signals
from tgrag.search.horizon import resolve_as_of
from tgrag.search.requests import AsOf
from tgrag.search.signals.clauses import clause_search, clauses
from tgrag.search.signals.links import bridges, name_links, shared_names, title_links
from tgrag.search.signals.neighbours import with_neighbours
from tgrag.search.signals.second_step import second_step
from tgrag.search.units import in_front
from tgrag.search.view import View

BOOKS = [
    BookText("a", 1, "Маяк", [(("Глава 1",), ("Маяк построил Орлов.", "Орлов служил в городе Нарва."))]),
    BookText("b", 1, "Нарва", [((), ("Нарва стоит на реке.", "В крепости служил Зотов."))]),
    BookText("b", 2, "Крепость", [((), ("Крепость старая.", "Там Зотов писал письма."))]),
]


@pytest.fixture(scope="module")
def snapshot():
    return library(BOOKS)


@pytest.fixture(scope="module")
def view(snapshot):
    return View(snapshot, resolve_as_of(snapshot, None, []))


def row(view, text):
    units = view.text_units(np.flatnonzero(view.units).tolist())
    return int(np.flatnonzero(view.units)[[unit.text for unit in units].index(text)])


def test_a_title_named_in_a_first_hit_leads_to_its_units(view):
    first = view.text_units([row(view, "Орлов служил в городе Нарва.")])
    found = title_links(first, view)
    assert set(found.rows.tolist()) == {
        row(view, "Нарва стоит на реке."),
        row(view, "В крепости служил Зотов."),
    }


def test_a_title_that_is_a_word_of_the_text_and_no_name_leads_nowhere(view):
    first = view.text_units([row(view, "В крепости служил Зотов.")])
    assert row(view, "Крепость старая.") not in title_links(first, view).rows


def test_a_units_own_title_leads_nowhere(view):
    first = view.text_units([row(view, "Маяк построил Орлов.")])
    assert len(title_links(first, view)) == 0


def test_units_share_names_that_the_question_does_not_say(view):
    here, there = row(view, "В крепости служил Зотов."), row(view, "Там Зотов писал письма.")
    assert there in shared_names(name_links([here], [], view)).rows
    assert len(shared_names(name_links([here], [("зотов",), ("крепость",)], view))) == 0


def test_names_are_shared_by_units_of_different_series():
    elsewhere = BookText("c", 1, "Архив", [((), ("Бумаги хранит город Нарва.",))])
    snapshot = library([*BOOKS, elsewhere])
    view = View(snapshot, resolve_as_of(snapshot, None, []))
    here, there = row(view, "Орлов служил в городе Нарва."), row(view, "Бумаги хранит город Нарва.")
    assert there in shared_names(name_links([here], [], view)).rows


def test_a_bridge_leads_to_what_the_first_hit_does_not_say_of_the_question(view):
    here, there = row(view, "В крепости служил Зотов."), row(view, "Там Зотов писал письма.")
    links = name_links([here], [], view)
    found = bridges(links, {("письмо",): 1.0, ("служить",): 1.0}, view)
    assert found.rows.tolist() == [there]
    assert len(bridges(links, {("служить",): 1.0}, view)) == 0


def test_what_is_hidden_is_no_link(snapshot):
    view = View(snapshot, resolve_as_of(snapshot, AsOf(series="a", ordinal=1), []))
    here = row(view, "Орлов служил в городе Нарва.")
    assert len(title_links(view.text_units([here]), view)) == 0
    assert len(shared_names(name_links([here], [], view))) == 0


def test_the_second_step_finds_what_a_first_hit_speaks_of_and_embeds_once(view):
    calls = []

    def embed(texts):
        calls.append(texts)
        return list(ToyEmbedder().embed_queries(texts))

    first = view.text_units([row(view, "Орлов служил в городе Нарва."), row(view, "Маяк построил Орлов.")])
    found = second_step("Где это?", first, embed, view, 3)
    assert row(view, "Нарва стоит на реке.") in found.rows
    assert [len(texts) for texts in calls] == [2]
    assert all(text.startswith("Где это?") for text in calls[0])
    assert len(second_step("Где это?", [], embed, view, 3)) == 0


def test_neighbours_of_the_same_book_gain(view):
    ranking = Ranking(np.array([0, 5]), np.array([3.0, 1.0]))
    found = with_neighbours(ranking, view, [0.5]).as_dict()
    assert set(found) == {0, 1, 4, 5}
    assert found[1] == 1.0 + 0.5 * (3.0 + 1.0) / 2
    assert found[0] == 3.0 + 0.5 * 1.0
    assert with_neighbours(ranking, view, [0.0]) is ranking


def test_units_further_away_gain_less(view):
    ranking = Ranking(np.array([2, 5]), np.array([3.0, 1.0]))
    found = with_neighbours(ranking, view, [0.5, 0.25]).as_dict()
    assert found[3] == 1.0 + 0.5 * (3.0 + 1.0) / 2 + 0.25 * 1.0
    assert found[4] == 1.0 + 0.5 * (1.0 + 1.0) / 2 + 0.25 * 1.0, "another book"


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (
            "За что старый граф выгнал учителя, чьи уроки пригодились сыну?",
            ["За что старый граф выгнал учителя", "чьи уроки пригодились сыну"],
        ),
        (
            "Що сталося з фортецею вночі, а хто врятував коменданта?",
            ["Що сталося з фортецею вночі", "хто врятував коменданта"],
        ),
        (
            "Who built the lighthouse and who painted the tower?",
            ["Who built the lighthouse", "who painted the tower"],
        ),
        ("Who built the old lighthouse, then?", []),
        ("Does it hold 10,000 barrels of oil?", []),
    ],
)
def test_clauses_of_a_question(question, expected):
    assert clauses(question, ["en", "ru", "uk"]) == expected


def test_each_clause_is_searched_for_and_they_are_embedded_at_once(view):
    calls = []

    def embed(texts):
        calls.append(texts)
        return list(ToyEmbedder().embed_queries(texts))

    asked = ["Нарва стоит на реке", "Зотов писал письма"]
    found = clause_search(asked, embed, view, 3)
    assert calls == [asked]
    both = {row(view, "Нарва стоит на реке."), row(view, "Там Зотов писал письма.")}
    assert set(found.rows[:2].tolist()) == both
    assert found.scores[:2].tolist() == [1.0, 1.0]


def test_a_signal_raises_its_rows_and_lets_new_ones_in():
    base = Ranking(np.array([0, 1, 2]), np.array([2.0, 1.0, 0.5]))
    signal = Ranking(np.array([2, 7]), np.array([1.0, 0.5]))
    found = with_signals(base, [(signal, 0.4)], 50).as_dict()
    assert found[2] - found[1] > -0.5
    assert found[2] > found[7] > found[1]
    assert found[0] - found[1] == pytest.approx(1.0)
    assert with_signals(base, [], 50).as_dict() == base.as_dict()


def test_the_first_rows_stay_in_front():
    base = Ranking(np.array([4, 2, 9]), np.array([3.0, 2.0, 1.0]))
    other = Ranking(np.array([9, 2, 5, 4]), np.array([8.0, 7.0, 6.0, 5.0]))
    found = in_front(base, other, 2)
    assert found.rows.tolist() == [4, 2, 9, 5]
    assert found.scores.tolist() == sorted(found.scores.tolist(), reverse=True)
    assert in_front(base, other, 0).rows.tolist() == other.rows.tolist()
