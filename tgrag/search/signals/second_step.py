"""A second search from the first hits: what the question asks in the light of the best units found so far.

"Who founded the company that made X?" finds the unit on X; the question with that unit's beginning finds the company.
"""

from collections.abc import Callable, Sequence

import numpy as np

from tgrag.models.protocols import Vectors
from tgrag.records import TextUnit
from tgrag.search.fuse import Ranking, ranked
from tgrag.search.view import View

FIRST_UNITS = 3
CHARACTERS = 250  # of a unit's beginning, which says what it is about

Embed = Callable[[Sequence[str]], Sequence[Vectors]]


def second_step(question: str, first: Sequence[TextUnit], embed: Embed, view: View, depth: int) -> Ranking:
    """Return the units nearest to the question with one of the ``first`` units, the best of all; embeds once."""
    queries = [f"{question} {' '.join(unit.text.split())[:CHARACTERS]}" for unit in first]
    if not queries:
        return Ranking(np.empty(0, np.int64), np.empty(0))
    found = [view.nearest_units(vector, depth) for vector in embed(queries)]
    rows, places = np.unique(np.concatenate([rows for rows, _ in found]), return_inverse=True)
    best = np.full(len(rows), -np.inf)
    np.maximum.at(best, places, np.concatenate([scores for _, scores in found]))
    return ranked(rows, best)
