"""Links from the first hits to other text units: a title that they name, a rare entity that they share."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import log1p

import numpy as np

from tgrag.language import lemma, words
from tgrag.records import TextUnit
from tgrag.search.fuse import Ranking, ranked
from tgrag.search.view import View

MOST_UNITS = 10  # in which an entity, or under which a title, is rare enough to lead somewhere
LONGEST_TITLE = 8  # words


def title_links(first: Sequence[TextUnit], view: View) -> Ranking:
    """Return the text units under a title that the ``first`` units name, by how rare the title is.

    first: best first. A unit's own titles lead nowhere.
    """
    gained: defaultdict[int, float] = defaultdict(float)
    for unit in first:
        own = view.title_keys(unit)
        for key in _named_titles(unit, view) - own:
            rows = view.units_titled(key)
            if 0 < len(rows) <= MOST_UNITS:
                for row in rows.tolist():
                    gained[row] = max(gained[row], _rarity(len(rows), view))
    return _ranking(gained)


def shared_entities(first: Sequence[int], asked: Mapping[int, float], view: View) -> Ranking:
    """Return the text units that share rare entities with the ``first`` ones, by the sum of how rare they are.

    asked: the entities that the question names, which do not count.
    """
    entities = sorted({e for row in first for e in view.entities_in(row).tolist()} - asked.keys())
    places, units = view.units_with_each(np.array(entities, dtype=np.int64))
    n_units = np.bincount(places, minlength=len(entities))
    weights = np.array([_rarity(n, view) if 1 < n <= MOST_UNITS else 0.0 for n in n_units.tolist()])
    rare = weights[places] > 0
    rows, at = np.unique(units[rare], return_inverse=True)
    gained = np.bincount(at, weights=weights[places[rare]], minlength=len(rows))
    return ranked(rows, gained.astype(np.float64))


def _named_titles(unit: TextUnit, view: View) -> set[tuple[str, ...]]:
    """Return the titles of this index that stand in a text as names, in any inflection, by their lemmas."""
    written = words(unit.text)
    tokens = [lemma(word, unit.language) for word in written]
    found = set()
    for start, token in enumerate(tokens):
        if not written[start][0].isupper():
            continue
        longest = min(view.longest_title(token), LONGEST_TITLE, len(tokens) - start)
        for length in range(longest, 0, -1):
            key = tuple(tokens[start : start + length])
            if len(view.units_titled(key)):
                found.add(key)
                break
    return found


def _rarity(n_units: int, view: View) -> float:
    return log1p((view.n_units - n_units + 0.5) / (n_units + 0.5))


def _ranking(gained: Mapping[int, float]) -> Ranking:
    rows = np.array(sorted(gained), dtype=np.int64)
    return ranked(rows, np.array([gained[row] for row in rows.tolist()], dtype=float))
