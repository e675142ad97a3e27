"""Persons whom a model calls by what they are: «старая графиня», «инженер», "the old countess".

Such a name is a noun with its adjectives. It means the one person who bears that noun as a title, or of whom the
model's descriptions say it («Молодой инженер, расчетливый немец, который…»), or who is to the same person what it
says («муж бабушки»). Two names that one answer lists side by side are two persons. Everything is read in story
order, so each decision knows the text so far only.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from tgrag.extract.keys import lemma_key
from tgrag.graph.given_names import Gender
from tgrag.graph.resolve import Mention
from tgrag.language import fold, lemma, parses, words
from tgrag.records import Language

REASON = "called by what the other is"
OFTEN = 2  # units that call a person so, before the noun alone means him
RECENT = 2  # text units back: a person just called so is meant by the noun alone
MOST_OWNERS = 4  # words that say whose somebody is
PLURAL = "+"  # marks the noun of many
_GENDERS: dict[str, Gender] = {"masc": "m", "femn": "f"}
_END = re.compile(r"[.;:,—]|\s[-–]\s|\b(?:котор|чь[яйеи]|як[аиийе]|who|whose|which|that)\w*", re.IGNORECASE)
_BREAK = re.compile(r"[,—]|\s[-–]\s")
_ONE_OF = re.compile(
    r"\s*(?:(?:один|одна|одно) (?:из|із|з|зі)|one of (?:the|his|her|their))\s+", re.IGNORECASE
)
_FUNCTION_WORDS = frozenset({"PREP", "CONJ", "PRCL"})
_ARTICLES = frozenset({"a", "an", "the"})
_EN_AFTER = frozenset({"of", "in", "at", "from", "to", "by", "for", "on", "with", "and", "near", "is", "was"})
ANYBODY = frozenset({"человек", "мужчина", "женщина", "девушка", "особа", "людина", "чоловік", "жінка", "дівчина",
                      "man", "woman", "girl", "boy", "person"})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun with its adjectives. head: the noun, marked where it is a plural; whole: all of it, as lemmas.

    owners: lemmas of what follows in the genitive («муж бабушки»), each word in all its readings. gender: of the noun,
    None in English and in the plural.
    """

    head: str
    whole: tuple[str, ...]
    owners: frozenset[str] = frozenset()
    gender: Gender | None = None

    @property
    def is_plural(self) -> bool:
        return self.head.endswith(PLURAL)


def phrase(text: str, language: Language) -> Phrase | None:
    """Return the noun phrase in the nominative with which a text begins, if it begins with one.

    A word that may be either («старий») is an adjective where a noun follows. «Один из приятелей» is a friend; a
    participle that stands alone is a noun («Умершая, которая…»).
    """
    one_of = _ONE_OF.match(text)
    spoken = words(text[one_of.end() :] if one_of else text)
    if language == "en":
        return _english(spoken)
    whole: list[str] = []
    alone: Phrase | None = None
    for place, word in enumerate(spoken):
        found = parses(word, language)
        if found[0].tag.POS in _FUNCTION_WORDS:  # «по» is also a river
            break
        case = "gent" if one_of else "nomn"
        fitting = [p for p in found if p.tag.case == case or p.tag.POS == "NUMR"]
        noun = next((p for p in fitting if p.tag.POS == "NOUN"), None)
        adjective = next((p for p in fitting if p.tag.POS in ("ADJF", "PRTF", "NUMR")), None)
        if noun is not None:
            many = noun.tag.number == "plur" and not one_of
            head = fold(noun.normal_form) + (PLURAL if many else "")
            gender = None if many else _GENDERS.get(str(noun.tag.gender))
            alone = Phrase(head, (*whole, head), _owners(spoken[place + 1 :], language), gender)
        if adjective is None:
            return alone
        whole.append(fold(word) if "PRTF" in adjective.tag.grammemes else fold(adjective.normal_form))
    return alone or _participle(spoken, whole, language)


def _participle(spoken: Sequence[str], whole: Sequence[str], language: Language) -> Phrase | None:
    """Return the participle that stands for a noun when it is all that was read."""
    if len(whole) != 1:
        return None
    reading = next((p for p in parses(spoken[0], language) if p.tag.POS == "PRTF"), None)
    gender = (
        None if reading is None or reading.tag.number == "plur" else _GENDERS.get(str(reading.tag.gender))
    )
    return Phrase(whole[0], tuple(whole), frozenset(), gender) if gender else None


