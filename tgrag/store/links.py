"""Which rows of one table belong to which of another."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array

Integers = NDArray[np.int64]


def distinct(*rows: NDArray[np.integer]) -> Integers:
    """Return the distinct numbers of all arrays, ascending.

    By sorting: the hashing of ``np.unique`` (numpy 2.4) takes ten to twenty times as long for a thousand numbers and more.
    """
    every = np.sort(np.concatenate([np.empty(0, np.int64), *rows]))
    return every[np.flatnonzero(np.diff(every, prepend=-1 if not len(every) else every[0] - 1))]


@dataclass(frozen=True, slots=True)
class Links:
    """For each row of one table the rows of another: ``links[i]`` are those of row i, ascending."""

    offsets: Integers
    targets: NDArray[np.int32]

    def __getitem__(self, row: int) -> Integers:
        return self.targets[self.offsets[row] : self.offsets[row + 1]].astype(np.int64)

    def of(self, rows: Integers) -> tuple[Integers, Integers]:
        """Return the links of several rows, one row after the other: the place in ``rows`` and the target of each."""
        lengths = self.offsets[rows + 1] - self.offsets[rows]
        places = np.repeat(np.arange(len(rows)), lengths)
        shifts = self.offsets[rows] - (np.cumsum(lengths) - lengths)
        return places, self.targets[np.arange(len(places)) + shifts[places]].astype(np.int64)

    def totals(self, mask: NDArray[np.bool_]) -> Integers:
        """Return for each row how many of its targets are inside the mask."""
        before = np.zeros(len(self.targets) + 1, dtype=np.int64)
        np.cumsum(mask[self.targets], out=before[1:])
        result: Integers = before[self.offsets[1:]] - before[self.offsets[:-1]]
        return result

    @classmethod
    def from_pairs(cls, sources: Integers, targets: Integers, n_sources: int) -> "Links":
        """Sort pairs of rows by their source; those of one source are given with ascending targets."""
        pairs = coo_array(
            (targets, (sources, np.arange(len(sources)))), shape=(n_sources, max(1, len(sources)))
        )
        counted = pairs.tocsr()  # by counting, in linear time
        return cls(counted.indptr.astype(np.int64), counted.data.astype(np.int32))
