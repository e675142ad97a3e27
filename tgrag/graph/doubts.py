"""Which pairs of names the rules leave open and a language model is to decide.

Candidates are found from what lies near, never from all pairs: who is related to the same person just now, of whom the
same noun was said, whose names begin alike, what is called by the same noun. A pair is asked about once, where the
text first gives rise to it and with what is known there; the graph as of that place needs nothing that comes later.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tgrag.chunk.sentences import sentences
from tgrag.graph.epithets import ANYBODY, Phrase, is_epithet, phrase, predicates
from tgrag.graph.given_names import Gender
from tgrag.graph.merging import Merging
from tgrag.graph.resolve import Mention
from tgrag.graph.things import thing
from tgrag.graph.told import place_of
from tgrag.graph.verdict import Candidate, Decision, Question
from tgrag.hashing import stable_hash
from tgrag.records import TextUnit

NEAR = 2  # text units back: neighbours of then may be those of now
MOST_AT_ONCE = 3  # questions about one name that one text unit gives rise to
MOST = 6  # about one name in all
ALIKE = 5  # letters with which two names begin
CROWD = 12  # names that begin alike or are called by one noun: more tell nothing
FIRST_FACTS, LAST_FACTS, LAST_TIES, LAST_QUOTES = 2, 4, 4, 2  # that are shown of a candidate
QUOTE_CHARACTERS = 300


@dataclass(frozen=True, slots=True)
class Doubt:
    """Two names that may be one entity's, asked about at a text unit of a document, known there."""

    doubt_id: str
    series_id: str
    document_id: str
    first_id: str
    second_id: str
    ordinal: int
    question: Question


@dataclass(frozen=True, slots=True)
class Decided:
    """What a language model decided about a doubt; known from ``ordinal``."""

    series_id: str
    first_id: str
    second_id: str
    ordinal: int
    decision: Decision
    reason: str


@dataclass(frozen=True, slots=True)
class Tie:
    """A relationship as a text unit tells it, by entity ids."""

    first_id: str
    second_id: str
    description: str


