import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tgrag.store.vectors import VectorIndex, build


def brute_force(vectors, query, k, mask):
    scores = np.round((vectors @ query).astype(np.float64), 6)
    rows = np.flatnonzero(mask)
    return rows[np.lexsort((rows, -scores[rows]))][:k].tolist()


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.integers(0, 3), max_size=60),
    st.integers(1, 12),
    st.integers(0, 2**60 - 1),
)
def test_search_is_exact_under_any_mask_and_with_many_equal_vectors(kinds, k, bits):
    vectors = np.eye(4, dtype=np.float32)[kinds].reshape(-1, 4)
    mask = np.array([bool(bits >> place & 1) for place in range(len(kinds))], dtype=bool)
    query = np.array([0.8, 0.6, 0.0, 0.0], dtype=np.float32)
    rows, scores = VectorIndex(build(vectors)).search(query, k, mask)
    assert rows.tolist() == brute_force(vectors, query, k, mask)
    assert (np.diff(scores) <= 0).all()


def test_what_a_mask_hides_changes_nothing_in_what_is_found():
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((500, 32)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    mask = np.arange(500) < 120
    of_all = VectorIndex(build(vectors)).search(vectors[7], 30, mask)
    of_cut = VectorIndex(build(vectors[:120])).search(vectors[7], 30, mask[:120])
    assert of_all[0].tolist() == of_cut[0].tolist()
    assert of_all[1].tolist() == of_cut[1].tolist()


def test_an_empty_index_and_an_empty_mask_find_nothing():
    empty = VectorIndex(build(np.empty((0, 8), np.float32)))
    assert len(empty) == 0
    assert empty.search(np.ones(8, np.float32), 5, np.empty(0, bool))[0].tolist() == []
    index = VectorIndex(build(np.eye(8, dtype=np.float32)))
    assert index.search(np.ones(8, np.float32), 5, np.zeros(8, bool))[0].tolist() == []