def _owners(following: Sequence[str], language: Language) -> frozenset[str]:
    found: set[str] = set()
    for word in following[:MOST_OWNERS]:
        genitives = {fold(p.normal_form) for p in parses(word, language) if p.tag.case == "gent"}
        if not genitives:
            break
        found |= genitives
    return frozenset(found)


def _english(spoken: Sequence[str]) -> Phrase | None:
    whole: list[str] = []
    owners: set[str] = set()
    for place, word in enumerate(spoken):
        if fold(word) in _EN_AFTER:
            if fold(word) == "of":
                owners |= {fold(owner) for owner in spoken[place + 1 : place + 1 + MOST_OWNERS]}
            break
        if fold(word).endswith("'s"):
            owners.add(fold(word)[:-2])
        elif fold(word) not in _ARTICLES:
            whole.append(lemma(word, "en"))
    return Phrase(whole[-1], tuple(whole), frozenset(owners)) if whole else None


def predicates(description: str, language: Language) -> Iterator[Phrase]:
    """Yield what a description says that its subject is: the phrases before the first clause that tells of deeds."""
    rest = description
    while rest:
        end = _END.search(rest)
        part = rest[: end.start()] if end else rest
        found = phrase(part, language)
        if found is not None and (rest is description or not _is_deed(part, language)):
            yield found
        if end is None or not _BREAK.fullmatch(end.group()):
            return
        rest = rest[end.end() :]


def _is_deed(part: str, language: Language) -> bool:
    """Tell whether a clause begins with a participle, as one that tells of deeds does («желающий уйти»)."""
    spoken = words(part)
    return language != "en" and parses(spoken[0], language)[0].tag.POS == "PRTF"


def is_epithet(name: str) -> bool:
    """Tell whether a name has no word of a proper one."""
    spoken = [word for word in words(name) if fold(word) not in _ARTICLES]
    return bool(spoken) and all(word[0].islower() for word in spoken)


class Identity(Protocol):
    """Who is who so far."""

    def whose(self, entity_id: str) -> int | None:
        """Return a number for whom a name means now; None for a name that is not known yet."""

    def together(self, entity_id: str) -> Iterable[str]:
        """Return all names that mean the same as this one now, itself among them."""


@dataclass(slots=True)
class _Called:
    """What the bearer of a name has been called under it.

    since: the ordinal of its first mention; titles: nouns of the name; nouns: with the ordinals that said so.
    """

    since: int
    named: bool = False
    titles: set[str] = field(default_factory=set)
    nouns: defaultdict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    apart: set[str] = field(default_factory=set)


