"""A text unit gains from the units before and after it in its book: a scene is longer than a unit."""

import numpy as np

from tgrag.search.fuse import Ranking, ranked
from tgrag.search.view import View


def with_neighbours(units: Ranking, view: View, weight: float) -> Ranking:
    """Return text units with ``weight`` times the mean score of their two neighbours added.

    The neighbours of ranked units enter the ranking. A unit that is not ranked, or not there, counts as the worst.
    """
    if not len(units) or not weight:
        return units
    before, after = view.neighbours(units.rows)
    rows = np.unique(np.concatenate([units.rows, before, after]))
    rows = rows[rows >= 0]
    worst = float(units.scores.min())
    base = np.full(len(rows) + 1, worst)  # the last one stands for units that are not there
    base[np.searchsorted(rows, units.rows)] = units.scores
    places = [_places(rows, beside) for beside in view.neighbours(rows)]
    return ranked(rows, base[:-1] + weight * (base[places[0]] + base[places[1]]) / 2)


def _places(rows: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return where each wanted row stands in ascending ``rows``, the place after the last where it does not."""
    places = np.searchsorted(rows, wanted)
    found = (places < len(rows)) & (rows[np.minimum(places, len(rows) - 1)] == wanted)
    return np.where(found, places, len(rows))
