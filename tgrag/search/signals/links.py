"""Links from the first hits to other text units: a title that they name, a rare name that they share."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log1p

import numpy as np

from tgrag.language import lemma, words
from tgrag.records import TextUnit
from tgrag.search.fuse import Ranking, ranked
from tgrag.search.view import Scores, View
from tgrag.store.lexical import Term
from tgrag.store.links import Integers, Links, distinct

MOST_UNITS = 10  # in which a name, or under which a title, is rare enough to lead somewhere
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


@dataclass(frozen=True, slots=True)
class NameLinks:
    """What leads from some first hits to other text units: rare names that the question does not say.

    rows, gains: for each first hit, best first, the units that share such names with it, and how rare those are in sum.
    """

    first: Sequence[int]
    rows: Sequence[Integers]
    gains: Sequence[Scores]

    def head(self, n: int) -> "NameLinks":
        return NameLinks(self.first[:n], self.rows[:n], self.gains[:n])


def name_links(first: Sequence[int], terms: Iterable[Term], view: View) -> NameLinks:
    """Return the text units that share rare names, in whatever document, with each of the ``first`` ones.

    terms: of the question; a name made of them alone leads back to where the first hits were found.
    """
    asked = view.names_made_of(terms)
    names = [named[~np.isin(named, asked)] for named in view.names_in_each(np.array(first, dtype=np.int64))]
    every = distinct(*names)
    units_of = Links.from_pairs(*view.units_with_names(every, MOST_UNITS), len(every))
    n_units = np.diff(units_of.offsets)
    weights = np.array([_rarity(n, view) if 1 < n <= MOST_UNITS else 0.0 for n in n_units.tolist()])
    found = [
        _linked(row, np.searchsorted(every, of_one), units_of, weights)
        for row, of_one in zip(first, names, strict=True)
    ]
    return NameLinks(first, [rows for rows, _ in found], [gains for _, gains in found])


def _linked(row: int, names: Integers, units_of: Links, weights: Scores) -> tuple[Integers, Scores]:
    names = names[weights[names] > 0]
    places, units = units_of.of(names)
    rows, at = np.unique(units, return_inverse=True)
    gains = np.bincount(at, weights=weights[names][places], minlength=len(rows))
    return rows[rows != row], gains[rows != row]


def shared_names(links: NameLinks) -> Ranking:
    """Return the linked text units by the sum of what the first hits give each."""
    rows, at = np.unique(np.concatenate([np.empty(0, np.int64), *links.rows]), return_inverse=True)
    gained = np.bincount(at, weights=np.concatenate([np.empty(0), *links.gains]), minlength=len(rows))
    return ranked(rows, gained.astype(np.float64))


def bridges(links: NameLinks, idf: Mapping[Term, float], view: View) -> Ranking:
    """Return the linked text units that say of the question what the first hit at the other end of the link does not.

    A unit has the best of its links: how rare the names are, times the idf-weighted share of the question's words that
    it adds. "Who founded the company that made X?": X's unit names the company, the company's unit the founding.
    """
    terms = list(idf)
    weights = np.array([idf[term] for term in terms]) / max(sum(idf.values()), 1e-9)
    every = distinct(np.array(links.first, dtype=np.int64), *links.rows)
    words = view.words_in(terms, every)
    gained = np.zeros(len(every))
    for row, rows, gains in zip(links.first, links.rows, links.gains, strict=True):
        missing = weights * ~words[:, np.searchsorted(every, row)]
        linked = np.searchsorted(every, rows)
        gained[linked] = np.maximum(gained[linked], gains * (missing @ words[:, linked]))
    return ranked(every[gained > 0], gained[gained > 0])


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
