"""Years and intervals that a question names, and the text units that name the same ones."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from tgrag.records import TextUnit
from tgrag.search.fuse import Ranking, ranked

_YEAR = r"(?<![\d.,])(1\d{3}|20\d{2})(?![\d]|[.,]\d)"
_YEARS = re.compile(_YEAR)
_BETWEEN = r"\s*(?:[-–—]|to|and|until|till|through|по|до|и|і|й)\s*(?:[^\W\d]+\.?\s+){0,2}"
_INTERVAL = re.compile(rf"{_YEAR}(?:\s*(?:г|гг|р|рр)\.?)?{_BETWEEN}{_YEAR}", re.IGNORECASE)
FULL_DATE = re.compile(r"\b(\d{4}-\d{2}-\d{2})\b")


@dataclass(frozen=True, slots=True)
class Dates:
    """years: all that are named. intervals: (first, last), a year alone not among them. days: ISO 8601."""

    years: frozenset[int]
    intervals: frozenset[tuple[int, int]]
    days: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.years or self.days)


@lru_cache(maxsize=4096)
def read_dates(text: str) -> Dates:
    """Return the years from 1000 to 2099 and the intervals of them that a text names."""
    days = frozenset(FULL_DATE.findall(text))
    rest = FULL_DATE.sub(" ", text)
    spans = ((int(first), int(last)) for first, last in _INTERVAL.findall(rest))
    years = frozenset(int(year) for year in _YEARS.findall(rest))
    return Dates(years, frozenset(span for span in spans if span[0] <= span[1]), days)


def date_match(asked: Dates, rows: Iterable[int], units: Iterable[TextUnit]) -> tuple[Ranking, Ranking]:
    """Return the units that name the same years (by their share), and those with an overlapping interval (by overlap).

    rows: of ``units``. The title of a unit's place and its document's date count as its text.
    """
    same: dict[int, float] = {}
    overlapping: dict[int, float] = {}
    for row, unit in zip(rows, units, strict=True):
        found = read_dates(" ".join([unit.book_title, *unit.headings, unit.text]))
        n_same = len(asked.years & found.years) + (unit.date in asked.days)
        same[row] = n_same / (len(asked.years) + len(asked.days))
        overlapping[row] = max((_overlap(a, b) for a in _spans(asked) for b in _spans(found)), default=0.0)
    return _positive(same), _positive(overlapping)


def _spans(dates: Dates) -> Iterable[tuple[int, int]]:
    return dates.intervals or ((year, year) for year in dates.years)


def _overlap(asked: tuple[int, int], found: tuple[int, int]) -> float:
    """Return the years that both have, as a share of the years that either has."""
    both = min(asked[1], found[1]) - max(asked[0], found[0]) + 1
    return max(0, both) / (max(asked[1], found[1]) - min(asked[0], found[0]) + 1)


def _positive(scores: dict[int, float]) -> Ranking:
    kept = {row: score for row, score in scores.items() if score > 0}
    return ranked(np.array([*kept], dtype=np.int64), np.array([*kept.values()], dtype=float))
