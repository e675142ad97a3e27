"""One ranking from two: z-scores of vector similarity and of BM25, half and half.

Measured against reciprocal rank fusion on Russian, Ukrainian and English question sets: never clearly worse,
usually a little better.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tgrag.search.view import Scores
from tgrag.store.links import Integers, distinct
from tgrag.store.vectors import SCORE_DIGITS

DEPTH = 100  # rows of each list over which a z-score is taken
WEIGHT = 0.5  # of each list


@dataclass(frozen=True, slots=True)
class Ranking:
    """Rows of a table, best first, equal scores in the order of the table, with scores of SCORE_DIGITS digits."""

    rows: Integers
    scores: Scores

    def __len__(self) -> int:
        return len(self.rows)

    def head(self, n: int) -> "Ranking":
        return Ranking(self.rows[:n], self.scores[:n])

    def as_dict(self) -> dict[int, float]:
        return dict(zip(self.rows.tolist(), self.scores.tolist(), strict=True))


def ranked(rows: Integers, scores: Scores) -> Ranking:
    """Return rows with their scores, rounded and in order."""
    rounded = np.round(scores, SCORE_DIGITS)
    order = np.lexsort((rows, -rounded))
    return Ranking(rows[order].astype(np.int64), rounded[order])


def top(scores: Scores, n: int) -> Ranking:
    """Return the at most n rows with the highest scores above 0."""
    positive = np.flatnonzero(scores > 0)
    return ranked(positive, scores[positive]).head(n)


def fuse(dense: Ranking, lexical: Ranking, n_visible: int, lexical_share: float = 1.0) -> Ranking:
    """Return the rows of both lists by WEIGHT z(dense) + WEIGHT lexical_share z(lexical).

    lexical_share: how much of the question the text shares words with. It is near 0 for a question in another
    language than the text, whose few shared words (numbers, brand names) would mislead.

    A row that one list does not hold counts there as its worst. The lexical list ends where scores are 0; the
    zeros up to DEPTH or ``n_visible`` rows count in its mean and deviation.
    """
    rows = distinct(dense.rows, lexical.rows)
    scores = WEIGHT * _z(dense, rows, 0) + WEIGHT * lexical_share * _z(
        lexical, rows, _zeros(lexical, n_visible)
    )
    return ranked(rows, scores)


def with_signals(base: Ranking, signals: Sequence[tuple[Ranking, float]], n_visible: int) -> Ranking:
    """Return the base with each signal's z-scores added by its weight.

    A row that the base does not hold counts there as its worst. A signal is like the lexical list above: what it does
    not hold counts as 0, and the zeros up to DEPTH or ``n_visible`` rows count in its mean and deviation.
    """
    rows = distinct(base.rows, *(signal.rows for signal, _ in signals))
    scores = np.full(len(rows), base.scores.min() if len(base) else 0.0)
    scores[np.searchsorted(rows, base.rows)] = base.scores
    for signal, weight in signals:
        scores = scores + weight * _z(signal, rows, _zeros(signal, n_visible))
    return ranked(rows, scores)


def _zeros(ranking: Ranking, n_visible: int) -> int:
    return max(0, min(DEPTH, n_visible) - len(ranking))


def _z(ranking: Ranking, rows: Integers, n_zeros: int) -> Scores:
    """Return the z-score of each of ``rows`` (ascending) in a list that goes on with ``n_zeros`` zeros."""
    listed = np.concatenate([ranking.scores, np.zeros(n_zeros)])
    if not len(listed) or listed.std() == 0:
        return np.zeros(len(rows))
    values = np.full(len(rows), listed.min())
    values[np.searchsorted(rows, ranking.rows)] = ranking.scores
    result: Scores = (values - listed.mean()) / listed.std()
    return result


def raised(ranking: Ranking, bonus: Scores) -> Ranking:
    """Return a ranking with ``bonus`` (one value a row of the table) added.

    A row with a bonus that is not in the ranking enters it at its worst score.
    """
    rows = distinct(ranking.rows, np.flatnonzero(bonus > 0))
    base = np.full(len(rows), ranking.scores.min() if len(ranking) else 0.0)
    base[np.searchsorted(rows, ranking.rows)] = ranking.scores
    return ranked(rows, base + bonus[rows])
