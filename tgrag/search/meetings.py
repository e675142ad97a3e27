"""«До встречи с Маркусом», "before he met her": the meeting that a question names as a limit, found in the text.

A meeting is where the text first speaks of both in one text unit.
"""

import re
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

import numpy as np

from tgrag.language import words
from tgrag.search.terms import question_terms
from tgrag.search.view import View

Side = Literal["before", "after"]

LEAST_SHARE = 0.5  # of the words of a name: «Лизавета» alone may mean Лизавета Ивановна

_LIMITS: dict[Side, str] = {
    "before": r"before|until|till|прежде,? чем|до того,? как|перед тем,? как|до|перш ніж|перед тим,? як|до того,? як",
    "after": r"after|since|после того,? как|с тех пор,? как|после|після того,? як|відколи|після",
}
_MEETING = (
    r"(?:met|meets?|meeting|got to know|встре[тч]\w*|познаком\w*|знаком\w*|зустр\w*|познайом\w*|знайом\w*)"
)
_NAMED = {
    side: re.compile(rf"\b(?:{ways})\s[^?!.;]*?\b{_MEETING}\b[^?!.;]*", re.IGNORECASE)
    for side, ways in _LIMITS.items()
}


@dataclass(frozen=True, slots=True)
class Meeting:
    """side: of it, that is asked about. text: the words that name it. unit: the row of the text unit where it happens."""

    side: Side
    text: str
    unit: int


def named_meetings(question: str, view: View) -> list[Meeting]:
    """Return the meetings that a question takes as a limit and that have happened in what is visible.

    Who meets is who is named in those words and, for a pronoun, who was named last before them.
    """
    found = []
    for side, pattern in _NAMED.items():
        if match := pattern.search(question):
            inside = _named(match.group(), view)
            outside = [entity for entity in _named(question[: match.start()], view) if entity not in inside]
            pair = [*outside, *inside][-2:]
            both = _units_with(pair, view) if inside and len(pair) == 2 else ()
            found += [Meeting(side, match.group().strip(), unit) for unit in both[:1]]
    return found


def _named(text: str, view: View) -> list[int]:
    """Return the canonical entities that the runs of capitalised words mean, in order, each once."""
    runs = (list(run) for is_name, run in groupby(words(text), lambda word: word[0].isupper()) if is_name)
    best = (_best(view.named_entities(question_terms(" ".join(run), view.languages)), view) for run in runs)
    return list(dict.fromkeys(entity for entity in best if entity is not None))


def _best(named: dict[int, float], view: View) -> int | None:
    """Return who is named most fully, of several the one whom most text units speak of."""
    most = max(named.values(), default=0.0)
    if most < LEAST_SHARE:
        return None
    entities = np.array(sorted(entity for entity, share in named.items() if share == most), dtype=np.int64)
    places, _ = view.units_with_each(entities)
    return int(entities[np.argmax(np.bincount(places, minlength=len(entities)))])


def _units_with(pair: list[int], view: View) -> list[int]:
    """Return the text units that speak of both, in reading order."""
    places, units = view.units_with_each(np.array(pair, dtype=np.int64))
    return sorted({*units[places == 0].tolist()} & {*units[places == 1].tolist()})
