"""Who is who as of a time: from the merges that stand then to one canonical row for each entity row."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]

REMEMBERED = 8  # horizons whose answer is kept


@dataclass(frozen=True, slots=True)
class People:
    """canonical: for each entity row the row that stands for it: of its cluster the one known earliest.

    order: entity rows sorted by canonical row, and inside a cluster by when they are known.
    """

    canonical: Integers
    order: Integers

    def members(self, canonical: int) -> Integers:
        """Return the rows of a cluster, the one known earliest first."""
        first, end = np.searchsorted(self.canonical, [canonical, canonical + 1], sorter=self.order)
        return self.order[first:end]


class Identity:
    """The merges of a version by row, ready to be read as of any time."""

    def __init__(
        self,
        ends: tuple[Integers, Integers],
        standing: tuple[Integers, Integers],
        series: NDArray[np.object_],
        entity_known: Integers,
    ) -> None:
        """Take the entity rows that each merge joins, from when until when it stands, its series; and from when
        each entity row is known."""
        self._sources, self._targets = ends
        self._from, self._until = standing
        self._names, self._series = np.unique(series, return_inverse=True)
        self._rank = np.empty(len(entity_known), dtype=np.int64)
        self._rank[np.argsort(entity_known, kind="stable")] = np.arange(len(entity_known))
        self._seen: OrderedDict[tuple[int, ...], People] = OrderedDict()

    def as_of(self, last: Mapping[str, int]) -> People:
        """Return who is who when each series is known up to ``last``; a series not there is not known at all."""
        limits = tuple(last.get(name, -1) for name in self._names)
        found = self._seen.get(limits)
        if found is None:
            found = self._seen[limits] = self._at(np.array(limits, dtype=np.int64))
            if len(self._seen) > REMEMBERED:
                self._seen.popitem(last=False)
        return found

    def _at(self, limits: Integers) -> People:
        now = limits[self._series]
        stands = (self._from <= now) & (now < self._until)
        canonical = np.arange(len(self._rank))
        _join(canonical, self._rank, self._sources[stands], self._targets[stands])
        return People(canonical, np.lexsort((self._rank, canonical)))


def _join(canonical: Integers, rank: Integers, sources: Integers, targets: Integers) -> None:
    """Give all rows that are joined, directly or not, the one of lowest rank among them, in place."""
    parents: dict[int, int] = {}

    def root(row: int) -> int:
        while (parent := parents.setdefault(row, row)) != row:
            parents[row] = row = parents.setdefault(parent, parent)
        return row

    for source, target in zip(sources.tolist(), targets.tolist(), strict=True):
        first, second = root(source), root(target)
        if rank[second] < rank[first]:
            first, second = second, first
        parents[second] = first
    for row in list(parents):
        canonical[row] = root(row)
