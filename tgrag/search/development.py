"""«Как изменился X?»: telling a question about a development, and showing it over the whole span of the text.

The states most like such a question stand close together; a development is seen when every stage of it is there.
"""

import re
from collections.abc import Sequence

import numpy as np

from tgrag.search.fuse import Ranking
from tgrag.search.question import Question
from tgrag.search.units import in_front
from tgrag.search.view import View
from tgrag.store.links import Integers, distinct

_ASKS_CHANGE = re.compile(
    r"\bкак\w*\b.{0,40}\b(?:из)?мен(?:ял|ил|яет|илос|ен)\w*|\bкак\b.{0,20}\b(?:складывал|развивал|эволюцион)\w*"
    r"|\bяк\w*\b.{0,40}\bзмін(?:ю|и)\w*|\bяк\b.{0,20}\b(?:складал|розвива)\w*"
    r"|\bhow\b.{0,60}\b(?:chang|evolv|develop|transform)\w*",
    re.IGNORECASE,
)


def asks_change(question: str) -> bool:
    """Tell whether a question asks how someone or something changes."""
    return bool(_ASKS_CHANGE.search(question))


def subjects(question: Question, view: View) -> list[int]:
    """Return the canonical entities of which the question names the largest part of a name, none when it names none."""
    named = view.named_entities(question.idf)
    most = max(named.values(), default=0.0)
    return sorted(entity for entity, share in named.items() if share == most)


def states_over_time(entities: Sequence[int], view: View, n: int) -> Integers:
    """Return up to n states of the entities in order of appearance, evenly spread over all of them."""
    rows = distinct(*(view.states_of(entity) for entity in entities))
    chosen: Integers = rows[np.unique(np.linspace(0, len(rows) - 1, min(n, len(rows))).round().astype(int))]
    return chosen


def with_stages(states: Ranking, stages: Integers) -> Ranking:
    """Return the stages, in order, in place of as many of the ranked states; those ranked keep their scores."""
    known = states.as_dict()
    worst = float(states.scores.min()) if len(states) else 0.0
    chosen = Ranking(stages, np.array([known.get(row, worst) for row in stages.tolist()], dtype=float))
    return in_front(chosen, states, len(stages)).head(max(len(states), len(stages)))