class Doubter:
    """Reads one series beside ``merging``, which tells who is who so far by the rules alone."""

    def __init__(self, merging: Merging) -> None:
        self._merging = merging
        self._said: defaultdict[str, list[Mention]] = defaultdict(list)
        self._ties: defaultdict[str, list[tuple[TextUnit, str]]] = defaultdict(list)
        self._around: defaultdict[str, dict[str, int]] = defaultdict(dict)
        self._called: defaultdict[object, dict[str, None]] = defaultdict(dict)
        self._genders: defaultdict[str, set[Gender]] = defaultdict(set)
        self._many: set[str] = set()
        self._asked: defaultdict[str, set[str]] = defaultdict(set)

    def read(self, unit: TextUnit, present: Sequence[Mention], ties: Iterable[Tie]) -> Iterator[Doubt]:
        """Take in a text unit; yield what it gives reason to ask."""
        new = {mention.entity_id for mention in present if mention.entity_id not in self._said}
        for mention in present:
            self._said[mention.entity_id].append(mention)
            if mention.extracted.type == "PERSON":
                self._hear(mention)
        for tie in ties:
            for one, other in ((tie.first_id, tie.second_id), (tie.second_id, tie.first_id)):
                self._around[one][other] = unit.ordinal
                self._ties[one].append((unit, tie.description))
        for mention in present:
            keys = list(_keys(mention, mention.entity_id in new))
            if mention.in_own_words:
                yield from self._doubts(mention, self._scores(mention, keys, mention.entity_id in new))
            for key, _ in keys:
                self._called[key][mention.entity_id] = None

    def _hear(self, mention: Mention) -> None:
        """Take in of which gender a person is called, and whether it is several."""
        self._genders[mention.entity_id].update(p.gender for p in _phrases(mention) if p.gender)
        own = phrase(mention.extracted.name, mention.unit.language)
        if is_epithet(mention.extracted.name) and own is not None and own.is_plural:
            self._many.add(mention.entity_id)

    def _scores(self, mention: Mention, keys: Sequence[tuple[object, int]], new: bool) -> Counter[str]:
        """Return the names that may be the same, with how much speaks for it."""
        here, is_person = mention.entity_id, mention.extracted.type == "PERSON"
        unnamed = is_person and not self._is_named(here)
        scores: Counter[str] = Counter()
        for key, score in keys:
            others = self._called.get(key, {})
            if len(others) > CROWD:
                continue
            for other in others:
                if is_person and score < _NAME and not unnamed and self._is_named(other):
                    continue
                scores[other] += score
        if unnamed and is_epithet(mention.extracted.name):
            for neighbour in self._now_around(here, mention.unit.ordinal):
                for other in self._around_lately(neighbour, mention.unit.ordinal):
                    if self._is_person(other):
                        scores[other] += 1
        return scores

    def _doubts(self, mention: Mention, scores: Counter[str]) -> Iterator[Doubt]:
        here, unit = mention.entity_id, mention.unit
        whole: Counter[str] = Counter()
        for other, score in scores.items():
            if self._may_ask(here, other):
                whole[self._first_name(other)] += score
        open_pairs = [
            other
            for other in sorted(whole, key=lambda key: (-whole[key], -self._last(key), key))
            if self._may_ask(here, other)
            and any(m.unit.document_id == unit.document_id for m in self._said[other])
        ]
        for other in open_pairs[:MOST_AT_ONCE]:
            if len(self._asked[here]) >= MOST:
                return
            self._asked[here].add(other)
            self._asked[other].add(here)
            first, second = sorted((here, other), key=lambda key: (self._said[key][0].unit.ordinal, key))
            question = Question(self._candidate(first, unit), self._candidate(second, unit), unit.language)
            yield Doubt(
                stable_hash("doubt", first, second),
                unit.series_id,
                unit.document_id,
                first,
                second,
                unit.ordinal,
                question,
            )

    def _may_ask(self, here: str, other: str) -> bool:
        """Tell whether a pair is open: not one, not told apart, of one kind, not asked about by any of its names."""
        if here == other or not self._merging.may_be_one(here, other):
            return False
        if self._is_person(here) != self._is_person(other):
            return False
        mine, theirs = set(self._merging.together(here)), set(self._merging.together(other))
        if any(self._asked[name] & theirs for name in mine if name in self._asked):
            return False
        if not self._is_person(here):
            return True
        if any(not theirs.isdisjoint(self._around[name]) for name in mine if name in self._around):
            return False
        genders = {self._gender(here, mine), self._gender(other, theirs)} - {None}
        return len(genders) < 2 and (here in self._many) == (other in self._many)

    def _gender(self, here: str, names: Iterable[str]) -> Gender | None:
        """Return the gender by a person's names, or by all that is said of him where that agrees."""
        said = {gender for name in names for gender in self._genders.get(name, ())}
        return self._merging.gender(here) or (said.pop() if len(said) == 1 else None)

    def _now_around(self, here: str, ordinal: int) -> list[str]:
        return [other for other, last in self._around[here].items() if last == ordinal]

    def _around_lately(self, neighbour: str, ordinal: int) -> Iterator[str]:
        for name in self._merging.together(neighbour):
            for other, last in self._around.get(name, {}).items():
                if ordinal - last <= NEAR:
                    yield other

    def _is_person(self, entity_id: str) -> bool:
        said = self._said.get(entity_id, [])
        return any(mention.extracted.type == "PERSON" for mention in said[:1])

    def _is_named(self, entity_id: str) -> bool:
        return any(
            not is_epithet(self._said[name][0].extracted.name)
            for name in self._merging.together(entity_id)
            if name in self._said
        )

    def _first_name(self, entity_id: str) -> str:
        """Return of all names of an entity the first that is a proper one."""
        names = [name for name in self._merging.together(entity_id) if name in self._said]

        def place(name: str) -> tuple[bool, int, str]:
            first = self._said[name][0]
            return is_epithet(first.extracted.name), first.unit.ordinal, name

        return min(names, key=place, default=entity_id)

    def _last(self, entity_id: str) -> int:
        return self._said[entity_id][-1].unit.ordinal

    def _candidate(self, entity_id: str, at: TextUnit) -> Candidate:
        """Return what is told of a name in the document of a unit, up to that unit."""
        names = [name for name in self._merging.together(entity_id) if name in self._said]
        mentions = sorted(
            (m for name in names for m in self._said[name] if m.unit.document_id == at.document_id),
            key=lambda m: m.unit.ordinal,
        )
        ties = sorted(
            (
                (u.ordinal, told)
                for name in names
                for u, told in self._ties[name]
                if u.document_id == at.document_id
            )
        )
        told = list(dict.fromkeys(m.extracted.description for m in mentions))
        facts = told if len(told) <= FIRST_FACTS + LAST_FACTS else [*told[:FIRST_FACTS], *told[-LAST_FACTS:]]
        last_ties = dict.fromkeys(description for _, description in ties[-LAST_TIES:])
        quotes = dict.fromkeys(quote for m in reversed(mentions) if (quote := _quote(m)))
        return Candidate(
            names=tuple(dict.fromkeys(m.extracted.name for m in mentions)),
            type=mentions[0].extracted.type,
            facts=(*facts, *(told for told in last_ties if told not in facts)),
            quotes=tuple(reversed(list(quotes)[:LAST_QUOTES])),
        )


_NOUN, _PHRASE, _NAME = 1, 2, 3


def _keys(mention: Mention, new: bool) -> Iterator[tuple[object, int]]:
    """Yield under what a mention meets others, with how much it says that they meet there."""
    said, language = mention.extracted, mention.unit.language
    if said.type != "PERSON":
        read = thing(said.name, language) if new and is_epithet(said.name) else None
        if read is not None:
            yield (said.type, read.head), _NOUN
        return
    if new and not is_epithet(said.name):
        beginning = said.name[:ALIKE].casefold()
        if len(beginning) == ALIKE and " " not in said.name:
            yield ("begins", beginning), _NAME
    for spoken in _phrases(mention):
        if spoken.is_plural:
            continue
        if len(spoken.whole) > 1:
            yield spoken.whole, _PHRASE
        if spoken.head not in ANYBODY:
            yield spoken.head, _NOUN


def _phrases(mention: Mention) -> list[Phrase]:
    """Return what a person is called: by his name, where it is no proper one, and by his description."""
    said, language = mention.extracted, mention.unit.language
    own = phrase(said.name, language) if is_epithet(said.name) else None
    return [
        *([own] if own else []),
        *(predicates(said.description, language) if mention.in_own_words else ()),
    ]


def _quote(mention: Mention) -> str | None:
    """Return the first sentence of the unit that has the name, or of a long one the part about it."""
    text = mention.unit.text
    for start, end in sentences(text, mention.unit.language):
        sentence = " ".join(text[start:end].split())
        at = place_of(mention.extracted.name, sentence)
        if at is not None:
            begin = max(0, min(at - QUOTE_CHARACTERS // 2, len(sentence) - QUOTE_CHARACTERS))
            return sentence[begin : begin + QUOTE_CHARACTERS]
    return None
