"""What a sentence tells of the names in it: that two of them are one bearer's, or that a name is a thing's.

A name comes as extraction gives it, in the nominative, so it is found in the sentence by the beginnings of its words.
"""

import re
from functools import lru_cache

from tgrag.language import words
from tgrag.records import Language

_CALLED: dict[Language, str] = {
    "en": r"alias|otherwise(?: called| known as| named)?|a\.k\.a\."
    r"|(?:also |better |commonly |generally |sometimes |formerly |once )?"
    r"(?:known|called|nicknamed|surnamed)(?: as)?|(?:who (?:is|was) )?(?:also )?called",
    "ru": r"(?:он|она) же|по (?:прозвищу|прозванию|прозванью|фамилии|имени)|прозван\w+|прозываем\w+|иначе|в крещении"
    r"|известн\w+ под именем|наз[ыв]+авш\w+ся|урожд[её]нн\w+|тож",
    "uk": r"(?:він|вона) же(?: й| и)?|на (?:прізвище|прізвисько|ім['’]я|ймення)|прозван\w+|званий|звана|що зветь?ся"
    r"|що звавсь|що звався|відом\w+ як|інакше|уроджен\w+",
}
_SIGN = r"[\s,:_*«»„“”\"'’()\-–—]*"
_KEPT = 4  # letters of a word that inflection leaves alone, or all but its last two
_ENDING = 2


@lru_cache(maxsize=20_000)
def _spoken(name: str) -> str:
    """Return a pattern for a name in any of its forms."""
    stems = (word[: max(_KEPT, len(word) - _ENDING)] for word in words(name))
    return r"[\s.\-]+".join(rf"{re.escape(stem)}\w*" for stem in stems)


def place_of(name: str, sentence: str) -> int | None:
    """Return where a sentence has a name, in whatever form; None where it has not."""
    found = re.search(rf"\b{_spoken(name)}", sentence, re.IGNORECASE) if words(name) else None
    return found.start() if found else None


@lru_cache(maxsize=3)
def _between(language: Language) -> re.Pattern[str]:
    return re.compile(rf"{_SIGN}(?:{_CALLED[language]}){_SIGN}", re.IGNORECASE)


def are_told_one(first: str, second: str, sentence: str, language: Language) -> bool:
    """Tell whether a sentence says outright that two names in it are one bearer's («Савло, він же Павло»)."""
    between = _between(language)
    if not between.search(sentence):
        return False
    spans = [[m.span() for m in re.finditer(rf"\b{_spoken(name)}", sentence)] for name in (first, second)]
    return any(
        between.fullmatch(sentence, min(a[1], b[1]), max(a[0], b[0])) is not None
        for a in spans[0]
        for b in spans[1]
        if min(a[1], b[1]) < max(a[0], b[0])
    )


_NAME = r"[^\W\d_a-zа-яіїєґ][\w'’ʼ-]+(?: [^\W\d_a-zа-яіїєґ][\w'’ʼ-]+){0,2}"
_ALSO = re.compile(
    rf"\(\s*(?P<alone>{_NAME})\s*\)"
    rf"|\([^()]*\b(?:зов[её]т|зовут|называ[юе]т|клич[еу]т?|зв[еу]т?ь?|назива[юєе]т?ь?|calls?|call)"
    rf" (?:его|е[её]|його|її|him|her) (?P<within>{_NAME})\s*\)"
    rf"|\b(?:по имени|по прозвищу|по прозванию|на ім['’ʼ]я|на прізвисько|named|nicknamed|known as"
    rf"|котор(?:ого|ую) зовут|якого звуть|яку звуть) (?P<called>{_NAME})"
)


def also_named(description: str) -> list[str]:
    """Return other names that a description gives its subject: "(Paul)", «по прозвищу Хромой», "known as Bill"."""
    return [re.sub(r"\s+", " ", next(filter(None, found.groups()))) for found in _ALSO.finditer(description)]


_THING_BEFORE = re.compile(
    r"\b(?:the|a|an|this|that|these|those|my|our|in|at|into|near|through)\s+$", re.IGNORECASE
)


def is_thing(name: str, sentence: str, language: Language) -> bool:
    """Tell whether an English name of one word stands where a thing's or a place's does ("the Dean", "in Asia")."""
    if language != "en" or " " in name:
        return False
    found = re.search(rf"\b{re.escape(name)}\b", sentence)
    return (
        found is not None
        and _THING_BEFORE.search(sentence, max(0, found.start() - 12), found.start()) is not None
    )
