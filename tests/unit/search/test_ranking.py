from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tgrag.records import Alias, Entity
from tgrag.search.fuse import Ranking, fuse, raised, ranked, top
from tgrag.search.horizon import resolve_as_of
from tgrag.search.likeness import NOTHING
from tgrag.search.question import read_question
from tgrag.search.requests import AsOf
from tgrag.search.terms import question_terms
from tgrag.search.view import View
from tgrag.store import names
from tgrag.store.names import NameIndex
from tgrag.store.tables import TABLES, Rows, to_table

scores = st.lists(st.floats(0, 1, width=32), min_size=1, max_size=20).map(np.array)


def test_equal_scores_keep_the_order_of_the_table():
    assert ranked(np.array([5, 2, 9]), np.array([0.5, 0.5000000001, 0.7])).rows.tolist() == [9, 2, 5]
    assert top(np.array([0.0, 0.3, 0.3, 0.9]), 2).rows.tolist() == [3, 1]


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(scores)
def test_a_list_fused_with_nothing_keeps_its_order(values):
    dense = ranked(np.arange(len(values)), values)
    fused = fuse(dense, NOTHING, len(values))
    assert (np.diff(fused.scores) <= 0).all()
    if values.round(6).std() > 1e-3:
        assert values[fused.rows[0]] == pytest.approx(values.max(), abs=1e-5)


def test_z_scores_by_hand():
    dense = Ranking(np.array([0, 1]), np.array([0.9, 0.7]))
    lexical = Ranking(np.array([1]), np.array([4.0]))
    fused = fuse(dense, lexical, 2)  # z: dense +1, -1; lexical -1, +1
    assert fused.as_dict() == {0: 0.0, 1: 0.0}
    assert fuse(dense, lexical, 2, lexical_share=0.5).as_dict() == {0: 0.25, 1: -0.25}


def test_a_word_found_in_one_unit_of_many_outweighs_a_vague_likeness():
    dense = ranked(np.arange(50), np.linspace(0.85, 0.80, 50))
    assert fuse(dense, Ranking(np.array([40]), np.array([3.0])), 50).rows[0] == 40


def test_a_bonus_raises_a_row_and_lets_in_one_that_was_not_listed():
    ranking = ranked(np.array([3, 1]), np.array([1.0, 0.2]))
    bonus = np.array([0, 0, 0.5, 0, 0], dtype=float)
    assert raised(ranking, bonus).as_dict() == {3: 1.0, 2: 0.7, 1: 0.2}
    assert raised(NOTHING, bonus).as_dict() == {2: 0.5}


@pytest.mark.parametrize(
    ("question", "languages", "words"),
    [
        ("Какие три карты назвала графиня?", ["ru"], [("три",), ("карта",), ("назвать",), ("графиня",)]),
        ("Як звали його матір?", ["uk"], [("звалити",), ("мати",)]),
        ("What did Alice say to the Cat?", ["en"], [("alice",), ("cat",)]),
        ("Кто это такой?", ["ru"], []),
        ("", ["ru"], []),
    ],
)
def test_content_words_of_a_question(question, languages, words):
    assert question_terms(question, languages) == words


def test_a_word_has_its_lemma_in_every_language_of_the_text():
    (key,) = question_terms("ключа", ["ru", "uk"])
    assert "ключ" in key
    assert question_terms("Где ключи?", ["uk"])
    assert question_terms("Where is Smith?", ["ru"]) == [("smith",)]


def test_a_question_in_another_language_shares_few_words(snapshot):
    view = View(snapshot, resolve_as_of(snapshot, None, []))
    own = read_question("Кто потерял медный ключ?", None, view)
    foreign = read_question("Who lost the copper key to Никита?", None, view)
    assert own.share(set(own.found)) == 1.0
    assert foreign.share(set(foreign.found)) < 0.5


def test_where_to_look_is_not_what_is_looked_for(snapshot):
    view = View(snapshot, resolve_as_of(snapshot, None, []))
    assert set(read_question("Кто потерял ключ во второй главе?", None, view).idf) == set(
        read_question("Кто потерял ключ?", None, view).idf
    )


def test_a_name_finds_its_entity_only_once_it_is_known(snapshot):
    row = int(snapshot.entity_of_state[0])
    series = snapshot.entities.column("series_id")[row]
    entities = snapshot.entities.take(range(len(snapshot.entities)))
    entities[row] = replace(entities[row], aliases=(Alias("Незнакомец", 5),))
    index = NameIndex(names.build(entities), Rows(TABLES["entities"], to_table(Entity, entities)))
    renamed = replace(snapshot, names=index)

    def best(ordinal):
        horizon = resolve_as_of(renamed, AsOf(series=series, ordinal=ordinal), [])
        view = View(renamed, horizon)
        return view.name_scores([("незнакомец",)]).max(), view.in_names([("незнакомец",)])

    assert best(4) == (0.0, set())
    assert best(5) == (1.0, {("незнакомец",)})
