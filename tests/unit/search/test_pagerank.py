"""Forward push against the power iteration on a dense matrix."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tgrag.search.pagerank import RESTART, Walk, pagerank
from tgrag.store.links import Links

PAIRS = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 9)), min_size=1, max_size=40)


def exact(edges: np.ndarray, seeds: dict[int, float]) -> np.ndarray:
    """Return the stationary distribution over entities, then text units, of a dense graph."""
    n_entities, n_units = edges.shape
    n = np.maximum((edges > 0).sum(axis=1), 1)
    weights = edges * np.log1p(n_units / n)[:, None]
    graph = np.block(
        [[np.zeros((n_entities, n_entities)), weights], [weights.T, np.zeros((n_units, n_units))]]
    )
    step = graph / np.maximum(graph.sum(axis=1, keepdims=True), 1e-300)
    start = np.zeros(n_entities + n_units)
    for row, share in seeds.items():
        start[row] = share
    start /= start.sum()
    here = start
    for _ in range(200):
        here = RESTART * start + (1 - RESTART) * here @ step
    return here


def walk_of(pairs: list[tuple[int, int]], units: np.ndarray, entities: np.ndarray) -> Walk:
    rows = np.array(sorted(set(pairs)), dtype=np.int64).reshape(-1, 2)
    units_of = Links.from_pairs(rows[:, 0], rows[:, 1], len(entities))
    return Walk.of(units_of, Links.from_pairs(rows[:, 1], rows[:, 0], len(units)), units, entities)


def dense(pairs: list[tuple[int, int]], units: np.ndarray, entities: np.ndarray) -> np.ndarray:
    edges = np.zeros((len(entities), len(units)))
    for entity, unit in pairs:
        edges[entity, unit] = 1
    return edges[np.ix_(entities, units)]


@given(PAIRS, st.sets(st.integers(0, 9)), st.sets(st.integers(0, 7)), st.data())
@settings(max_examples=200, deadline=None)
def test_equals_the_power_iteration_over_what_may_be_seen(pairs, hidden_units, hidden_entities, data) -> None:
    units, entities = np.ones(10, bool), np.ones(8, bool)
    units[list(hidden_units)] = False
    entities[list(hidden_entities)] = False
    edges = dense(pairs, units, entities)
    seen = np.flatnonzero(entities)
    connected = seen[edges.any(axis=1)].tolist()
    if not connected:
        return
    seeds = {
        row: data.draw(st.floats(0.1, 3))
        for row in data.draw(st.sets(st.sampled_from(connected), min_size=1))
    }

    walk = walk_of(pairs, units, entities)
    at_units, at_entities = pagerank(walk, seeds, tolerance=1e-9)

    place = {row: number for number, row in enumerate(seen.tolist())}
    expected = exact(edges, {place[row]: share for row, share in seeds.items()})
    found = np.zeros((2, 10))
    found[0, at_entities.rows], found[1, at_units.rows] = at_entities.scores, at_units.scores
    np.testing.assert_allclose(found[0, :8][entities], expected[: len(seen)], atol=1e-5)
    np.testing.assert_allclose(found[1][units], expected[len(seen) :], atol=1e-5)
    assert entities[at_entities.rows].all() and units[at_units.rows].all()


@given(PAIRS, st.integers(0, 9))
@settings(deadline=None)
def test_what_is_hidden_changes_nothing_to_the_last_bit(pairs, last) -> None:
    visible = [pair for pair in pairs if pair[1] <= last]
    if not visible:
        return
    seeds = {visible[0][0]: 1.0}
    whole = walk_of(pairs, np.arange(10) <= last, np.ones(8, bool))
    cut = walk_of(visible, np.ones(last + 1, bool), np.ones(8, bool))
    for found, expected in zip(pagerank(whole, seeds), pagerank(cut, seeds), strict=True):
        assert found.rows.tolist() == expected.rows.tolist()
        assert found.scores.tolist() == expected.scores.tolist()


def test_a_seed_in_every_unit_reaches_them_all_and_goes_no_further() -> None:
    n = 20_000
    pairs = [(0, unit) for unit in range(n)] + [(1, 0)]
    units, entities = pagerank(walk_of(pairs, np.ones(n, bool), np.ones(2, bool)), {0: 1.0})
    assert len(units.rows) == n
    assert entities.rows.tolist() == [0]


def test_a_rare_entity_draws_more_than_a_frequent_one() -> None:
    pairs = [(0, 0), (1, 0), (2, 0), *((1, unit) for unit in range(1, 10))]
    _, entities = pagerank(walk_of(pairs, np.ones(10, bool), np.ones(8, bool)), {0: 1.0})
    scores = dict(zip(entities.rows.tolist(), entities.scores.tolist(), strict=True))
    assert scores[2] > scores[1] / 2


@pytest.mark.parametrize("seeds", [{}, {5: 1.0}])
def test_no_seed_that_occurs_reaches_nothing(seeds) -> None:
    units, entities = pagerank(walk_of([(0, 0)], np.ones(10, bool), np.ones(8, bool)), seeds)
    assert len(units.rows) == len(entities.rows) == 0
