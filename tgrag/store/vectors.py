"""Nearest neighbours by inner product, with the filter applied before the search (FAISS).

Vectors are held in half precision, which loses nothing of embeddings that are stored as such. Up to FLAT_ROWS the
search is exact. Above, an inverted file is read list by list, the nearest first, until enough visible rows have been
compared; a filter that leaves no more than those is searched exactly.
"""

import logging
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

import faiss
import numpy as np
from numpy.typing import NDArray

from tgrag.models.protocols import Vectors

logger = logging.getLogger(__name__)

SCORE_DIGITS = 6  # beyond that, a score depends on how the hardware sums
FLAT_ROWS = 100_000

RECALL = 0.99  # of the RECALL_AT nearest rows, on the sample of questions by which a list count is chosen
RECALL_AT = 45  # candidates of the article's first step: 15 entities, three times over
QUESTIONS = 200
FILTERED = (1.0, 0.1)  # shares of the rows that filters leave when recall is measured
TRAINING_ROWS = 64  # a list
ITERATIONS = 8
SEED = 0

MASKS_KEPT = 16  # with what was counted of them

Mask = NDArray[np.bool_]
Found = tuple[NDArray[np.int64], NDArray[np.float64]]


def build(vectors: Vectors) -> bytes:
    """Return the serialised index of normalised vectors, shape (rows, dimension); no rows are fine."""
    rows = np.ascontiguousarray(vectors, dtype=np.float32)
    index = _flat(rows) if len(rows) <= FLAT_ROWS else _inverted(rows)
    data: bytes = faiss.serialize_index(index).tobytes()
    return data


def _flat(rows: Vectors) -> Any:
    index = faiss.IndexScalarQuantizer(
        rows.shape[1], faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT
    )
    index.is_trained = True  # half precision has nothing to learn
    index.add(rows)
    return index


def _inverted(rows: Vectors) -> Any:
    """Return an inverted file with as many lists to read as RECALL needs."""
    n_lists = int(2 * np.sqrt(len(rows)))
    dimension = rows.shape[1]
    quantizer = faiss.IndexFlatIP(dimension)
    index = faiss.IndexIVFScalarQuantizer(
        quantizer, dimension, n_lists, faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT, False
    )
    index.cp.seed, index.cp.niter, index.cp.max_points_per_centroid = SEED, ITERATIONS, TRAINING_ROWS
    rng = np.random.default_rng(SEED)
    sample = np.sort(rng.choice(len(rows), min(len(rows), n_lists * TRAINING_ROWS), replace=False))
    index.train(rows[sample])
    index.add(rows)
    index.nprobe = _enough_lists(index, rows, rng)
    return index


