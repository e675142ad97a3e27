"""Given names: which full names a variant or diminutive may stand for, and whether they are a man's or a woman's.

Russian and Ukrainian come from the tables beside this module, one full name a line; English diminutives from the
package ``nicknames`` and English given names by sex (US census) from the package ``names``.
"""

from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Literal

from nicknames import NickNamer

from tgrag.language import fold
from tgrag.records import Language

Gender = Literal["m", "f"]

_MOSTLY = 10.0  # how much oftener a given name must be of one sex to tell it


@lru_cache(maxsize=100_000)
def full_names(word: str, language: Language) -> frozenset[str]:
    """Return the full names that a given name (folded) may stand for, itself among them if it is one; else none."""
    if language == "en":
        found = frozenset(full for full in _nicknamer().canonicals_of(word) if _is_short_for(word, full))
        return found | {word} if word in _census() or found else found
    return frozenset(full for full, _ in _table(language).get(word, ()))


@lru_cache(maxsize=100_000)
def given_gender(word: str, language: Language) -> Gender | None:
    """Return the sex of the people who have a given name (folded); None when it is unknown or both."""
    if language == "en":
        men, women = _census().get(word, (0.0, 0.0))
        if men > _MOSTLY * women:
            return "m"
        return "f" if women > _MOSTLY * men else None
    genders = {gender for _, gender in _table(language).get(word, ())}
    return genders.pop() if len(genders) == 1 else None


def _is_short_for(word: str, full: str) -> bool:
    """Tell whether a pair of the nicknames' table is one: it has some both ways round, and some across the sexes."""
    both_ways = word in _nicknamer().canonicals_of(full)
    return (
        not (both_ways and len(word) >= len(full))
        and len({given_gender(word, "en"), given_gender(full, "en")} - {None}) < 2
    )


def known_forms(language: Language) -> list[str]:
    """Return all given names and diminutives of the Russian or Ukrainian table, folded and sorted."""
    return sorted(_table(language))


@lru_cache(maxsize=2)
def _table(language: Language) -> Mapping[str, tuple[tuple[str, Gender], ...]]:
    table: defaultdict[str, dict[tuple[str, Gender], None]] = defaultdict(dict)
    text = files("tgrag.graph.names").joinpath(f"{language}.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        gender, full, *others = fold(line).split()
        for form in (full, *others):
            table[form][full, "m" if gender == "m" else "f"] = None
    return {form: tuple(fulls) for form, fulls in table.items()}


@lru_cache(maxsize=1)
def _census() -> Mapping[str, tuple[float, float]]:
    """Return for each English given name the percentage of men and of women who have it."""
    shares: dict[str, tuple[float, float]] = {}
    for place, sex in enumerate(("male", "female")):
        lines = files("names").joinpath(f"dist.{sex}.first").read_text(encoding="ascii").splitlines()
        for name, share, *_ in map(str.split, lines):
            before = shares.get(name.lower(), (0.0, 0.0))
            shares[name.lower()] = (float(share), before[1]) if place == 0 else (before[0], float(share))
    return shares


@lru_cache(maxsize=1)
def _nicknamer() -> NickNamer:
    return NickNamer()
