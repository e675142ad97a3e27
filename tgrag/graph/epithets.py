"""Persons whom a model calls by what they are: «старая графиня», «инженер», "the old countess".

Such a name is a noun with its adjectives. It means the one person who bears that noun as a title, or of whom the
model's descriptions say it («Молодой инженер, расчетливый немец, который…»). Two names that one answer lists side
by side are two persons. Everything is read in story order, so each decision knows the text so far only.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tgrag.graph.resolve import Mention
from tgrag.language import fold, lemma, parses, words
from tgrag.records import Language

REASON = "called by what the other is"
OFTEN = 2  # units that call a person so, before the noun alone means him
RECENT = 2  # text units back: a person just called so is meant by the noun alone
_END = re.compile(r"[.;:,—]|\s[-–]\s|\b(?:котор|чь[яйеи]|як[аиийе]|who|whose|which|that)\w*", re.IGNORECASE)
_BREAK = re.compile(r"[,—]|\s[-–]\s")
_ARTICLES = frozenset({"a", "an", "the"})
_EN_AFTER = frozenset({"of", "in", "at", "from", "to", "by", "for", "on", "with", "and", "near", "is", "was"})
_ANYBODY = frozenset({"человек", "мужчина", "женщина", "девушка", "особа", "людина", "чоловік", "жінка", "дівчина",
                      "man", "woman", "girl", "boy", "person"})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun with its adjectives. head: the noun, marked where it is a plural; whole: all of it, as lemmas."""

    head: str
    whole: tuple[str, ...]


def phrase(text: str, language: Language) -> Phrase | None:
    """Return the noun phrase in the nominative with which a text begins, if it begins with one.

    A word that may be either («старий») is an adjective where a noun follows.
    """
    if language == "en":
        return _english(text)
    whole: list[str] = []
    alone: Phrase | None = None
    for word in words(text):
        fitting = [p for p in parses(word, language) if p.tag.case == "nomn" or p.tag.POS == "NUMR"]
        noun = next((p for p in fitting if p.tag.POS == "NOUN"), None)
        adjective = next((p for p in fitting if p.tag.POS in ("ADJF", "PRTF", "NUMR")), None)
        if noun is not None:
            head = fold(noun.normal_form) + ("+" if noun.tag.number == "plur" else "")
            alone = Phrase(head, (*whole, head))
        if adjective is None:
            return alone
        whole.append(fold(adjective.normal_form))
    return alone


def _english(text: str) -> Phrase | None:
    whole = []
    for word in words(text):
        if fold(word) in _EN_AFTER:
            break
        if fold(word) not in _ARTICLES:
            whole.append(lemma(word, "en"))
    return Phrase(whole[-1], tuple(whole)) if whole else None


def predicates(description: str, language: Language) -> Iterator[Phrase]:
    """Yield what a description says that its subject is: the phrases before the first clause that tells of deeds."""
    rest = description
    while rest:
        end = _END.search(rest)
        part = rest[: end.start()] if end else rest
        found = phrase(part, language)
        if found is not None:
            yield found
        if end is None or not _BREAK.fullmatch(end.group()):
            return
        rest = rest[end.end() :]


def is_epithet(name: str) -> bool:
    """Tell whether a name has no word of a proper one."""
    spoken = [word for word in words(name) if fold(word) not in _ARTICLES]
    return bool(spoken) and all(word[0].islower() for word in spoken)


@dataclass(slots=True)
class _Called:
    """What one person has been called. titles: nouns of his names; nouns: with the ordinals that said so."""

    named: bool = False
    titles: set[str] = field(default_factory=set)
    nouns: defaultdict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    apart: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class SamePerson:
    """An epithet and whom it means, with the unit that lets one know."""

    epithet_id: str
    person_id: str
    series_id: str
    ordinal: int


def same_persons(mentions: Sequence[Mention]) -> list[SamePerson]:
    """Return whom the epithets of all series mean; ``mentions`` in reading order."""
    persons = [m for m in mentions if m.extracted.type == "PERSON"]
    with_epithets = {m.unit.series_id for m in persons if is_epithet(m.extracted.name)}
    units: defaultdict[tuple[str, int], list[Mention]] = defaultdict(list)
    for mention in persons:
        if mention.unit.series_id in with_epithets:
            units[mention.unit.series_id, mention.unit.ordinal].append(mention)
    readers: dict[str, _Reader] = {}
    found: list[SamePerson] = []
    for (series_id, ordinal), present in sorted(units.items(), key=lambda item: item[0]):
        reader = readers.setdefault(series_id, _Reader())
        for epithet, person in reader.read(present, ordinal):
            found.append(SamePerson(epithet, person, series_id, ordinal))
    return found


