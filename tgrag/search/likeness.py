"""Text units that are like what is asked: by vectors and by words, fused."""

from collections.abc import Mapping

import numpy as np

from tgrag.models.protocols import Vectors
from tgrag.search.fuse import Ranking, fuse, ranked, top
from tgrag.search.view import View
from tgrag.store.lexical import Term

NOTHING = Ranking(np.empty(0, np.int64), np.empty(0))


def alike(vector: Vectors | None, idf: Mapping[Term, float], view: View, depth: int) -> Ranking:
    """Return the visible text units that either list puts among its first ``depth``, best first.

    vector: None leaves the words alone. idf: how rare each word is; what of it occurs weighs the words' list.
    """
    dense = NOTHING if vector is None else ranked(*view.nearest_units(vector, depth))
    lexical = top(view.lexical_scores(idf), depth)
    found = view.found(idf)
    total = sum(idf.values())
    share = sum(value for term, value in idf.items() if term in found) / total if total else 0.0
    return fuse(dense, lexical, view.n_units, share)
