import numpy as np
import pytest

from tests.unit.search.graphs import BookText, ToyEmbedder, ToyTokenizer, library
from tgrag.search.development import asks_change, states_over_time, subjects, with_stages
from tgrag.search.engine import Engine
from tgrag.search.fuse import Ranking
from tgrag.search.horizon import resolve_as_of
from tgrag.search.question import read_question
from tgrag.search.requests import AsOf, QueryRequest
from tgrag.search.view import View
from tgrag.settings import SearchSettings

BOOK = BookText(
    "s", 1, "Порт", [((f"Глава {n}",), (f"В порту снова видели Гаврилу, лето {n}.",)) for n in range(1, 21)]
)


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("Как изменился Гаврила?", True),
        ("Как менялось отношение старика к сыну?", True),
        ("Как складывались отношения братьев?", True),
        ("Як змінився Гаврило?", True),
        ("How has Gavrila changed over the book?", True),
        ("How does their friendship evolve?", True),
        ("Как зовут Гаврилу?", False),
        ("Кто разменял деньги?", False),
        ("What did he change in the room?", False),
    ],
)
def test_a_question_about_a_development_is_told(question, asks):
    assert asks_change(question) == asks


@pytest.fixture(scope="module")
def snapshot():
    return library([BOOK])


def test_the_states_of_the_subject_are_spread_over_the_whole_span(snapshot):
    view = View(snapshot, resolve_as_of(snapshot, None, []))
    text = "Как изменился Гаврила?"
    asked = subjects(read_question(text, ToyEmbedder().embed_queries([text])[0], view), view)
    states = view.entity_states(states_over_time(asked, view, 4).tolist())
    assert [state.headings for state in states] == [(f"Глава {n}",) for n in (1, 7, 14, 20)]


def test_with_a_limit_the_span_ends_there(snapshot):
    view = View(snapshot, resolve_as_of(snapshot, AsOf(ordinal=9), []))
    text = "Как изменился Гаврила?"
    asked = subjects(read_question(text, None, view), view)
    states = view.entity_states(states_over_time(asked, view, 4).tolist())
    assert states[0].first_ordinal == 0
    assert states[-1].first_ordinal == 9


def test_the_stages_take_the_place_of_the_last_ranked_states(snapshot):
    view = View(snapshot, resolve_as_of(snapshot, None, []))
    stages = states_over_time([view.entity_of(0)], view, 2)
    ranked = Ranking(np.array([7, 8, 9]), np.array([3.0, 2.0, 1.0]))
    found = with_stages(ranked, stages)
    assert found.rows.tolist() == [*stages.tolist(), 7]


def test_the_whole_path_answers_it(snapshot):
    engine = Engine(snapshot, ToyEmbedder(), ToyTokenizer(), SearchSettings(budget_tokens=300))
    assert engine.retrieve(QueryRequest(question="Как изменился Гаврила?")).items
    assert engine.retrieve(QueryRequest(question="Как изменился Никто?")).items
