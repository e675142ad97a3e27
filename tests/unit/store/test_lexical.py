import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tgrag.store.lexical import LexicalIndex, build
from tgrag.store.tables import read_table, table_bytes

documents = st.lists(st.lists(st.sampled_from("abcde"), max_size=8), min_size=1, max_size=12)


def index_of(rows):
    return LexicalIndex(read_table(table_bytes(build(rows))), len(rows))


def test_score_is_bm25_by_hand():
    rows = [["a", "b", "a"], ["b", "c"], ["c"]]
    scores = index_of(rows).search([("a",)], np.ones(3, bool))
    idf = math.log(1 + (3 - 1 + 0.5) / (1 + 0.5))
    assert scores[0] == pytest.approx(idf * 2 * 2.2 / (2 + 1.2 * (1 - 0.75 + 0.75 * 3 / 2)))
    assert scores[1:].tolist() == [0, 0]


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(documents, st.data())
def test_statistics_are_those_of_the_visible_rows_alone(rows, data):
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows))))
    terms = [("a",), ("b", "c"), ("z",)]
    seen = [row for row, visible in zip(rows, mask, strict=True) if visible]
    masked, cut = index_of(rows), index_of(seen)
    everything = np.ones(len(seen), bool)
    assert masked.search(terms, mask)[mask] == pytest.approx(cut.search(terms, everything))
    assert not masked.search(terms, mask)[~mask].any()
    assert masked.idf(terms, mask) == pytest.approx(cut.idf(terms, everything))
    assert masked.found(terms, mask) == cut.found(terms, everything)


def test_lemmas_of_one_word_count_together():
    rows = [["карта", "карты"], ["карта"], ["дом"]]
    mask = np.ones(3, bool)
    scores = index_of(rows).search([("карта", "карты")], mask)
    assert scores == pytest.approx(index_of([["k", "k"], ["k"], ["d"]]).search([("k",)], mask))


def test_an_empty_index_finds_nothing():
    assert index_of([]).search([("a",)], np.empty(0, bool)).tolist() == []
