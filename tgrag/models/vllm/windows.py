"""Texts longer than an embedding model reads: cut into windows whose vectors are averaged."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from tgrag.models.protocols import Vectors


def windows(tokens: Sequence[int], size: int) -> list[list[int]]:
    """Cut tokens into runs of at most ``size``, as even as can be; one empty run for no tokens."""
    n_runs = max(1, -(-len(tokens) // size))
    ends = [len(tokens) * number // n_runs for number in range(n_runs + 1)]
    return [list(tokens[begin:end]) for begin, end in pairwise(ends)]


def averaged(vectors: Vectors, weights: Sequence[int]) -> Vectors:
    """Return the mean of the vectors of windows, shape (windows, dimension), by their tokens, of length 1."""
    mean = np.average(vectors, axis=0, weights=np.maximum(weights, 1))
    unit: Vectors = (mean / max(float(np.linalg.norm(mean)), 1e-12)).astype(np.float32)
    return unit
