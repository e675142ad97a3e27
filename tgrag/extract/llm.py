"""Extraction by a chat model: the request for a text unit, and what its answers become.

One call a unit; an answer that was cut off is asked for again on the unit's halves. A request holds nothing that
depends on other units but the sentences that are read before the unit, if any, so that an edit elsewhere asks
nothing anew. Answers are kept raw and read here, outside the memo: mending a rule pays for nothing again.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from tgrag.chunk.sentences import sentences
from tgrag.extract.graph_answer import (
    UNTYPED,
    GraphAnswer,
    GraphEntity,
    GraphRelationship,
    graph_schema,
    read_graph,
)
from tgrag.extract.keys import lemma_key
from tgrag.hashing import stable_hash
from tgrag.json_answers import answer_schema
from tgrag.language import fold
from tgrag.models.chat import AnswerSchema, ChatRequest
from tgrag.prompts import fingerprint, prompt, repair_message
from tgrag.records import ExtractedEntity, ExtractedRelationship, Extraction, Language, TextUnit
from tgrag.settings import ExtractSettings

__all__ = [
    "CannotHalve",
    "Tally",
    "extraction_request",
    "halves",
    "mend_message",
    "read_graph",
    "recipe",
    "to_extraction",
]

LLM_EXTRACT_VERSION = 1  # raised by hand whenever the same answers would become another extraction


class CannotHalve(ValueError):
    """A text of one word."""


@dataclass(frozen=True, slots=True)
class Tally:
    """What became of the items of some answers beside being kept.

    dropped: reason -> items left out. stubs: entities added for a relationship whose end was not listed.
    merged: items that said what another one of their unit says. untyped: entities of a kind not asked for.
    """

    dropped: Mapping[str, int] = field(default_factory=dict)
    stubs: int = 0
    merged: int = 0
    untyped: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(
            dict(Counter(self.dropped) + Counter(other.dropped)),
            self.stubs + other.stubs,
            self.merged + other.merged,
            self.untyped + other.untyped,
        )


def extraction_request(unit: TextUnit, before: str, settings: ExtractSettings) -> ChatRequest:
    """Return the request for a unit. before: the last sentences of the unit before, or "".

    Raises ConfigurationError when ``max_answer_tokens`` has no room for what is asked.
    """
    messages = prompt("extract_graph", prompt_language(unit.language, settings)).messages(
        title=unit.book_title,
        headings=list(unit.headings),
        before=before.strip(),
        text=unit.text,
        max_entities=settings.max_entities,
        max_relationships=settings.max_relationships,
        reasoning=settings.reasoning,
    )
    return ChatRequest(messages, settings.max_answer_tokens, _schema(settings))


def mend_message(fault: str, language: Language, settings: ExtractSettings) -> str:
    """Return the message that asks to mend an answer about a unit of that language."""
    return repair_message(fault, prompt_language(language, settings))


def prompt_language(language: Language, settings: ExtractSettings) -> Language:
    return settings.prompt_language or language


def recipe(settings: ExtractSettings) -> str:
    """Return the hash of all but the model that extractions depend on: prompts, schema and the rules here."""
    return stable_hash(LLM_EXTRACT_VERSION, fingerprint("extract_graph"), _schema(settings).json)


@lru_cache(maxsize=4)
def _schema(settings: ExtractSettings) -> AnswerSchema:
    return answer_schema("graph", graph_schema(settings))


def to_extraction(
    unit_id: str, answers: Sequence[GraphAnswer], language: Language
) -> tuple[Extraction, Tally]:
    """Return what the answers about one unit say of it (several when it was asked about in parts).

    Names that have one key, as the graph sees it, are one entity under its first name and type, with each
    description once. An end of a relationship that is no listed entity becomes one of type NAME, described by the
    relationship. Nothing else is added.
    """
    gathered = _Gathered(language)
    for (
        answer
    ) in answers:  # all entities before the first relationship: its ends may be listed in another part
        for entity in answer.entities:
            gathered.add_entity(entity)
    for answer in answers:
        gathered.dropped.update(answer.dropped)
        for relationship in answer.relationships:
            gathered.add_relationship(relationship)
    strengths = gathered.strengths.items()
    relationships = tuple(replace(fact, strength=strength) for fact, strength in strengths)
    extraction = Extraction(unit_id, tuple(gathered.entities), relationships)
    return extraction, Tally(dict(gathered.dropped), gathered.stubs, gathered.merged, gathered.untyped)


def halves(text: str, language: Language) -> tuple[str, str]:
    """Cut a text in two at the sentence end nearest to its middle, or between words where it is one sentence.

    Together they are the text but for white space at the cut. Raises CannotHalve on a text of one word.
    """
    body = text.strip()
    cuts = [end for _, end in sentences(body, language) if body[end:].strip() and body[:end].strip()]
    if not cuts:
        cuts = [place for place, character in enumerate(body) if character.isspace()]
    if not cuts:
        raise CannotHalve("a text of one word cannot be halved")
    cut = min(cuts, key=lambda place: abs(2 * place - len(body)))
    return body[:cut].rstrip(), body[cut:].lstrip()


class _Gathered:
    """The entities and relationships of a unit, each once, and what was done to make it so."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._by_key: dict[str, tuple[str, str]] = {}  # name and type of an entity
        self.entities: dict[ExtractedEntity, None] = {}
        self.strengths: dict[ExtractedRelationship, int] = {}
        self.dropped: Counter[str] = Counter()
        self.stubs = self.merged = self.untyped = 0

    def add_entity(self, found: GraphEntity) -> None:
        mention = self._mention(found.name, found.type, found.description)
        self.untyped += found.type == UNTYPED
        self.merged += mention in self.entities
        self.entities[mention] = None

    def add_relationship(self, stated: GraphRelationship) -> None:
        if self._same(stated.source, stated.target):
            self.dropped["relationship: both ends are one entity"] += 1
            return
        source, target = (self._end(name, stated.description) for name in (stated.source, stated.target))
        fact = ExtractedRelationship(source, target, stated.type, stated.description)
        self.merged += fact in self.strengths
        self.strengths[fact] = max(stated.strength, self.strengths.get(fact, 0))

    def _end(self, name: str, description: str) -> str:
        known = self._find(name, UNTYPED)
        if known:
            return known[0]
        self.entities[self._mention(name, UNTYPED, description)] = None
        self.stubs += 1
        return name

    def _mention(self, name: str, type: str, description: str) -> ExtractedEntity:
        """Return a mention of the entity that the name belongs to, which is a new one when none is known."""
        known = self._find(name, type) or (name, type)
        for key in self._keys(name, type):
            self._by_key.setdefault(key, known)
        return ExtractedEntity(*known, description)

    def _find(self, name: str, type: str) -> tuple[str, str] | None:
        return next((self._by_key[key] for key in self._keys(name, type) if key in self._by_key), None)

    def _same(self, one: str, other: str) -> bool:
        known = self._find(one, UNTYPED)
        if known:
            return known == self._find(other, UNTYPED)
        return not set(self._keys(one, UNTYPED)).isdisjoint(self._keys(other, UNTYPED))

    def _keys(self, name: str, type: str) -> tuple[str, ...]:
        """Return the keys of a name; one of unknown type has the key of a name and that of a notion."""
        types = (UNTYPED, "CONCEPT") if type == UNTYPED else (type,)
        return (fold(name), *(lemma_key(name, type, self._language) for type in types))
