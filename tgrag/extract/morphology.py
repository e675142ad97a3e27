"""Russian and Ukrainian word forms: which nominative a run of words has, decided from the run and its context."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Any

from tgrag.extract.lexicon import MORE_FUNCTION_WORDS
from tgrag.language import NAME_TAGS, parses
from tgrag.records import Language

CASES = {"nomn": "nomn", "gent": "gent", "gen1": "gent", "gen2": "gent", "datv": "datv", "accs": "accs",
         "acc2": "accs", "ablt": "ablt", "loct": "loct", "loc1": "loct", "loc2": "loct", "voct": "voct"}  # fmt: skip
_G, _D, _A, _I, _L = "gent", "datv", "accs", "ablt", "loct"
_GOVERNED: dict[Language, dict[frozenset[str], str]] = {
    "ru": {
        frozenset({_A, _L}): "в во на о об обо",
        frozenset(
            {_G}
        ): "у от ото до из изо без безо для около после против кроме возле мимо ради вместо среди",
        frozenset({_D}): "к ко благодаря вопреки",
        frozenset({_D, _A, _L}): "по",
        frozenset({_I, _G}): "с со",
        frozenset({_L}): "при",
        frozenset({_I, _A}): "за под подо перед пред над надо между",
        frozenset({_A}): "через про сквозь",
    },
    "uk": {
        frozenset({_G, _A, _L}): "у в",
        frozenset({_A, _L}): "на по о об",
        frozenset({_G}): "від од до без для після біля коло проти крім задля замість серед",
        frozenset({_G, _I}): "з із зі",
        frozenset({_D}): "к ік завдяки",
        frozenset({_L}): "при",
        frozenset({_I, _A}): "за під перед над між",
        frozenset({_A}): "через про крізь",
    },
}
GOVERNMENT: dict[Language, dict[str, frozenset[str]]] = {
    language: {word: cases for cases, words in table.items() for word in words.split()}
    for language, table in _GOVERNED.items()
}

_FUNCTION_WORDS = frozenset({"NPRO", "PREP", "CONJ", "PRCL", "INTJ", "PRED", "NUMR"})
_CONSONANT = re.compile(r"[бвгґджзйклмнпрстфхцчшщ]$", re.IGNORECASE)

# How much more a reading counts than its share among the readings of the word.
_NAME_WEIGHT = 5.0
_ANIMATE_WEIGHT = 1.5
_ADJECTIVE_WEIGHT = 0.5
_PLURAL_WEIGHT = 0.05  # of common nouns («Фарисеї»); names in the plural are rarer still
_PLURAL_NAME_WEIGHT = 0.01
_AS_IT_STANDS_WEIGHT = (
    0.06  # «Петр» or «Отрепьев» that the dictionary has only as plurals of «Петра» and «отрепье»
)
_NEUTER_WEIGHT = 0.3
_VOCATIVE_WEIGHT = 0.3
_UNLIKELY = 0.02  # locative without a preposition, a case the preposition does not govern, a bare «Пугачева» as a woman
_WOMAN_BY_SURNAME = 0.4  # «Зурину»: to a man rather than of a woman, when nothing else tells


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a word form.

    agreement: masc, femn, neut or plur. kind: a name tag of the dictionary («Surn»), else NOUN or ADJF.
    nominative: in lower case, in the reading's own gender and number. weight: relative to the word's others.
    """

    case: str
    agreement: str
    kind: str
    nominative: str
    animate: bool
    known: bool
    weight: float


@lru_cache(maxsize=100_000)
def readings(word: str, language: Language) -> tuple[Reading, ...]:
    """Return the noun and adjective readings of a word form; none for a word that can be neither."""
    declined = [parse for parse in parses(word, language) if _case(parse)]
    total = sum(parse.score for parse in declined) or 1.0
    surnames = [parse.score for parse in declined if "Surn" in parse.tag.grammemes]
    found = []
    for parse in declined:
        # The scores of a surname's readings tell of its most famous bearer, not of the text at hand.
        score = sum(surnames) / len(surnames) if "Surn" in parse.tag.grammemes else parse.score
        nominative = parse.inflect({"nomn"})
        form = nominative.word if nominative else parse.word
        for agreement in _agreements(parse.tag):
            found.append(_reading(parse, agreement, form, score / total))
    if (
        _CONSONANT.search(word)
        and found
        and all(r.agreement == "plur" and r.kind in NAME_TAGS for r in found)
    ):
        found.append(Reading("nomn", "masc", "NOUN", word.lower(), True, False, _AS_IT_STANDS_WEIGHT))
    return tuple(found)


def _case(parse: Any) -> str | None:
    if parse.tag.POS not in ("NOUN", "ADJF") or "Apro" in parse.tag.grammemes:
        return None
    return CASES.get(str(parse.tag.case))


