"""The report of a window: what a language model is shown of it.

A request depends on the extractions of the window's own text units and on nothing else: not on how names were
resolved elsewhere, not on other windows, not on the window's place. So an edit pays for the windows that it touches,
and nothing of the text after a window can reach its report.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeVar

from tgrag.extract.keys import lemma_key
from tgrag.graph.report_answer import CommunityReport, report_schema
from tgrag.hashing import stable_hash
from tgrag.json_answers import answer_schema
from tgrag.models.chat import AnswerSchema, ChatRequest
from tgrag.prompts import fingerprint, prompt
from tgrag.records import Community, Extraction, Language, TextUnit
from tgrag.settings import ReportSettings

REPORT_VERSION = 1  # raised by hand whenever the same answers would become other reports

T = TypeVar("T", "EntityFact", "RelationshipFact")


@dataclass(frozen=True, slots=True)
class EntityFact:
    """What one text unit says of an entity. name, type: as the window first has them. weight: its importance."""

    name: str
    type: str
    description: str
    weight: float

    @property
    def line(self) -> str:
        return f"- {self.name} ({self.type}): {self.description}"


@dataclass(frozen=True, slots=True)
class RelationshipFact:
    """What one text unit says of two entities of the window. weight: its strength."""

    source: str
    target: str
    type: str
    description: str
    weight: float

    @property
    def line(self) -> str:
        return f"- {self.source} → {self.target} ({self.type}): {self.description}"


@dataclass(frozen=True, slots=True)
class WindowFacts:
    """All that a report is made from. headings: that the window spans, in order; facts in the order of the text."""

    title: str
    headings: tuple[str, ...]
    language: Language
    entities: tuple[EntityFact, ...]
    relationships: tuple[RelationshipFact, ...]


def window_facts(units: Sequence[TextUnit], extractions: Mapping[str, Extraction]) -> WindowFacts:
    """Return what the text units of a window say; extractions by text_unit_id.

    Names of one lemma key are one entity, under its first name and type. As in the graph, one that is attested only
    weakly counts from its second text unit. An entity's k-th description weighs its number of mentions / k: so the
    first of a rare entity comes before the tenth of a frequent one.
    """
    language = units[0].language
    mentions: Counter[str] = Counter()
    first_unit: dict[str, str] = {}
    attested: set[str] = set()
    named: dict[str, tuple[str, str]] = {}
    seen: defaultdict[str, set[str]] = defaultdict(set)
    said: list[tuple[str, str, int]] = []
    keys: dict[tuple[str, str], str] = {}
    for unit in units:
        for mention in extractions[unit.text_unit_id].entities:
            key = lemma_key(mention.name, mention.type, language)
            if not key:
                continue
            if mention.certain or first_unit.setdefault(key, unit.text_unit_id) != unit.text_unit_id:
                attested.add(key)
            keys[unit.text_unit_id, mention.name] = key
            mentions[key] += 1
            named.setdefault(key, (mention.name, mention.type))
            if mention.description not in seen[key]:
                seen[key].add(mention.description)
                said.append((key, mention.description, len(seen[key])))
    entities = [
        EntityFact(*named[key], description, mentions[key] / number)
        for key, description, number in said
        if key in attested
    ]
    relationships: dict[RelationshipFact, float] = {}
    for unit in units:
        for stated in extractions[unit.text_unit_id].relationships:
            source = keys.get((unit.text_unit_id, stated.source))
            target = keys.get((unit.text_unit_id, stated.target))
            if source in attested and target in attested and source != target:
                ends = named[source or ""][0], named[target or ""][0]
                fact = RelationshipFact(*ends, stated.type, stated.description, 0.0)
                relationships[fact] = max(stated.strength, relationships.get(fact, 0))
    return WindowFacts(
        title=units[0].book_title,
        headings=tuple(dict.fromkeys(" / ".join(unit.headings) for unit in units if unit.headings)),
        language=language,
        entities=tuple(entities),
        relationships=tuple(replace(fact, weight=weight) for fact, weight in relationships.items()),
    )


def within(facts: WindowFacts, budget: int, count: Callable[[str], int]) -> tuple[WindowFacts, int]:
    """Return the most important facts that fit a budget of tokens, still in the order of the text, and their tokens.

    Half of the budget is for entities, half for relationships; what one of them leaves is the other's.
    """
    wanted = sum(count(fact.line) for fact in facts.relationships)
    entities, used = _heaviest(facts.entities, max(budget // 2, budget - wanted), count)
    relationships, more = _heaviest(facts.relationships, budget - used, count)
    return replace(facts, entities=entities, relationships=relationships), used + more


def report_request(facts: WindowFacts, settings: ReportSettings, language: Language) -> ChatRequest:
    """Return the request for the report of a window. language: of the prompt."""
    messages = prompt("community_report", language).messages(
        title=facts.title,
        headings=list(facts.headings),
        entities=facts.entities,
        relationships=facts.relationships,
    )
    return ChatRequest(messages, settings.max_answer_tokens, _schema(settings))


def reported(community: Community, report: CommunityReport) -> Community:
    """Return a window with its report."""
    return replace(community, title=report.title, summary=report.summary, report=report.report)


def recipe(settings: ReportSettings) -> str:
    """Return the hash of all but the model that reports depend on: prompt, schema and the rules here."""
    return stable_hash(REPORT_VERSION, fingerprint("community_report"), _schema(settings).json)


@lru_cache(maxsize=4)
def _schema(settings: ReportSettings) -> AnswerSchema:
    return answer_schema("report", report_schema(settings))


def _heaviest(facts: Sequence[T], budget: int, count: Callable[[str], int]) -> tuple[tuple[T, ...], int]:
    """Return what fits the budget, the heaviest first and of equal ones the earlier, in the given order."""
    kept: list[int] = []
    used = 0
    for place in sorted(range(len(facts)), key=lambda place: -facts[place].weight):
        cost = count(facts[place].line)
        if used + cost <= budget:
            kept.append(place)
            used += cost
    return tuple(facts[place] for place in sorted(kept)), used
