"""Mentions become entity states, co-occurrences become relationships: one row a chapter, evidence in order."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from tgrag.graph.near_duplicates import Said
from tgrag.graph.resolve import Mention, Resolution
from tgrag.graph.strength import strength
from tgrag.hashing import stable_hash
from tgrag.records import (
    Entity,
    EntityState,
    Evidence,
    ExtractedRelationship,
    Extraction,
    Relationship,
    TextUnit,
)

UNDIRECTED = frozenset({"CO_OCCURS"})


def state_id(entity_id: str, unit: TextUnit) -> str:
    """Return the id of an entity's state in the chapter of a text unit."""
    return stable_hash(entity_id, unit.book_number, unit.chapter_id)


def entity_states(entities: Mapping[str, Entity], mentions: Iterable[Mention]) -> list[EntityState]:
    """Return one state for each entity and chapter; ``mentions`` come in reading order.

    Of descriptions that say nearly the same the first stays.
    """
    evidence: defaultdict[str, list[Evidence]] = defaultdict(list)
    said: defaultdict[str, Said] = defaultdict(Said)
    first: dict[str, Mention] = {}
    last: dict[str, int] = {}
    for mention in mentions:
        key, unit = state_id(mention.entity_id, mention.unit), mention.unit
        first.setdefault(key, mention)
        last[key] = unit.ordinal
        text = mention.extracted.description
        if said[key].is_new(text):
            evidence[key].append(Evidence(text, unit.ordinal, unit.text_unit_id))
    states = []
    for key, mention in first.items():
        entity, unit = entities[mention.entity_id], mention.unit
        states.append(
            EntityState(
                state_id=key,
                entity_id=entity.entity_id,
                series_id=unit.series_id,
                name=entity.name,
                type=entity.type,
                document_id=unit.document_id,
                book_number=unit.book_number,
                book_title=unit.book_title,
                chapter_id=unit.chapter_id,
                headings=unit.headings,
                descriptions=tuple(evidence[key]),
                known_from=max(entity.known_from, unit.ordinal),
                first_ordinal=unit.ordinal,
                last_ordinal=last[key],
            )
        )
    return states


def relationships(
    units: Iterable[TextUnit], extractions: Mapping[str, Extraction], resolution: Resolution
) -> list[Relationship]:
    """Return one relationship for each pair, type and chapter; ``units`` come in reading order.

    A relationship whose end was not kept as an entity, or whose ends are one entity, is left out.
    """
    evidence: dict[str, dict[str, Evidence]] = {}
    first: dict[str, tuple[TextUnit, str, str, str]] = {}
    last: dict[str, int] = {}
    for unit in units:
        extraction = extractions.get(unit.text_unit_id)
        for extracted in extraction.relationships if extraction else ():
            ends = _ends(extracted, unit, resolution.by_name)
            if ends is None:
                continue
            key = stable_hash(*ends, extracted.type, unit.book_number, unit.chapter_id)
            first.setdefault(key, (unit, *ends, extracted.type))
            last[key] = unit.ordinal
            found = Evidence(extracted.description, unit.ordinal, unit.text_unit_id, extracted.strength)
            evidence.setdefault(key, {}).setdefault(found.text, found)
    rows = []
    for key, (unit, source_id, target_id, kind) in first.items():
        source, target = resolution.entities[source_id], resolution.entities[target_id]
        texts = tuple(evidence[key].values())
        rows.append(
            Relationship(
                relationship_id=key,
                series_id=unit.series_id,
                source_id=source_id,
                target_id=target_id,
                source_name=source.name,
                target_name=target.name,
                source_state_id=state_id(source_id, unit),
                target_state_id=state_id(target_id, unit),
                type=kind,
                strength=strength(texts),
                weight=strength(texts) / 10,
                evidence=texts,
                book_number=unit.book_number,
                book_title=unit.book_title,
                chapter_id=unit.chapter_id,
                headings=unit.headings,
                known_from=max(source.known_from, target.known_from, unit.ordinal),
                first_ordinal=unit.ordinal,
                last_ordinal=last[key],
            )
        )
    return rows


def _ends(
    extracted: ExtractedRelationship, unit: TextUnit, by_name: Mapping[tuple[str, str], str]
) -> tuple[str, str] | None:
    source = by_name.get((unit.text_unit_id, extracted.source))
    target = by_name.get((unit.text_unit_id, extracted.target))
    if source is None or target is None or source == target:
        return None
    if extracted.type in UNDIRECTED and target < source:
        return target, source
    return source, target
