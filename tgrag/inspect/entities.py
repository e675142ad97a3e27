"""Who was taken for whom in an index, and why: what ``tgrag inspect entities`` shows."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from pydantic import BaseModel

from tgrag.graph.components import components
from tgrag.language import fold
from tgrag.records import NEVER, Entity, Merge, TextUnit
from tgrag.search.labels import label

WHERE = "collection.yaml, entities"


class Name(BaseModel):
    """A name of an entity, in the form that is shown; also: its other forms in the text."""

    name: str
    n_mentions: int
    also: list[str]


class Join(BaseModel):
    """Two names taken for one, from a place on; until: the place from which it does not hold any more.

    wish: the line for collection.yaml that makes it otherwise.
    """

    name: str
    other: str
    reason: str
    since: str
    until: str | None
    wish: str


class Miss(BaseModel):
    """Two names that were not taken for one. wish: the line for collection.yaml that makes them one."""

    name: str
    other: str
    reason: str
    wish: str


class Cluster(BaseModel):
    """One entity as the end of its series shows it: its names, the most used first, and what joined them."""

    entity_id: str
    names: list[Name]
    joins: list[Join]


class Resolved(BaseModel):
    """Entities of several names, the most mentioned first; joins that did not last; and near misses."""

    clusters: list[Cluster]
    withdrawn: list[Join]
    near_misses: list[Miss]
    where: str = WHERE


def resolved(
    entities: Sequence[Entity], merges: Iterable[Merge], units: Iterable[TextUnit], name: str | None = None
) -> Resolved:
    """Return what resolution made of the names of a version; with ``name`` only what has it among its names."""
    by_id = {entity.entity_id: entity for entity in entities}
    places = {(unit.series_id, unit.ordinal): label(unit.book_title, unit.headings) for unit in units}
    standing: list[Merge] = []
    withdrawn: list[Merge] = []
    missed: list[Merge] = []
    for merge in sorted(merges, key=lambda m: (m.series_id, m.known_from, m.merge_id)):
        lasting = standing if merge.known_until == NEVER else withdrawn
        (lasting if merge.decision == "merge" else missed).append(merge)
    root_of = components(by_id, ((m.source_id, m.target_id) for m in standing))
    members: defaultdict[str, list[Entity]] = defaultdict(list)
    for entity in entities:
        members[root_of[entity.entity_id]].append(entity)
    joins: defaultdict[str, list[Merge]] = defaultdict(list)
    for merge in standing:
        joins[root_of[merge.source_id]].append(merge)
    wanted = {
        root for root, names in members.items() if name is None or any(_is_called(e, name) for e in names)
    }

    def join(merge: Merge) -> Join:
        one, other = by_id[merge.source_id].name, by_id[merge.target_id].name
        until = None if merge.known_until == NEVER else places[merge.series_id, merge.known_until]
        return Join(
            name=one,
            other=other,
            reason=merge.reason,
            since=places[merge.series_id, merge.known_from],
            until=until,
            wish=_wish("merge" if until else "split", one, other),
        )

    def miss(merge: Merge) -> Miss:
        one, other = by_id[merge.source_id].name, by_id[merge.target_id].name
        return Miss(name=one, other=other, reason=merge.reason, wish=_wish("merge", one, other))

    def concerns(merge: Merge) -> bool:
        return bool(wanted & {root_of[merge.source_id], root_of[merge.target_id]})

    clusters = [
        Cluster(
            entity_id=root,
            names=[_name(e) for e in sorted(members[root], key=lambda e: (-e.n_mentions, e.name))],
            joins=[join(merge) for merge in joins[root]],
        )
        for root in sorted(wanted & joins.keys(), key=lambda r: (-sum(e.n_mentions for e in members[r]), r))
    ]
    return Resolved(
        clusters=clusters,
        withdrawn=[join(merge) for merge in withdrawn if concerns(merge)],
        near_misses=[miss(merge) for merge in missed if concerns(merge)],
    )


def _name(entity: Entity) -> Name:
    also = [alias.name for alias in entity.aliases]
    return Name(name=entity.name, n_mentions=entity.n_mentions, also=also)


def _is_called(entity: Entity, name: str) -> bool:
    wanted = fold(name)
    return any(wanted in fold(form) for form in (entity.name, *(alias.name for alias in entity.aliases)))


def _wish(kind: str, one: str, other: str) -> str:
    return f"{kind}: {json.dumps([[one, other]], ensure_ascii=False)}"


def resolved_lines(found: Resolved, limit: int) -> Iterator[str]:
    """Yield what is shown on a terminal: of each of the three parts at most ``limit``."""
    yield f"entities of several names: {len(found.clusters)}"
    for cluster in found.clusters[:limit]:
        yield ""
        yield ", ".join(f"{name.name} ({name.n_mentions})" for name in cluster.names)
        for join in cluster.joins:
            yield f"  {join.name} = {join.other}: {join.reason}; from {join.since}"
            yield f"    if not: {join.wish}"
    yield from _more(len(found.clusters), limit)
    yield ""
    yield f"taken for one, for a time: {len(found.withdrawn)}"
    for join in found.withdrawn[:limit]:
        yield f"  {join.name} = {join.other}: {join.reason}; from {join.since} until {join.until}"
        yield f"    if so: {join.wish}"
    yield from _more(len(found.withdrawn), limit)
    yield ""
    yield f"near misses: {len(found.near_misses)}"
    for miss in found.near_misses[:limit]:
        yield f"  {miss.name} ? {miss.other}: {miss.reason}"
        yield f"    if one: {miss.wish}"
    yield from _more(len(found.near_misses), limit)
    yield ""
    yield f"What stands in {found.where} holds from the next `tgrag index` on."


def _more(total: int, limit: int) -> Iterator[str]:
    if total > limit:
        yield f"  … and {total - limit} more; a name or --limit narrows or widens, --json shows all"