def _enough_lists(index: Any, rows: Vectors, rng: np.random.Generator) -> int:
    """Return how many lists give the wanted recall for questions that lie between two rows, under each filter."""
    pairs = rng.integers(len(rows), size=(QUESTIONS, 2))
    questions = rows[pairs[:, 0]] + rows[pairs[:, 1]]
    questions /= np.maximum(np.linalg.norm(questions, axis=1, keepdims=True), 1e-9)
    masks = [rng.random(len(rows)) < share for share in FILTERED]
    exact = [_exact(rows, questions, mask) for mask in masks]
    n_lists = 4
    while n_lists < index.nlist:
        index.nprobe = n_lists
        searched = VectorIndex.of(index)
        reached = [recall(searched, questions, mask, best) for mask, best in zip(masks, exact, strict=True)]
        logger.info("%d of %d lists: recall@%d %s", n_lists, index.nlist, RECALL_AT, reached)
        if min(reached) >= RECALL:
            return n_lists
        n_lists = -(-n_lists * 3 // 2)
    return int(index.nlist)


def _exact(rows: Vectors, questions: Vectors, mask: Mask) -> NDArray[np.int64]:
    """Return the RECALL_AT rows nearest to each question, in blocks that stay small in memory."""
    kept = np.flatnonzero(mask)
    heap = faiss.ResultHeap(len(questions), RECALL_AT, keep_max=True)
    for start in range(0, len(kept), FLAT_ROWS):
        block = kept[start : start + FLAT_ROWS]
        scores, places = faiss.knn(questions, rows[block], RECALL_AT, metric=faiss.METRIC_INNER_PRODUCT)
        heap.add_result(scores, np.ascontiguousarray(block[places]))
    heap.finalize()
    nearest: NDArray[np.int64] = heap.I
    return nearest


def recall(index: "VectorIndex", questions: Vectors, mask: Mask, nearest: NDArray[np.int64]) -> float:
    """Return the share of the truly ``nearest`` rows of each question, shape (questions, k), that a search finds."""
    k = nearest.shape[1]
    found = [
        len(np.intersect1d(index.search(question, k, mask)[0], best, assume_unique=True))
        for question, best in zip(questions, nearest, strict=True)
    ]
    return float(sum(found) / (k * len(found)))


@dataclass(frozen=True, slots=True)
class _Filter:
    """A mask as FAISS reads it. in_list: how many visible rows each inverted list has."""

    mask: Mask
    n_visible: int
    bits: NDArray[np.uint8]
    in_list: NDArray[np.int64] | None


class VectorIndex:
    """An index in memory; vector i is that of row i of its table."""

    def __init__(self, data: bytes) -> None:
        self._open(faiss.deserialize_index(np.frombuffer(data, dtype=np.uint8)))

    @classmethod
    def of(cls, index: Any) -> "VectorIndex":
        """Wrap a FAISS index."""
        wrapped = cls.__new__(cls)
        wrapped._open(index)
        return wrapped

    def _open(self, index: Any) -> None:
        self._index = index
        self._list_of_row = _lists(index) if isinstance(index, faiss.IndexIVF) else None
        self._filters: OrderedDict[int, _Filter] = OrderedDict()

    def __len__(self) -> int:
        return int(self._index.ntotal)

    @property
    def row_bytes(self) -> int:
        """The size of one vector in memory."""
        return int(self._index.sa_code_size())

    def search(self, query: Vectors, k: int, mask: Mask) -> Found:
        """Return the (at most k) rows inside ``mask`` nearest to ``query`` (dimension,), and their scores.

        Best first, equal scores by row. Up to FLAT_ROWS rows it is exact, and which of several equal rows come
        last does not depend on what the mask hides. A mask that is used again must not have been written to.
        """
        inside = self._filter(mask)
        wanted = min(k + 1, inside.n_visible)
        while wanted:
            rows, scores = self._nearest(query, wanted, inside)
            if wanted == inside.n_visible or len(rows) < wanted or scores[k - 1] > scores[-1]:
                return rows[:k], scores[:k]
            wanted = min(4 * wanted, inside.n_visible)
        return np.empty(0, np.int64), np.empty(0, np.float64)

    def _filter(self, mask: Mask) -> _Filter:
        """Return what is counted of a mask, once for each array object."""
        found = self._filters.get(id(mask))
        if found is None:
            in_list = None
            if self._list_of_row is not None:
                in_list = np.bincount(self._list_of_row[mask], minlength=self._index.nlist)
            bits = np.packbits(mask, bitorder="little")
            found = self._filters[id(mask)] = _Filter(mask, int(np.count_nonzero(mask)), bits, in_list)
            if len(self._filters) > MASKS_KEPT:
                self._filters.popitem(last=False)
        return found

    def _nearest(self, query: Vectors, k: int, inside: _Filter) -> Found:
        queries = np.ascontiguousarray(query[None, :], dtype=np.float32)
        # faiss replaces these constructors when it is imported; its type hints show the ones of C++
        selector = None
        if inside.n_visible < len(self):
            selector = faiss.IDSelectorBitmap(inside.bits)  # type: ignore[arg-type,call-arg]
        if inside.in_list is None:
            parameters = faiss.SearchParameters(sel=selector)  # type: ignore[call-arg]
            found, rows = self._index.search(queries, k, params=parameters)
        else:
            found, rows = self._read_lists(queries, k, selector, inside.in_list)
        there = rows[0] >= 0
        rows, scores = rows[0][there], np.round(found[0][there].astype(np.float64), SCORE_DIGITS)
        order = np.lexsort((rows, -scores))
        return rows[order], scores[order]

    def _read_lists(
        self, queries: Vectors, k: int, selector: Any, in_list: NDArray[np.int64]
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Search the nearest lists that together have as many visible rows as ``nprobe`` lists of average size."""
        likeness, lists = self._index.quantizer.search(queries, self._index.nlist)
        counts = in_list[lists[0]]
        enough = self._index.nprobe * len(self) / self._index.nlist
        read = (counts > 0) & (np.cumsum(counts) - counts < enough)
        chosen, likeness = np.ascontiguousarray(lists[:, read]), np.ascontiguousarray(likeness[:, read])
        found, rows = np.empty((1, k), np.float32), np.empty((1, k), np.int64)
        parameters = faiss.SearchParametersIVF(sel=selector, nprobe=chosen.shape[1])  # type: ignore[call-arg]
        arrays = map(faiss.swig_ptr, (chosen, likeness, found, rows))
        self._index.search_preassigned_c(1, faiss.swig_ptr(queries), k, *arrays, False, parameters)
        return found, rows


def _lists(index: Any) -> NDArray[np.int32]:
    """Return for each row the inverted list that it stands in."""
    result = np.empty(index.ntotal, dtype=np.int32)
    for number in range(index.nlist):
        size = index.invlists.list_size(number)
        result[faiss.rev_swig_ptr(index.invlists.get_ids(number), size)] = number
    return result
