"""A text unit gains from the units before and after it in its book: a scene is longer than a unit."""

from collections.abc import Sequence

import numpy as np

from tgrag.search.fuse import Ranking, ranked
from tgrag.search.view import View
from tgrag.store.links import distinct


def with_neighbours(units: Ranking, view: View, weights: Sequence[float]) -> Ranking:
    """Return text units with ``weights[0]`` times the mean score of the units beside them added, and so on outwards.

    The units beside ranked ones enter the ranking. A unit that is not ranked, or not there, counts as the worst.
    """
    if not len(units) or not any(weights):
        return units
    rows = distinct(units.rows, *view.neighbours(units.rows))
    rows = rows[rows >= 0]
    base = np.full(
        len(rows) + 1, float(units.scores.min())
    )  # the last one stands for units that are not there
    base[np.searchsorted(rows, units.rows)] = units.scores
    total = base[:-1].copy()
    before = after = rows
    for weight in weights:
        before, after = view.neighbours(before)[0], view.neighbours(after)[1]
        total += weight * (base[_places(rows, before)] + base[_places(rows, after)]) / 2
    return ranked(rows, total)


def _places(rows: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return where each wanted row stands in ascending ``rows``, the place after the last where it does not."""
    places = np.searchsorted(rows, wanted)
    found = (places < len(rows)) & (rows[np.minimum(places, len(rows) - 1)] == wanted)
    return np.where(found, places, len(rows))
