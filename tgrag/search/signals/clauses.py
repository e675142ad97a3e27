"""The clauses of a question, each searched for by itself: what it asks in two breaths stands in two places.

"Why was A sent away, and who took his place?" is, as a whole, most like a unit that says a little of both.
"""

import re
from collections.abc import Sequence

import numpy as np

from tgrag.records import Language
from tgrag.search.fuse import Ranking, ranked
from tgrag.search.likeness import NOTHING, alike
from tgrag.search.signals.second_step import Embed
from tgrag.search.terms import question_terms
from tgrag.search.view import View

MOST = 6  # clauses of a question, each of which is embedded
LEAST_WORDS = 2  # of meaning, in a clause

_CUT = re.compile(
    r"\s*[;:?!,](?:\s+(?:и|а|но|або|та|й|і|а також|and|but|or|while|whereas)\b)?\s+|\s+[—–-]\s+"
    r"|\s+and\s+(?=(?:who|whom|whose|what|where|when|why|how|which)\b)",
    re.IGNORECASE,
)


def clauses(question: str, languages: Sequence[Language]) -> list[str]:
    """Return the clauses of a question that say something, in order; none when there are not several.

    languages: of the text.
    """
    parts = [part.strip(" ?!.") for part in _CUT.split(question)]
    telling = [part for part in parts if len(question_terms(part, languages)) >= LEAST_WORDS]
    return telling[:MOST] if len(telling) > 1 else []


def clause_search(asked: Sequence[str], embed: Embed, view: View, depth: int) -> Ranking:
    """Return the units most like any of the clauses: the best of each has 1, the worst 0. Embeds once."""
    found = [
        alike(vector, view.idf(question_terms(clause, view.languages)), view, depth)
        for clause, vector in zip(asked, embed(asked), strict=True)
    ]
    shares = [_share_of_best(ranking) for ranking in found if len(ranking)]
    if not shares:
        return NOTHING
    rows, places = np.unique(np.concatenate([ranking.rows for ranking in shares]), return_inverse=True)
    best = np.zeros(len(rows))
    np.maximum.at(best, places, np.concatenate([ranking.scores for ranking in shares]))
    return ranked(rows, best)


def _share_of_best(ranking: Ranking) -> Ranking:
    low, high = float(ranking.scores.min()), float(ranking.scores.max())
    return Ranking(ranking.rows, (ranking.scores - low) / max(high - low, 1e-9))
