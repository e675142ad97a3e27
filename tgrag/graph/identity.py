"""Which entities are one, from all that the text tells of them: names, co-occurrence, what the user says."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tgrag.extract.keys import NAME_TYPES
from tgrag.graph import epithets
from tgrag.graph.merging import Merging, Node
from tgrag.graph.naming import PersonName, person_name
from tgrag.graph.resolve import Resolution
from tgrag.graph.wishes import Wished
from tgrag.records import Entity, Extraction, Merge, TextUnit

FORCED = "collection.yaml says so"
TOGETHER = 2  # sentences with both names that make two people of them


@dataclass(frozen=True, slots=True)
class _Known:
    entity: Entity


@dataclass(frozen=True, slots=True)
class _Apart:
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class _Same:
    first: str
    second: str
    reason: str


@dataclass(frozen=True, slots=True)
class _Mentioned:
    entity_id: str
    times: int


_Event = _Known | _Apart | _Same | _Mentioned


def merges(
    units: Sequence[TextUnit],
    extractions: Mapping[str, Extraction],
    resolution: Resolution,
    wished: Wished,
) -> list[Merge]:
    """Return who is who and from when; ``units`` come by (series, ordinal).

    A decision looks only at text up to its ordinal, and at what the user says.
    """
    persons = {
        entity.entity_id: person
        for entity in resolution.entities.values()
        if (person := person_name(entity.lemma_key, entity.type, entity.language))
    }
    spoken_of = wished.ids()
    events: defaultdict[str, list[tuple[int, int, _Event]]] = defaultdict(list)
    for entity in resolution.entities.values():
        if entity.type in NAME_TYPES or entity.entity_id in spoken_of:
            events[entity.series_id].append((entity.known_from, 0, _Known(entity)))
    for series_id, ordinal, told in _told_apart(units, extractions, resolution, persons):
        events[series_id].append((ordinal, 1, told))
    times = Counter((m.unit.series_id, m.unit.ordinal, m.entity_id) for m in resolution.mentions)
    for (series_id, ordinal, entity_id), n in times.items():
        ordinal = max(ordinal, resolution.entities[entity_id].known_from)
        events[series_id].append((ordinal, 3, _Mentioned(entity_id, n)))
    for pair in wished.apart():
        apart = _Apart(pair.first.entity_id, pair.second.entity_id)
        events[pair.first.series_id].append((pair.ordinal, 1, apart))
    for pair in wished.same():
        same = _Same(pair.first.entity_id, pair.second.entity_id, FORCED)
        events[pair.first.series_id].append((pair.ordinal, 2, same))
    for meant in epithets.same_persons(resolution.mentions):
        same = _Same(meant.epithet_id, meant.person_id, epithets.REASON)
        events[meant.series_id].append((meant.ordinal, 2, same))
    found: list[Merge] = []
    for series_id in sorted(events):
        merging = Merging(series_id)
        for ordinal, _, event in sorted(events[series_id], key=lambda item: item[:2]):
            match event:
                case _Known(entity):
                    person = persons.get(entity.entity_id)
                    merging.add(Node(entity.entity_id, entity.lemma_key, entity.type, person), ordinal)
                case _Mentioned(entity_id, n):
                    merging.mentioned(entity_id, n, ordinal)
                case _Apart(first, second):
                    merging.apart(first, second, ordinal)
                case _Same(first, second, reason):
                    merging.same(first, second, ordinal, reason)
        found += merging.merges()
    return found


def _told_apart(
    units: Iterable[TextUnit],
    extractions: Mapping[str, Extraction],
    resolution: Resolution,
    persons: Mapping[str, PersonName],
) -> Iterator[tuple[str, int, _Apart]]:
    """Yield the pairs of like names that a sentence or a relationship has side by side, with the ordinal."""
    together: Counter[tuple[str, str]] = Counter()
    for unit in units:
        extraction = extractions.get(unit.text_unit_id)
        for edge in extraction.relationships if extraction else ():
            ends = [resolution.by_name.get((unit.text_unit_id, name)) for name in (edge.source, edge.target)]
            first, second = ends
            if first is None or second is None or first == second:
                continue
            one, other = persons.get(first), persons.get(second)
            if one is None or other is None or not _alike(one, other):
                continue
            pair = (min(first, second), max(first, second))
            together[pair] += 1 if edge.type == "CO_OCCURS" else TOGETHER
            if TOGETHER <= together[pair] < 2 * TOGETHER:
                yield unit.series_id, unit.ordinal, _Apart(*pair)


def _alike(one: PersonName, other: PersonName) -> bool:
    return any(part & counterpart for part in one.parts for counterpart in other.parts)
