"""BM25 over lemmas, with the statistics of exactly the rows that may be seen.

Document frequencies, the number of rows and their mean length are counted inside the mask of each search:
text after an ``as_of`` limit does not weigh a word.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tgrag.store.tables import flat, whole

# Robertson & Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), section 3.5, gives
# 1.2 < k1 < 2 and 0.5 < b < 0.8; these are the defaults of Lucene.
K1 = 1.2
B = 0.75

PLACES_KEPT = 10_000  # of terms in a vocabulary: one question looks each of its words up several times

Mask = NDArray[np.bool_]
Term = tuple[str, ...]  # a word of a question: its lemma in each language, any of which may occur

SCHEMA = pa.schema(
    [
        pa.field("term", pa.string(), nullable=False),
        pa.field("rows", pa.list_(pa.int32()), nullable=False),
        pa.field("frequencies", pa.list_(pa.int16()), nullable=False),
    ]
)


def build(rows: Iterable[Sequence[str]]) -> pa.Table:
    """Return the inverted index of rows given as their lemmas: one table row a term, terms in order."""
    postings: dict[str, tuple[list[int], list[int]]] = {}
    for row, lemmas in enumerate(rows):
        for term, frequency in Counter(lemmas).items():
            in_rows, frequencies = postings.setdefault(term, ([], []))
            in_rows.append(row)
            frequencies.append(frequency)
    terms = sorted(postings)
    columns = [terms, [postings[term][0] for term in terms], [postings[term][1] for term in terms]]
    return pa.Table.from_arrays(
        [pa.array(column, field.type) for column, field in zip(columns, SCHEMA, strict=True)], schema=SCHEMA
    )


class Vocabulary:
    """The places of terms in their column, which is in ascending order."""

    def __init__(self, terms: pa.ChunkedArray) -> None:
        self._terms = whole(terms)
        self.place = lru_cache(maxsize=PLACES_KEPT)(self._place)

    def _place(self, term: str) -> int | None:
        """Return where a term stands; None when it is not there."""
        n = len(self._terms)
        place = bisect_left(range(n), term, key=lambda row: self._terms[row].as_py())
        return place if place < n and self._terms[place].as_py() == term else None


class LexicalIndex:
    """The inverted index of ``n_rows`` rows in memory."""

    def __init__(self, table: pa.Table, n_rows: int) -> None:
        self._terms = Vocabulary(table["term"])
        self._rows = flat(table["rows"])
        self._frequencies = flat(table["frequencies"])
        self._lengths = np.bincount(self._rows.values, weights=self._frequencies.values, minlength=n_rows)

    def search(self, terms: Iterable[Term], mask: Mask) -> NDArray[np.float64]:
        """Return the BM25 score of every row: 0 outside ``mask`` and where no term occurs."""
        scores = np.zeros(len(mask))
        n_visible = int(mask.sum())
        if not n_visible:
            return scores
        mean_length = max(float(self._lengths.sum(where=mask)) / n_visible, 1.0)
        for term in terms:
            rows, frequencies = self._visible(term, mask)
            saturation = K1 * (1 - B + B * self._lengths[rows] / mean_length)
            gain = frequencies * (K1 + 1) / (frequencies + saturation)
            scores[rows] += _idf(len(rows), n_visible) * gain
        return scores

    def idf(self, terms: Iterable[Term], mask: Mask) -> dict[Term, float]:
        """Return the inverse document frequency of each term inside ``mask``; the highest for unseen ones."""
        n_visible = int(mask.sum())
        return {term: _idf(len(self._visible(term, mask)[0]), n_visible) for term in terms}

    def found(self, terms: Iterable[Term], mask: Mask) -> set[Term]:
        """Return the terms that occur inside ``mask``."""
        return {term for term in terms if len(self._visible(term, mask)[0])}

    def presence(self, terms: Sequence[Term], rows: NDArray[np.int64]) -> Mask:
        """Tell which of the terms occur in which of the rows: shape (terms, rows)."""
        present = np.zeros((len(terms), len(rows)), dtype=np.bool_)
        for number, term in enumerate(terms):
            for place in map(self._terms.place, term):
                if place is not None:
                    holders = self._rows.of(place)
                    at = np.minimum(np.searchsorted(holders, rows), len(holders) - 1)
                    present[number] |= holders[at] == rows
        return present

    def _visible(self, term: Term, mask: Mask) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the visible rows of a term and its frequency in each; its lemmas count as one word."""
        places = [place for place in map(self._terms.place, term) if place is not None]
        if not places:
            return np.empty(0, np.int64), np.empty(0)
        rows = np.concatenate([self._rows.of(place) for place in places])
        frequencies = np.concatenate([self._frequencies.of(place) for place in places]).astype(float)
        if len(places) > 1:
            rows, place = np.unique(rows, return_inverse=True)
            frequencies = np.bincount(place, weights=frequencies)
        inside = mask[rows]
        return rows[inside], frequencies[inside]


def _idf(document_frequency: int, n_rows: int) -> float:
    return float(np.log1p((n_rows - document_frequency + 0.5) / (document_frequency + 0.5)))
