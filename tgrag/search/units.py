"""Text units by what the question says: vector similarity and BM25 fused, places that it names raised."""

import numpy as np

from tgrag.search.fuse import DEPTH, Ranking, fuse, raised, ranked, top
from tgrag.search.hints import unit_bonus
from tgrag.search.question import Question
from tgrag.search.view import View

NOTHING = Ranking(np.empty(0, np.int64), np.empty(0))


def rank_units(question: Question, view: View, candidates: int) -> Ranking:
    """Return the visible text units that either list puts among its first ``candidates``, best first."""
    depth = max(DEPTH, candidates)
    dense = NOTHING if question.vector is None else ranked(*view.nearest_units(question.vector, depth))
    lexical = top(view.lexical_scores(question.idf), depth)
    fused = fuse(dense, lexical, int(view.units.sum()), question.share(set(question.found)))
    return raised(fused, unit_bonus(question.hints, view))
