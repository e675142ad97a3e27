"""Mentions become canonical entities: one for each series and lemma key.

The key of a name is a function of the name alone, so inflected forms meet and homonyms are not told apart
yet; no decision looks at later text.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from tgrag.extract.keys import lemma_key
from tgrag.hashing import stable_hash
from tgrag.records import NEVER, Alias, Entity, ExtractedEntity, Extraction, TextUnit


@dataclass(frozen=True, slots=True)
class Mention:
    """One extracted entity at its place, with the entity that it belongs to."""

    entity_id: str
    unit: TextUnit
    extracted: ExtractedEntity

    @property
    def in_own_words(self) -> bool:
        """Tell whether the description is a model's, not a sentence of the text."""
        return self.extracted.description not in self.unit.text


Group = list[tuple[TextUnit, ExtractedEntity]]


@dataclass(frozen=True, slots=True)
class Resolution:
    """entities by id (degree still 0); mentions in reading order; n_weak: names too weakly attested to keep.

    by_name: (text_unit_id, name as extracted) -> entity_id.
    """

    entities: dict[str, Entity]
    mentions: list[Mention]
    by_name: Mapping[tuple[str, str], str]
    n_weak: int


def resolve(units: Iterable[TextUnit], extractions: Mapping[str, Extraction]) -> Resolution:
    """Group all mentions of ``units`` (in reading order) into entities.

    An entity is known from its first certain mention, or from its second text unit; one that has neither is
    left out and counted.
    """
    groups: defaultdict[tuple[str, str], Group] = defaultdict(list)
    for unit in units:
        extraction = extractions.get(unit.text_unit_id)
        for extracted in extraction.entities if extraction else ():
            key = lemma_key(extracted.name, extracted.type, unit.language)
            if key:
                groups[unit.series_id, key].append((unit, extracted))

    entities: dict[str, Entity] = {}
    mentions: list[Mention] = []
    by_name: dict[tuple[str, str], str] = {}
    n_weak = 0
    for (series_id, key), group in groups.items():
        known_from = _known_from(group)
        if known_from == NEVER:
            n_weak += 1
            continue
        entity = _entity(series_id, key, group, known_from)
        entities[entity.entity_id] = entity
        for unit, extracted in group:
            mentions.append(Mention(entity.entity_id, unit, extracted))
            by_name[unit.text_unit_id, extracted.name] = entity.entity_id
    mentions.sort(key=lambda m: (m.unit.series_id, m.unit.ordinal))
    return Resolution(entities, mentions, by_name, n_weak)


def with_degrees(entities: Mapping[str, Entity], pairs: Iterable[tuple[str, str]]) -> list[Entity]:
    """Set each entity's degree: the number of other entities it has a relationship with."""
    neighbours: defaultdict[str, set[str]] = defaultdict(set)
    for source, target in pairs:
        neighbours[source].add(target)
        neighbours[target].add(source)
    return [replace(entity, degree=len(neighbours[entity.entity_id])) for entity in entities.values()]


def _known_from(group: Group) -> int:
    first_ordinal = group[0][0].ordinal
    certain = (unit.ordinal for unit, extracted in group if extracted.certain)
    second = (unit.ordinal for unit, _ in group if unit.ordinal != first_ordinal)
    return min(next(certain, NEVER), next(second, NEVER))


def _entity(series_id: str, key: str, group: Group, known_from: int) -> Entity:
    first_unit, first = group[0]
    names: dict[str, int] = {}
    for unit, extracted in group:
        names.setdefault(extracted.name, max(unit.ordinal, known_from))
    return Entity(
        entity_id=stable_hash(series_id, first.type, key),
        series_id=series_id,
        name=first.name,
        type=first.type,
        lemma_key=key,
        language=first_unit.language,
        aliases=tuple(Alias(name, known) for name, known in names.items() if name != first.name),
        known_from=known_from,
        first_ordinal=first_unit.ordinal,
        last_ordinal=group[-1][0].ordinal,
        n_mentions=len(group),
        degree=0,
    )