class Reader:
    """Reads one series; knows which names have been called what. Who is who is told by ``identity``."""

    def __init__(self, identity: Identity) -> None:
        self._identity = identity
        self._called: dict[str, _Called] = {}
        self._by_word: defaultdict[str | tuple[str, ...], dict[str, None]] = defaultdict(dict)
        self._roles: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)

    def read(self, present: Sequence[Mention], ordinal: int) -> Iterator[tuple[str, str]]:
        """Take in a unit's persons; yield who is found to be one, to be made one before the next is asked for."""
        known = [m for m in present if self._identity.whose(m.entity_id) is not None]
        ids = {m.entity_id for m in known}
        for key in sorted(ids):
            self._called.setdefault(key, _Called(ordinal)).apart |= ids - {key}
        for mention in known:
            own = phrase(mention.extracted.name, mention.unit.language)
            said = list(predicates(mention.extracted.description, mention.unit.language))
            roles = list(_roles(mention, said, known))
            other = self._meant(mention, own, said, roles, ordinal)
            if other is not None:
                yield mention.entity_id, other
            self._remember(mention, own, said, roles, ordinal)

    def _meant(
        self,
        mention: Mention,
        own: Phrase | None,
        said: Sequence[Phrase],
        roles: Sequence[tuple[str, str]],
        ordinal: int,
    ) -> str | None:
        here = mention.entity_id
        if not is_epithet(mention.extracted.name):
            called = [
                key for p in said if len(p.whole) > 1 for key in self._fitting(here, p.whole, named=False)
            ]
            return self._one(called) or self._one(self._in_roles(here, roles, named=False))
        if own is None:
            return None
        exact = self._fitting(here, own.whole, named=True) if len(own.whole) > 1 else []
        if own.head in ANYBODY:
            return self._one(exact) or self._one(self._spoken_of(here, own.head, ordinal))
        titled = [k for k in self._fitting(here, own.head) if own.head in self._called[k].titles]
        return (
            self._one(titled)
            or self._one(exact)
            or self._one(self._spoken_of(here, own.head, ordinal))
            or self._one(self._in_roles(here, [role for role in roles if role[0] == own.head]))
            or self._one([k for p in said for k in self._spoken_of(here, p.head, ordinal)])
        )

    def _spoken_of(self, here: str, head: str, ordinal: int) -> list[str]:
        """Return the named persons of whom the noun was said often or just now; a general noun, both."""
        found: defaultdict[int | None, list[int]] = defaultdict(list)
        keys: dict[int | None, str] = {}
        for key in self._fitting(here, head, named=True):
            root = self._identity.whose(key)
            keys.setdefault(root, key)
            found[root] += self._called[key].nouns[head]
        spoken = []
        for root, when in found.items():
            often, recent = len(set(when)) >= OFTEN, ordinal - max(when) <= RECENT
            if (often and recent) if head in ANYBODY else (often or recent):
                spoken.append(keys[root])
        return spoken

    def _in_roles(self, here: str, roles: Sequence[tuple[str, str]], named: bool | None = None) -> list[str]:
        """Return the names of those who are to the same persons the same as is said here."""
        whose = self._identity.whose
        return [
            key
            for head, owner in roles
            for key in self._fitting(here, head, named)
            if any(k == key and whose(o) == whose(owner) for k, o in self._roles[head])
        ]

    def _fitting(self, here: str, word: str | tuple[str, ...], named: bool | None = None) -> list[str]:
        """Return the names of other persons of whom the word was said. named: under which at least one is a name."""
        candidates = self._by_word.get(word)
        if not candidates:
            return []
        whose = self._identity.whose
        others = {whose(key) for key in self._apart(here)} | {whose(here)}
        return [
            key
            for key in candidates
            if whose(key) not in others and (named is None or self._is_named(key) == named)
        ]

    def _apart(self, here: str) -> Iterator[str]:
        """Yield the names that stood side by side with one of the same person's."""
        for name in self._identity.together(here):
            if name in self._called:
                yield from self._called[name].apart

    def _is_named(self, here: str) -> bool:
        names = self._identity.together(here)
        return any(self._called[name].named for name in names if name in self._called)

    def _one(self, found: Iterable[str]) -> str | None:
        """Return the person whom all these names mean, if it is one, by his first name that is one."""
        different = {self._identity.whose(key): key for key in found}
        if len(different) != 1:
            return None
        (found_key,) = different.values()
        names = [key for key in self._identity.together(found_key) if key in self._called]
        return min(names, key=lambda key: (not self._called[key].named, self._called[key].since, key))

    def _remember(
        self,
        mention: Mention,
        own: Phrase | None,
        said: Sequence[Phrase],
        roles: Sequence[tuple[str, str]],
        ordinal: int,
    ) -> None:
        key = mention.entity_id
        called = self._called[key]
        called.named |= not is_epithet(mention.extracted.name)
        if own is not None:
            called.titles.add(own.head)
        for spoken in (*said, *([own] if own else [])):
            if called.nouns[spoken.head][-1:] != [ordinal]:
                called.nouns[spoken.head].append(ordinal)
            self._by_word[spoken.head][key] = None
            self._by_word[spoken.whole][key] = None
        for head, owner in roles:
            self._roles[head].append((key, owner))


def _roles(mention: Mention, said: Sequence[Phrase], present: Sequence[Mention]) -> Iterator[tuple[str, str]]:
    """Yield what a description says that its subject is to others who are present: noun and entity id."""
    for spoken in said:
        fitting = [
            (len(key), other.entity_id)
            for other in present
            for key in [lemma_key(other.extracted.name, "PERSON", other.unit.language)]
            if other.entity_id != mention.entity_id and words(key) and spoken.owners.issuperset(words(key))
        ]
        if fitting and not spoken.is_plural:
            yield spoken.head, max(fitting)[1]