def _agreements(tag: Any) -> tuple[str, ...]:
    if tag.number == "plur":
        return ("plur",)
    if "ms-f" in tag.grammemes or "Ms-f" in tag.grammemes or tag.gender is None:
        return ("masc", "femn")
    return (str(tag.gender),)


def _reading(parse: Any, agreement: str, nominative: str, share: float) -> Reading:
    tags = NAME_TAGS & parse.tag.grammemes
    is_noun = parse.tag.POS == "NOUN"
    animate = "anim" in parse.tag.grammemes
    kind = min(tags) if tags and is_noun else str(parse.tag.POS)
    case = CASES[str(parse.tag.case)]
    weight = share
    if kind in ("Surn", "Patr") or (parse.is_known and kind in NAME_TAGS):
        weight *= _NAME_WEIGHT
    elif is_noun and animate:
        weight *= _ANIMATE_WEIGHT
    elif not is_noun:
        weight *= _ADJECTIVE_WEIGHT
    if agreement == "plur":
        weight *= _PLURAL_NAME_WEIGHT if kind in NAME_TAGS else _PLURAL_WEIGHT
    elif agreement == "neut":
        weight *= _NEUTER_WEIGHT
    if case == "voct":
        weight *= _VOCATIVE_WEIGHT
    return Reading(case, agreement, kind, nominative, animate, bool(parse.is_known), weight)


@dataclass(frozen=True, slots=True)
class Context:
    """What stands around a name. preposition: the word right before it, where it is one. noun: an animate common
    noun before it («капитана» Миронова). woman: a verb or the like says that the name in the nominative is a
    woman's. as_name: the words are given as a name, so the nominative is the first guess."""

    preposition: str | None = None
    noun: str | None = None
    woman: bool = False
    as_name: bool = False


@dataclass(frozen=True, slots=True)
class Form:
    """The nominative of a run of words, word by word in lower case, with the readings chosen."""

    words: tuple[str, ...]
    readings: tuple[Reading, ...]


def nominative(words: Sequence[str], language: Language, context: Context) -> Form | None:
    """Return the nominative of words that agree in case, gender and number; None when they do not agree."""
    options = [_best_by_agreement(word, language, context) for word in words]
    around = _best_by_agreement(context.noun, language, context) if context.noun else {}
    totals: dict[tuple[str, ...], float] = defaultdict(float)
    best: dict[tuple[str, ...], tuple[float, tuple[Reading, ...]]] = {}
    for key in sorted(set.intersection(*(set(option) for option in options))):
        chosen = tuple(option[key][1] for option in options)
        weight = prod(option[key][0] for option in options)
        if around:
            weight *= around[key][0] if key in around else _UNLIKELY
        form = tuple(reading.nominative for reading in chosen)
        totals[form] += weight
        best[form] = max(
            best.get(form, (0.0, chosen)), (weight, chosen), key=lambda pair: (pair[0], str(pair[1]))
        )
    if not totals:
        return None
    form = max(totals, key=lambda f: (round(totals[f], 9), f))
    return Form(form, best[form][1])


def _best_by_agreement(
    word: str, language: Language, context: Context
) -> dict[tuple[str, str], tuple[float, Reading]]:
    best: dict[tuple[str, str], tuple[float, Reading]] = {}
    for reading in readings(word, language):
        key = (reading.case, reading.agreement)
        weight = reading.weight * _fit(reading, language, context)
        if key not in best or weight > best[key][0]:
            best[key] = (weight, reading)
    return best


def _fit(reading: Reading, language: Language, context: Context) -> float:
    if context.as_name:
        return 1.0 if reading.case == "nomn" else _UNLIKELY
    governed = GOVERNMENT[language].get(context.preposition or "")
    if governed:
        return 1.0 if reading.case in governed else _UNLIKELY
    if reading.case == "loct":
        return _UNLIKELY
    if context.woman:
        return 1.0 if (reading.case, reading.agreement) == ("nomn", "femn") else _UNLIKELY
    if reading.kind == "Surn" and reading.agreement == "femn":
        return _UNLIKELY if reading.case == "nomn" else _WOMAN_BY_SURNAME
    return 1.0


@lru_cache(maxsize=100_000)
def is_function_word(word: str, language: Language) -> bool:
    """Tell whether a word can be a pronoun, preposition, conjunction, particle or the like."""
    return word.lower() in MORE_FUNCTION_WORDS[language] or any(
        parse.is_known and (str(parse.tag.POS) in _FUNCTION_WORDS or {"Apro", "Dist"} & parse.tag.grammemes)
        for parse in parses(word, language)
    )


def is_known(word: str, language: Language) -> bool:
    """Tell whether the dictionary has the word."""
    return bool(parses(word, language)[0].is_known)


@lru_cache(maxsize=100_000)
def may_be_noun(word: str, language: Language) -> bool:
    """Tell whether the likeliest reading of a word is a noun."""
    return str(parses(word, language)[0].tag.POS) == "NOUN" and not is_function_word(word, language)
