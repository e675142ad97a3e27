import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tgrag.store import vectors as store
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


def inverted(monkeypatch, n=6000, dimension=24):
    """Return clustered vectors, an inverted file of them and the questions that lie between two of them."""
    monkeypatch.setattr(store, "FLAT_ROWS", 1000)
    rng = np.random.default_rng(5)
    centres = rng.standard_normal((40, dimension))
    vectors = centres[np.arange(n) * 40 // n] + 0.6 * rng.standard_normal((n, dimension))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors = vectors.astype(np.float16).astype(np.float32)
    questions = vectors[rng.integers(n, size=50)] + vectors[rng.integers(n, size=50)]
    return vectors, VectorIndex(build(vectors)), questions


def recall_of(index, vectors, questions, mask, k=45):
    hits = 0
    for question in questions:
        rows, scores = index.search(question, k, mask)
        assert mask[rows].all()
        assert (np.diff(scores) <= 0).all()
        hits += len(set(rows.tolist()) & set(brute_force(vectors, question, k, mask)))
    return hits / (len(questions) * min(k, int(mask.sum())))


@pytest.mark.parametrize("share", [1.0, 0.1, 0.01, 0.001])
def test_an_inverted_file_finds_nearly_all_also_under_narrow_filters(monkeypatch, share):
    vectors, index, questions = inverted(monkeypatch)
    mask = np.random.default_rng(3).random(len(vectors)) < share
    assert recall_of(index, vectors, questions, mask) >= 0.97
    assert index._index.nprobe < index._index.nlist  # it does not read everything


def test_a_filter_far_from_the_question_still_finds_what_it_leaves(monkeypatch):
    vectors, index, questions = inverted(monkeypatch)
    one_book = np.zeros(len(vectors), bool)
    one_book[:300] = True  # two clusters, while the questions lie anywhere
    assert recall_of(index, vectors, questions, one_book) >= 0.97
    assert [len(index.search(question, 400, one_book)[0]) for question in questions[:5]] == [300] * 5
