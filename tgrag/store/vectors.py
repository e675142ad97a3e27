"""Exact nearest neighbours by inner product, with the filter applied before the search (FAISS, flat)."""

import faiss
import numpy as np
from numpy.typing import NDArray

from tgrag.models.protocols import Vectors

SCORE_DIGITS = 6  # beyond that, a score depends on how the hardware sums


def build(vectors: Vectors) -> bytes:
    """Return the serialised index of normalised vectors, shape (rows, dimension); no rows are fine."""
    index = faiss.IndexFlatIP(vectors.shape[1])
    index.add(np.ascontiguousarray(vectors, dtype=np.float32))
    data: bytes = faiss.serialize_index(index).tobytes()
    return data


class VectorIndex:
    """A flat index in memory; vector i is that of row i of its table."""

    def __init__(self, data: bytes) -> None:
        self._index = faiss.deserialize_index(np.frombuffer(data, dtype=np.uint8))

    def __len__(self) -> int:
        return int(self._index.ntotal)

    def search(
        self, query: Vectors, k: int, mask: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the (at most k) rows inside ``mask`` nearest to ``query`` (dimension,), and their scores.

        Best first, equal scores by row; which of several equal rows come last does not depend on what the
        mask hides.
        """
        n_visible = int(mask.sum())
        wanted = min(k + 1, n_visible)
        while wanted:
            rows, scores = self._nearest(query, wanted, mask)
            if wanted == n_visible or scores[k - 1] > scores[-1]:
                return rows[:k], scores[:k]
            wanted = min(4 * wanted, n_visible)
        return np.empty(0, np.int64), np.empty(0, np.float64)

    def _nearest(
        self, query: Vectors, k: int, mask: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        # faiss replaces these constructors when it is imported; its type hints show the ones of C++
        inside = faiss.IDSelectorBitmap(np.packbits(mask, bitorder="little"))  # type: ignore[arg-type,call-arg]
        parameters = faiss.SearchParameters(sel=inside)  # type: ignore[call-arg]
        queries = np.ascontiguousarray(query[None, :], dtype=np.float32)
        found, rows = self._index.search(queries, k, params=parameters)
        rows, scores = rows[0], np.round(found[0].astype(np.float64), SCORE_DIGITS)
        order = np.lexsort((rows, -scores))
        return rows[order], scores[order]
