"""Things, places and events that one model calls in several ways: «графинина спальня», «спальня графини», «спальня».

Two phrases of the same noun with the same words about it are one. A noun alone, when it first comes, means the one
phrase of that noun that the text has just used; phrases that one answer lists side by side are two things.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tgrag.graph.epithets import RECENT, is_epithet
from tgrag.graph.resolve import Mention
from tgrag.language import fold, lemma, parses, words
from tgrag.records import Language

SAME_WORDS = "the same in other words"
JUST_SAID = "a noun alone, just after what it names"
_POSSESSIVE = re.compile(r"(?P<stem>\w{2,})[иы]н(?:а|о|ы|ой|у|ым|ых|ого|ому|ою)?$")


@dataclass(frozen=True, slots=True)
class Thing:
    """head: the noun, marked where it is a plural; about: lemmas of all else but conjunctions."""

    head: str
    about: frozenset[str]


@lru_cache(maxsize=20_000)
def thing(name: str, language: Language) -> Thing | None:
    """Read a phrase; None when it has no noun in the nominative."""
    return _english(name) if language == "en" else _inflected(name, language)


def _inflected(name: str, language: Language) -> Thing | None:
    head: str | None = None
    about: set[str] = set()
    for word in words(name):
        found = parses(word, language)
        noun = next((p for p in found if p.tag.POS == "NOUN" and p.tag.case == "nomn"), None)
        owner = _owner(word, language)
        if owner is not None:
            about.add(owner)
        elif head is None and noun is not None and not any(p.tag.POS == "ADJF" for p in found[:1]):
            head = fold(noun.normal_form) + ("+" if noun.tag.number == "plur" else "")
        elif found[0].tag.POS != "CONJ":
            about.add(lemma(word, language))
    return Thing(head, frozenset(about)) if head else None


def _owner(word: str, language: Language) -> str | None:
    """Return whom a possessive adjective means: «графинина» is of the «графиня»."""
    found = _POSSESSIVE.match(fold(word))
    if found is None:
        return None
    for ending in ("я", "а"):
        for p in parses(found["stem"] + ending, language):
            if p.is_known and p.tag.number != "plur" and {"NOUN", "anim", "nomn"} <= p.tag.grammemes:
                return fold(p.normal_form)
    return None


def _english(name: str) -> Thing | None:
    spoken = [word for word in words(name) if fold(word) not in {"a", "an", "the"}]
    folded = [fold(word) for word in spoken]
    end = folded.index("of") if "of" in folded else len(folded)
    if end == 0:
        return None
    about = {re.sub(r"'s?$", "", word) for word in (*folded[: end - 1], *folded[end + 1 :])}
    many = lemma(spoken[end - 1], "en") != folded[end - 1]
    return Thing(lemma(spoken[end - 1], "en") + ("+" if many else ""), frozenset(about - {"and", "the"}))


@dataclass(frozen=True, slots=True)
class SameThing:
    """Two entities that are one, with the unit that lets one know, and why."""

    first_id: str
    second_id: str
    series_id: str
    ordinal: int
    reason: str


def same_things(mentions: Sequence[Mention]) -> list[SameThing]:
    """Return which things of all series are one, as far as a model names them; ``mentions`` in reading order."""
    units: defaultdict[tuple[str, int], list[Mention]] = defaultdict(list)
    for mention in mentions:
        said = mention.extracted
        if said.type != "PERSON" and is_epithet(said.name) and mention.in_own_words:
            units[mention.unit.series_id, mention.unit.ordinal].append(mention)
    readers: defaultdict[str, _Reader] = defaultdict(_Reader)
    return [
        SameThing(first, second, series_id, ordinal, reason)
        for (series_id, ordinal), present in sorted(units.items(), key=lambda item: item[0])
        for first, second, reason in readers[series_id].read(present, ordinal)
    ]


class _Reader:
    """Reads one series; knows which phrases of a noun it has used, and where last."""

    def __init__(self) -> None:
        self._last: dict[str, int] = {}
        self._read: dict[str, Thing] = {}
        self._same: dict[tuple[str, Thing], str] = {}
        self._phrases: defaultdict[tuple[str, str], list[str]] = defaultdict(list)

    def read(self, present: Iterable[Mention], ordinal: int) -> Iterator[tuple[str, str, str]]:
        """Take in a unit's things; yield which are found to be one with an earlier one, and why."""
        new: dict[str, tuple[str, Thing]] = {}
        listed = {mention.entity_id for mention in present}
        for mention in present:
            read = thing(mention.extracted.name, mention.unit.language)
            if mention.entity_id not in self._last and read is not None:
                new[mention.entity_id] = (mention.extracted.type, read)
        for key, (type, read) in new.items():
            if read.about:
                if other := self._same.get((type, read)):
                    yield key, other, SAME_WORDS
                continue
            just_said = [
                other
                for other in self._phrases[type, read.head]
                if other not in listed and ordinal - self._last[other] <= RECENT
            ]
            if len({self._read[other] for other in just_said}) == 1:
                yield key, just_said[0], JUST_SAID
        for key, (type, read) in new.items():
            self._read[key] = read
            if read.about:
                self._same.setdefault((type, read), key)
                self._phrases[type, read.head].append(key)
        for key in listed:
            self._last[key] = ordinal