class _Reader:
    """Reads one series; knows who has been called what."""

    def __init__(self) -> None:
        self._leader: dict[str, str] = {}
        self._called: dict[str, _Called] = {}
        self._by_word: defaultdict[str | tuple[str, ...], set[str]] = defaultdict(set)

    def read(self, present: Sequence[Mention], ordinal: int) -> Iterator[tuple[str, str]]:
        """Take in a unit's persons; yield who is found to be one."""
        ids = {m.entity_id for m in present}
        for key in sorted(ids):
            self._leader.setdefault(key, key)
            self._called.setdefault(self._root(key), _Called())
        for key in sorted(ids):
            self._called[self._root(key)].apart |= ids - {key}
        for mention in present:
            own = phrase(mention.extracted.name, mention.unit.language)
            said = list(predicates(mention.extracted.description, mention.unit.language))
            other = self._meant(mention, own, said, ordinal)
            if other is not None:
                yield mention.entity_id, other
                self._unite(mention.entity_id, other)
            self._remember(mention, own, said, ordinal)

    def _meant(
        self, mention: Mention, own: Phrase | None, said: Sequence[Phrase], ordinal: int
    ) -> str | None:
        here = self._root(mention.entity_id)
        if not is_epithet(mention.extracted.name):
            called = [
                key for p in said if len(p.whole) > 1 for key in self._fitting(here, p.whole, named=False)
            ]
            return self._one(called)
        if own is None:
            return None
        exact = self._fitting(here, own.whole, named=True) if len(own.whole) > 1 else []
        if own.head in _ANYBODY:
            return self._one(exact)
        titled = [k for k in self._fitting(here, own.head) if own.head in self._called[k].titles]
        return (
            self._one(titled)
            or self._one(exact)
            or self._one(self._spoken_of(here, own.head, ordinal))
            or self._one([k for p in said for k in self._spoken_of(here, p.head, ordinal)])
        )

    def _spoken_of(self, here: str, head: str, ordinal: int) -> list[str]:
        """Return the named persons of whom the noun was said often or just now."""
        if head in _ANYBODY:
            return []
        found = []
        for key in self._fitting(here, head, named=True):
            when = self._called[key].nouns[head]
            if len(when) >= OFTEN or (when and ordinal - when[-1] <= RECENT):
                found.append(key)
        return found

    def _fitting(self, here: str, word: str | tuple[str, ...], named: bool | None = None) -> list[str]:
        apart = {self._root(key) for key in self._called[here].apart}
        roots = sorted({self._root(key) for key in self._by_word.get(word, ())} - apart - {here})
        return [
            root
            for root in roots
            if (named is None or self._called[root].named == named)
            and here not in {self._root(key) for key in self._called[root].apart}
        ]

    @staticmethod
    def _one(found: Iterable[str]) -> str | None:
        different = set(found)
        return different.pop() if len(different) == 1 else None

    def _remember(self, mention: Mention, own: Phrase | None, said: Sequence[Phrase], ordinal: int) -> None:
        root = self._root(mention.entity_id)
        called = self._called[root]
        called.named |= not is_epithet(mention.extracted.name)
        if own is not None:
            called.titles.add(own.head)
        for spoken in (*said, *([own] if own else [])):
            if called.nouns[spoken.head][-1:] != [ordinal]:
                called.nouns[spoken.head].append(ordinal)
            self._by_word[spoken.head].add(root)
            self._by_word[spoken.whole].add(root)

    def _unite(self, first: str, second: str) -> None:
        small, big = self._root(first), self._root(second)
        gone, kept = self._called.pop(small), self._called[big]
        self._leader[small] = big
        kept.named |= gone.named
        kept.titles |= gone.titles
        kept.apart |= gone.apart
        for head, when in gone.nouns.items():
            kept.nouns[head] = sorted({*kept.nouns[head], *when})

    def _root(self, key: str) -> str:
        while self._leader[key] != key:
            key = self._leader[key]
        return key
