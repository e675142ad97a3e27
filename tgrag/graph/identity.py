"""Which entities are one, from all that the text tells of them: names, co-occurrence, what the user says."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tgrag.extract.keys import NAME_TYPES, lemma_key
from tgrag.graph.clusters import Node
from tgrag.graph.doubts import Decided, Doubt, Doubter, Tie
from tgrag.graph.epithets import REASON, Reader, is_epithet
from tgrag.graph.merging import Merging
from tgrag.graph.naming import PersonName, is_of_another, person_name
from tgrag.graph.resolve import Mention, Resolution
from tgrag.graph.spelling import may_be_slip
from tgrag.graph.things import same_things
from tgrag.graph.told import also_named, are_told_one, is_thing
from tgrag.graph.wishes import Wished
from tgrag.records import Entity, Extraction, Merge, TextUnit

CO_OCCURS = "CO_OCCURS"  # the type of what fast extraction finds in one sentence
FORCED = "collection.yaml says so"
TOLD = "the text says so"


@dataclass(frozen=True, slots=True)
class _Known:
    entity: Entity


@dataclass(frozen=True, slots=True)
class _Apart:
    first: str
    second: str
    forced: bool = False


@dataclass(frozen=True, slots=True)
class _Beside:
    first: str
    second: str
    times: int


@dataclass(frozen=True, slots=True)
class _Same:
    first: str
    second: str
    reason: str


@dataclass(frozen=True, slots=True)
class _Also:
    node: Node


@dataclass(frozen=True, slots=True)
class _Read:
    """The persons of a text unit, in a series where persons are called by what they are."""

    present: tuple[Mention, ...]


@dataclass(frozen=True, slots=True)
class _Mentioned:
    entity_id: str
    times: int
    as_thing: int


@dataclass(frozen=True, slots=True)
class _Ended:
    """A text unit, read to its end: what it has named and told."""

    unit: TextUnit
    present: tuple[Mention, ...]
    ties: tuple[Tie, ...]


_Event = _Known | _Apart | _Beside | _Same | _Also | _Read | _Mentioned | _Ended | Decided
_ORDER = (_Known, _Apart, _Beside, _Same, _Also, _Read, _Mentioned, _Ended, Decided)
_AFTER = {kind: place for place, kind in enumerate(_ORDER)}  # inside a text unit


def merges(
    units: Sequence[TextUnit],
    extractions: Mapping[str, Extraction],
    resolution: Resolution,
    wished: Wished,
    decided: Sequence[Decided] = (),
) -> list[Merge]:
    """Return who is who and from when; ``units`` come by (series, ordinal).

    A decision looks only at text up to its ordinal, and at what the user says. decided: by a language model, of what
    ``doubts`` returns.
    """
    found, _ = _read(units, extractions, resolution, wished, decided)
    return found


def doubts(
    units: Sequence[TextUnit], extractions: Mapping[str, Extraction], resolution: Resolution, wished: Wished
) -> list[Doubt]:
    """Return the pairs that the rules leave open, each with the question to put about it; in reading order."""
    ended = _ended(units, extractions, resolution)
    _, found = _read(units, extractions, resolution, wished, (), ended)
    return found


def _read(
    units: Sequence[TextUnit],
    extractions: Mapping[str, Extraction],
    resolution: Resolution,
    wished: Wished,
    decided: Sequence[Decided],
    ended: Iterable[_Ended] = (),
) -> tuple[list[Merge], list[Doubt]]:
    persons = {
        entity.entity_id: person
        for entity in resolution.entities.values()
        if not is_of_another(entity.name, entity.language)
        and (person := person_name(entity.lemma_key, entity.type, entity.language))
    }
    things = same_things(resolution.mentions)
    pairs = [(one.first_id, one.second_id) for one in things] + [(d.first_id, d.second_id) for d in decided]
    spoken_of = wished.ids() | {key for pair in pairs for key in pair}
    events: defaultdict[str, list[tuple[int, _Event]]] = defaultdict(list)
    for entity in resolution.entities.values():
        if entity.type in NAME_TYPES or entity.entity_id in spoken_of:
            events[entity.series_id].append((entity.known_from, _Known(entity)))
    for series_id, ordinal, told in _side_by_side(units, extractions, resolution, persons):
        events[series_id].append((ordinal, told))
    for series_id, ordinal, mentioned in _mentioned(resolution, persons):
        events[series_id].append((ordinal, mentioned))
    for pair in wished.apart():
        apart = _Apart(pair.first.entity_id, pair.second.entity_id, forced=True)
        events[pair.first.series_id].append((pair.ordinal, apart))
    for pair in wished.same():
        same = _Same(pair.first.entity_id, pair.second.entity_id, FORCED)
        events[pair.first.series_id].append((pair.ordinal, same))
    for one in things:
        events[one.series_id].append((one.ordinal, _Same(one.first_id, one.second_id, one.reason)))
    for series_id, ordinal, read in _called(resolution):
        events[series_id].append((ordinal, read))
    for decision in decided:
        events[decision.series_id].append((decision.ordinal, decision))
    for end in ended:
        events[end.unit.series_id].append((end.unit.ordinal, end))
    found: list[Merge] = []
    open_pairs: list[Doubt] = []
    for series_id in sorted(events):
        merging = Merging(series_id)
        reader, doubter = Reader(merging), Doubter(merging)
        for ordinal, event in sorted(events[series_id], key=lambda item: (item[0], _AFTER[type(item[1])])):
            match event:
                case _Known(entity):
                    person = persons.get(entity.entity_id)
                    merging.add(Node(entity.entity_id, entity.lemma_key, entity.type, person), ordinal)
                case _Mentioned(entity_id, n, as_thing):
                    merging.mentioned(entity_id, n, ordinal, as_thing)
                case _Apart(first, second, forced):
                    merging.apart(first, second, ordinal, forced)
                case _Beside(first, second, n):
                    merging.beside(first, second, n, ordinal)
                case _Same(first, second, reason):
                    merging.same(first, second, ordinal, reason, forced=reason == FORCED)
                case _Also(node):
                    merging.also(node, ordinal)
                case _Read(present):
                    for epithet, person_id in reader.read(present, ordinal):
                        merging.same(epithet, person_id, ordinal, REASON)
                case Decided():
                    merging.decide(event.first_id, event.second_id, ordinal, event.decision, event.reason)
                case _Ended(unit, present, ties):
                    open_pairs += doubter.read(unit, present, ties)
        found += merging.merges()
    return found, open_pairs


def _ended(
    units: Iterable[TextUnit], extractions: Mapping[str, Extraction], resolution: Resolution
) -> Iterator[_Ended]:
    present: defaultdict[str, dict[str, Mention]] = defaultdict(dict)
    for mention in resolution.mentions:
        present[mention.unit.text_unit_id].setdefault(mention.entity_id, mention)
    for unit in units:
        extraction = extractions.get(unit.text_unit_id)
        ties = []
        for edge in extraction.relationships if extraction else ():
            one, other = (
                resolution.by_name.get((unit.text_unit_id, name)) for name in (edge.source, edge.target)
            )
            if one is not None and other is not None and one != other:
                ties.append(Tie(one, other, edge.description))
        yield _Ended(unit, tuple(present[unit.text_unit_id].values()), tuple(ties))


def _called(resolution: Resolution) -> Iterator[tuple[str, int, _Read | _Also]]:
    """Yield the persons of each text unit and the other names that a model's descriptions give them.

    Nothing of a series where nobody is called by what he is: nothing could come of it.
    """
    persons = [m for m in resolution.mentions if m.extracted.type == "PERSON"]
    described = {m.unit.series_id for m in persons if is_epithet(m.extracted.name)}
    units: defaultdict[tuple[str, int], list[Mention]] = defaultdict(list)
    for mention in persons:
        units[mention.unit.series_id, mention.unit.ordinal].append(mention)
    for (series_id, ordinal), present in units.items():
        if series_id in described:
            yield series_id, ordinal, _Read(tuple(present))
        listed = {mention.entity_id for mention in present}
        for mention in present:
            names = also_named(mention.extracted.description)
            for name in names if mention.in_own_words else ():
                if resolution.by_name.get((mention.unit.text_unit_id, name), "") in listed:
                    continue
                key = lemma_key(name, "PERSON", mention.unit.language)
                person = person_name(key, "PERSON", mention.unit.language)
                yield series_id, ordinal, _Also(Node(mention.entity_id, key, "PERSON", person))


def _mentioned(
    resolution: Resolution, persons: Mapping[str, PersonName]
) -> Iterator[tuple[str, int, _Mentioned]]:
    """Yield how often each text unit names each entity, from where the entity is known."""
    times: Counter[tuple[str, int, str]] = Counter()
    things: Counter[tuple[str, int, str]] = Counter()
    for mention in resolution.mentions:
        unit, said = mention.unit, mention.extracted
        key = (unit.series_id, unit.ordinal, mention.entity_id)
        times[key] += 1
        if mention.entity_id in persons and is_thing(said.name, said.description, unit.language):
            things[key] += 1
    for key, n in times.items():
        series_id, ordinal, entity_id = key
        known = max(ordinal, resolution.entities[entity_id].known_from)
        yield series_id, known, _Mentioned(entity_id, n, things[key])


def _side_by_side(
    units: Iterable[TextUnit],
    extractions: Mapping[str, Extraction],
    resolution: Resolution,
    persons: Mapping[str, PersonName],
) -> Iterator[tuple[str, int, _Apart | _Beside | _Same]]:
    """Yield what sentences and relationships with two names tell of them, with series and ordinal."""
    for unit in units:
        extraction = extractions.get(unit.text_unit_id)
        together: Counter[tuple[str, str]] = Counter()
        for edge in extraction.relationships if extraction else ():
            first, second = (
                resolution.by_name.get((unit.text_unit_id, name)) for name in (edge.source, edge.target)
            )
            if first is None or second is None or first == second:
                continue
            one, other = persons.get(first), persons.get(second)
            if one is None or other is None:
                continue
            pair = (min(first, second), max(first, second))
            if are_told_one(edge.source, edge.target, edge.description, unit.language):
                yield unit.series_id, unit.ordinal, _Same(*pair, TOLD)
            elif not _alike(one, other):
                continue
            elif edge.type == CO_OCCURS:
                together[pair] += 1
            else:
                yield unit.series_id, unit.ordinal, _Apart(*pair)
        for pair, n in together.items():
            yield unit.series_id, unit.ordinal, _Beside(*pair, n)


def _alike(one: PersonName, other: PersonName) -> bool:
    """Tell whether two names could be one person's, so that it says something when they stand side by side."""
    shared = any(part & counterpart for part in one.parts for counterpart in other.parts)
    return shared or (len(one.words) == len(other.words) == 1 and may_be_slip(one.words[0], other.words[0]))
