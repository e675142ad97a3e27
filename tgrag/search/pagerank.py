"""Personalised PageRank over text units and the entities that occur in them, by forward push.

Andersen, Chung, Lang, "Local Graph Partitioning using PageRank Vectors" (2006): the work depends on the
neighbourhood of the seeds and on the tolerance, not on the size of the graph. An edge weighs as much as its entity
is rare among the text units that may be seen.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tgrag.store.lexical import Mask
from tgrag.store.links import Integers, Links, distinct

Scores = NDArray[np.float64]

RESTART = 0.5
TOLERANCE = 1e-4  # probability left where it is, for each unit of a node's weighted degree
LEAST_IDF = float(np.log(2))  # of an entity in every text unit


@dataclass(frozen=True, slots=True)
class Walk:
    """The part of the graph that may be seen. idf: of each entity; 0 for one that may not be seen."""

    units_of_entity: Links
    entities_of_unit: Links
    units: Mask
    idf: Scores

    @classmethod
    def of(cls, units_of_entity: Links, entities_of_unit: Links, units: Mask, entities: Mask) -> "Walk":
        """Weigh each entity by the n of N text units that it occurs in, ln(1 + N / n): linear in the graph, so once
        a view."""
        n = units_of_entity.totals(units)
        idf = np.log1p(np.count_nonzero(units) / np.maximum(n, 1))
        return cls(units_of_entity, entities_of_unit, units, np.where(entities & (n > 0), idf, 0.0))

    def from_entities(self, rows: Integers) -> "_Edges":
        places, ends = self.units_of_entity.of(rows)
        return _Edges.present(places, ends, self.idf[rows][places] * self.units[ends])

    def from_units(self, rows: Integers) -> "_Edges":
        places, ends = self.entities_of_unit.of(rows)
        return _Edges.present(places, ends, self.idf[ends])


@dataclass(frozen=True, slots=True)
class Reached:
    """Rows that a walk has come to, ascending, and the probability of being there."""

    rows: Integers
    scores: Scores


def pagerank(
    walk: Walk, seeds: Mapping[int, float], restart: float = RESTART, tolerance: float = TOLERANCE
) -> tuple[Reached, Reached]:
    """Return the text units and the entities of a walk that restarts at ``seeds``.

    seeds: entity rows with their shares, above 0; they are normalised, and those that may not be seen are left
    out. No score exceeds the exact one, and all of them together lack at most what is left unspread: of each
    node, ``tolerance`` times its weighted degree. Seeds spread however many text units they are in.
    """
    units, entities = _Side(len(walk.units)), _Side(len(walk.idf))
    rows = np.array(sorted(row for row in seeds if walk.idf[row] > 0), dtype=np.int64)
    if len(rows):
        shares = np.array([seeds[row] for row in rows.tolist()], dtype=np.float64)
        entities.receive(rows, shares / shares.sum())
        units.receive(*entities.spread(walk.from_entities(rows), rows, restart, 0.0))
    while len(units.grown):
        rows = units.candidates(tolerance)
        entities.receive(*units.spread(walk.from_units(rows), rows, restart, tolerance))
        rows = entities.candidates(tolerance)
        units.receive(*entities.spread(walk.from_entities(rows), rows, restart, tolerance))
    return units.reached(restart), entities.reached(restart)


@dataclass(frozen=True, slots=True)
class _Edges:
    """Edges of a few nodes: the place of each one's node among them, its other end, and its weight."""

    places: Integers
    ends: Integers
    weights: Scores

    @classmethod
    def present(cls, places: Integers, ends: Integers, weights: Scores) -> "_Edges":
        there = weights > 0
        return cls(places[there], ends[there], weights[there])


class _Side:
    """The nodes of one side. settled: what stays; waiting: what is still to be spread; grown: where that grew."""

    def __init__(self, n: int) -> None:
        self._settled = np.zeros(n)
        self._waiting = np.zeros(n)
        self._seen: list[Integers] = []
        self.grown: Integers = np.empty(0, np.int64)

    def receive(self, rows: Integers, values: Scores) -> None:
        """Let probability wait at these rows, which are distinct and ascending."""
        self._waiting[rows] += values
        self._seen.append(rows)
        self.grown = rows

    def candidates(self, tolerance: float) -> Integers:
        """Return the rows that grew and where so much waits that it may have to be spread."""
        return self.grown[self._waiting[self.grown] > tolerance * LEAST_IDF]

    def spread(
        self, edges: _Edges, rows: Integers, restart: float, tolerance: float
    ) -> tuple[Integers, Scores]:
        """Settle a share of what waits at the rows where it exceeds the tolerance; return where the rest goes."""
        degrees = np.bincount(edges.places, weights=edges.weights, minlength=len(rows))
        waiting = np.where(self._waiting[rows] > tolerance * degrees, self._waiting[rows], 0.0)
        self._settled[rows] += restart * waiting
        self._waiting[rows] -= waiting
        goes = waiting[edges.places] > 0
        places, ends = edges.places[goes], edges.ends[goes]
        gains = edges.weights[goes] * ((1 - restart) * waiting / degrees)[places]
        reached, place = np.unique(ends, return_inverse=True)
        sums: Scores = np.bincount(place, weights=gains, minlength=len(reached)).astype(np.float64)
        return reached, sums

    def reached(self, restart: float) -> Reached:
        """Return every row that was come to, with what has settled and what of the waiting would settle first."""
        rows = distinct(*self._seen)
        return Reached(rows, self._settled[rows] + restart * self._waiting[rows])
