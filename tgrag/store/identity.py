"""Who is who as of a time: from the merges that stand then to one canonical row for each entity row."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

Integers = NDArray[np.int64]

REMEMBERED = 8  # horizons whose answer is kept


@dataclass(frozen=True, slots=True)
class People:
    """canonical: for each entity row the row that stands for it: of its cluster the one known earliest.

    heads: the rows that stand for several, ascending. offsets, rows: the cluster of head i is
    ``rows[offsets[i]:offsets[i + 1]]``, sorted by when they are known.
    """

    canonical: Integers
    heads: Integers
    offsets: Integers
    rows: Integers

    def members(self, canonical: int) -> Integers:
        """Return the rows of a cluster, the one known earliest first."""
        place = int(np.searchsorted(self.heads, canonical))
        if place < len(self.heads) and self.heads[place] == canonical:
            return self.rows[self.offsets[place] : self.offsets[place + 1]]
        return np.array([canonical])

    def all_members(self, canonical: Integers) -> tuple[Integers, Integers]:
        """Return the rows of several clusters, one cluster after the other: the place in ``canonical`` and the row."""
        place = np.searchsorted(self.heads, canonical)
        is_head = np.append(self.heads, -1)[place] == canonical
        starts = np.where(is_head, self.offsets[place], 0)
        lengths = np.where(is_head, np.append(self.offsets, 0)[place + 1] - starts, 1)
        places = np.repeat(np.arange(len(canonical)), lengths)
        within = np.arange(len(places)) - (np.cumsum(lengths) - lengths)[places]
        rows = canonical[places]
        several = is_head[places]
        rows[several] = self.rows[(starts[places] + within)[several]]
        return places, rows


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
        joined = np.concatenate([self._sources[stands], self._targets[stands]])
        rows, ends = np.unique(joined, return_inverse=True)
        pairs = coo_array((np.ones(len(ends) // 2), tuple(ends.reshape(2, -1))), shape=(len(rows), len(rows)))
        _, cluster = connected_components(pairs, directed=False) if len(rows) else (0, np.empty(0, np.int64))
        order = np.lexsort((self._rank[rows], cluster))
        rows, cluster = rows[order], cluster[order]
        starts = np.flatnonzero(np.diff(cluster, prepend=-1))
        canonical = np.arange(len(self._rank))
        canonical[rows] = rows[starts][cluster]
        return _people(canonical, rows, starts)


def _people(canonical: Integers, rows: Integers, starts: Integers) -> People:
    """Take the rows of all clusters, one cluster after the other, and put the clusters in the order of their heads."""
    heads = rows[starts]
    order = np.argsort(heads)
    lengths = np.diff(np.append(starts, len(rows)))[order]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    shifts = np.repeat(starts[order] - offsets[:-1], lengths)
    return People(canonical, heads[order], offsets, rows[np.arange(len(rows)) + shifts])
