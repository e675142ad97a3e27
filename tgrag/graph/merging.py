"""Which names are one entity's: read in story order, one decision after the other, each from the text so far.

A name of several parts joins another one of which it is a part («Алексей Швабрин» and «Алексей Иванович
Швабрин») once and for all. A name of one part («Швабрин», «Маша», «Mr Topping») belongs to the one person who can
be meant by it; when a second candidate comes it is withdrawn, so identity too is as of an ordinal. Candidates come
from an index over parts of names, never from all pairs.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from tgrag.graph.naming import Atoms, PersonName
from tgrag.graph.spelling import is_cyrillic, sound, spelling, typo_keys
from tgrag.hashing import stable_hash
from tgrag.records import NEVER, Merge

ANOTHER_SCRIPT = "written in another script"
CROWD = 64  # more candidates than that for one name: it tells nobody
DOMINANT = 5  # times as often as all others together: the one who is meant by a name that several bear


@dataclass(frozen=True, slots=True)
class Node:
    """A base entity as resolution sees it. person: None for what cannot be a person."""

    entity_id: str
    lemma_key: str
    type: str
    person: PersonName | None


@dataclass(slots=True)
class _Slot:
    """A part of names. holders: for each cluster that has the part in a longer name, the first such node.

    bare: nodes whose whole name it is.
    """

    holders: dict[int, int] = field(default_factory=dict)
    bare: list[int] = field(default_factory=list)
    crowded: bool = False


@dataclass(slots=True)
class _Person:
    patronymic: str | None
    surname: str | None
    gender: str | None


class Merging:
    """The merges of one series; feed it in reading order, then read ``merges``."""

    def __init__(self, series_id: str) -> None:
        self._series_id = series_id
        self._nodes: list[Node] = []
        self._place: dict[str, int] = {}
        self._parents: list[int] = []
        self._persons: list[_Person] = []
        self._slots: defaultdict[Atoms, _Slot] = defaultdict(_Slot)
        self._slots_of: list[list[Atoms]] = []
        self._apart: defaultdict[int, set[int]] = defaultdict(set)
        self._mentions: list[int] = []
        self._links: dict[int, tuple[int, int]] = {}
        self._written: dict[str, list[int]] = {}
        self._merges: list[Merge] = []
        self._now = 0

    # --- what is read ---------------------------------------------------------------------------------

    def add(self, node: Node, ordinal: int) -> None:
        """Take in a base entity that becomes known now."""
        self._now = ordinal
        new = len(self._nodes)
        self._nodes.append(node)
        self._place[node.entity_id] = new
        self._parents.append(new)
        self._slots_of.append([])
        self._mentions.append(0)
        self._persons.append(
            _Person(node.person.patronymic, node.person.surname, node.person.gender)
            if node.person
            else _Person(None, None, None)
        )
        self._join_spellings(new)
        if node.person is None:
            return
        if len(node.person.parts) == 1:
            for atoms in node.person.whole_keys():
                self._slots[atoms].bare.append(new)
                self._settle(atoms)
        else:
            self._join_longer(new, node.person)
            self._join_shorter(new, node.person)

    def mentioned(self, entity_id: str, times: int, ordinal: int) -> None:
        """Take in that a text unit names an entity; a name of one part is understood anew."""
        self._now = ordinal
        node = self._place.get(entity_id)
        if node is None:
            return
        self._mentions[self._root(node)] += times
        if self._is_bare(node):
            self._choose(node)

    def apart(self, first_id: str, second_id: str, ordinal: int) -> None:
        """Take in that two entities were told to be different ones."""
        self._now = ordinal
        first, second = self._place.get(first_id), self._place.get(second_id)
        if first is None or second is None:
            return
        self._apart[first].add(second)
        self._apart[second].add(first)
        for node in (first, second):
            for atoms in self._whole(node) if self._is_bare(node) else ():
                self._settle(atoms)

    def same(self, first_id: str, second_id: str, ordinal: int, reason: str) -> None:
        """Take in that two entities were told to be one; those told apart before stay so."""
        self._now = ordinal
        first, second = self._place.get(first_id), self._place.get(second_id)
        if first is not None and second is not None and self._agree(first, second):
            self._unite(first, second, reason)

    def merges(self) -> list[Merge]:
        """Return all merges, withdrawn ones too, and the near misses, in order."""
        standing = [self._merge(node, target, since) for node, (target, since) in self._links.items()]
        return [*self._merges, *standing, *self._near_misses()]

    # --- names of several parts -----------------------------------------------------------------------

    def _join_longer(self, new: int, name: PersonName) -> None:
        """Join the one longer name of which this is a part, or the same one in other forms or order."""
        found: dict[int, int] = {}
        for atoms in sorted(name.whole_keys()):
            slot = self._slots.get(atoms)
            if slot is None:
                continue
            for other in slot.bare:
                found.setdefault(self._root(other), other)
            for root, other in slot.holders.items():
                found.setdefault(self._root(root), other)
        fitting = [other for root, other in found.items() if self._agree(new, other)]
        if len(fitting) == 1:
            self._unite(new, fitting[0], "the one name is a part of the other")

    def _join_shorter(self, new: int, name: PersonName) -> None:
        """Take its place in the index, and join the shorter names of several parts that it contains."""
        for atoms in name.whole_keys():
            self._slots[atoms].bare.append(new)
        for atoms in sorted(name.partial_keys(), key=lambda a: (-len(a), a)):
            slot = self._slots[atoms]
            if len(atoms) > 1:
                for other in slot.bare[:CROWD]:
                    alone = slot.holders.keys() <= {self._root(new), self._root(other)}
                    if alone and self._root(other) != self._root(new) and self._agree(new, other):
                        self._unite(other, new, "the one name is a part of the other")
            self._hold(slot, atoms, self._root(new), new)
            if len(atoms) == 1:
                self._settle(atoms)

    def _hold(self, slot: _Slot, atoms: Atoms, root: int, holder: int) -> None:
        if slot.crowded:
            return
        if root not in slot.holders:
            slot.holders[root] = holder
            self._slots_of[root].append(atoms)
        if len(slot.holders) > CROWD:
            slot.crowded = True
            slot.holders.clear()

    # --- names of one part ----------------------------------------------------------------------------

    def _settle(self, atoms: Atoms) -> None:
        for node in self._slots[atoms].bare[: CROWD * CROWD] if len(atoms) == 1 else ():
            if self._is_bare(node):
                self._choose(node)

    def _choose(self, node: int) -> None:
        """Link a name of one part to whom it means, or withdraw the link."""
        target = self._meant(node)
        before = self._links.get(node)
        if before and target is not None and before[0] == target:
            return
        if before:
            del self._links[node]
            if before[1] < self._now:
                self._merges.append(replace(self._merge(node, *before), known_until=self._now))
        if target is not None:
            self._links[node] = (target, self._now)

    def _meant(self, node: int) -> int | None:
        slots = [self._slots[atoms] for atoms in sorted(self._whole(node))]
        if any(slot.crowded for slot in slots):
            return None
        holders: dict[int, int] = {}
        for slot in slots:
            for root, holder in slot.holders.items():
                holders.setdefault(root, holder)
        fitting = [holder for holder in holders.values() if self._agree(node, holder)]
        bare = [other for slot in slots for other in slot.bare if other != node and self._is_bare(other)]
        genders = {self._persons[self._root(other)].gender for other in (node, *bare, *fitting)} - {None}
        if len(fitting) > 1:
            fitting = self._dominant(fitting)
        if len(fitting) > 1 or (len(genders) > 1 and self._persons[self._root(node)].gender is None):
            return None
        if fitting:
            before = self._links.get(node)
            if before and self._root(before[0]) == self._root(fitting[0]):
                return before[0]
            return fitting[0]
        if holders:
            return None
        earlier = [other for other in bare if other < node and self._agree(node, other)]
        return min(earlier, default=None)

    def _dominant(self, holders: list[int]) -> list[int]:
        """Return of several candidates the one who is named far more often than the others; else all."""
        times = [max(1, self._mentions[self._root(holder)]) for holder in holders]
        most = max(times)
        alone = most >= DOMINANT * (sum(times) - most)
        return [holders[times.index(most)]] if alone else holders

    # --- spellings ------------------------------------------------------------------------------------

    def _join_spellings(self, new: int) -> None:
        node = self._nodes[new]
        here = is_cyrillic(node.lemma_key)
        for reason, key in _spellings(node.lemma_key):
            known = self._written.setdefault(f"{reason}|{key}", [])
            for other in known[:CROWD]:
                if self._nodes[other].lemma_key == node.lemma_key or not self._agree(new, other):
                    continue
                if reason != ANOTHER_SCRIPT or is_cyrillic(self._nodes[other].lemma_key) != here:
                    self._unite(new, other, reason)
                    break
            known.append(new)

    # --- what they share ------------------------------------------------------------------------------

    def _whole(self, node: int) -> frozenset[Atoms]:
        person = self._nodes[node].person
        return person.whole_keys() if person else frozenset()

    def _is_bare(self, node: int) -> bool:
        person = self._nodes[node].person
        return person is not None and len(person.parts) == 1

    def _agree(self, first: int, second: int) -> bool:
        """Tell whether nothing speaks against two nodes being one: gender, patronymic, rank, being told apart."""
        one, other = self._root(first), self._root(second)
        if one == other:
            return True
        a, b = self._persons[one], self._persons[other]
        if a.gender and b.gender and a.gender != b.gender:
            return False
        if a.patronymic and b.patronymic and a.patronymic != b.patronymic:
            return False
        if a.surname and b.surname and a.surname != b.surname:
            return False
        if not _types_agree(self._nodes[first].type, self._nodes[second].type):
            return False
        if self._is_coarse(first, b) or self._is_coarse(second, a):
            return False
        ranks = [p.titles for p in (self._nodes[first].person, self._nodes[second].person) if p and p.titles]
        if len(ranks) == 2 and not ranks[0] & ranks[1] and self._is_bare(first) and self._is_bare(second):
            return False
        return not any(self._root(x) == other for x in self._apart.get(first, ())) and not any(
            self._root(x) == one for x in self._apart.get(second, ())
        )

    def _is_coarse(self, node: int, other: _Person) -> bool:
        """Tell whether a node is a coarse diminutive («Акулька»), as nobody calls who is called by patronymic."""
        person = self._nodes[node].person
        return person is not None and person.coarse and other.patronymic is not None

    def _root(self, node: int) -> int:
        parents = self._parents
        while parents[node] != node:
            parents[node] = parents[parents[node]]
            node = parents[node]
        return node

    def _unite(self, first: int, second: int, reason: str) -> None:
        big, small = self._root(first), self._root(second)
        if big == small:
            return
        if (len(self._slots_of[big]), small) < (len(self._slots_of[small]), big):
            big, small = small, big
        self._merges.append(
            _merge(self._series_id, self._nodes[first], self._nodes[second], self._now, reason)
        )
        self._parents[small] = big
        self._mentions[big] += self._mentions[small]
        one, other = self._persons[big], self._persons[small]
        one.patronymic, one.gender = one.patronymic or other.patronymic, one.gender or other.gender
        one.surname = one.surname or other.surname
        moved, self._slots_of[small] = self._slots_of[small], []
        for atoms in moved:
            slot = self._slots[atoms]
            holder = slot.holders.pop(small, None)
            if holder is not None:
                if big in slot.holders:
                    slot.holders[big] = min(holder, slot.holders[big])
                else:
                    slot.holders[big] = holder
                    self._slots_of[big].append(atoms)
        for atoms in moved:
            self._settle(atoms)

    def _merge(self, node: int, target: int, since: int) -> Merge:
        holder = self._nodes[target].person
        whole = holder is not None and len(holder.parts) > 1
        reason = (
            "a part of one person's name" if whole else "the same name with another title or in another form"
        )
        return _merge(self._series_id, self._nodes[node], self._nodes[target], since, reason)

    def _near_misses(self) -> Iterator[Merge]:
        for node in range(len(self._nodes)):
            if not self._is_bare(node) or node in self._links:
                continue
            holders = {h for atoms in sorted(self._whole(node)) for h in self._slots[atoms].holders.values()}
            for holder in sorted(holders):
                if self._root(holder) != self._root(node):
                    reason = "several could be meant" if self._agree(node, holder) else "told apart"
                    row = _merge(self._series_id, self._nodes[node], self._nodes[holder], NEVER, reason)
                    yield replace(row, decision="near_miss")


def _merge(series_id: str, first: Node, second: Node, known_from: int, reason: str) -> Merge:
    return Merge(
        merge_id=stable_hash(first.entity_id, second.entity_id, known_from),
        series_id=series_id,
        source_id=first.entity_id,
        target_id=second.entity_id,
        known_from=known_from,
        known_until=NEVER,
        decision="merge",
        reason=reason,
    )


def _types_agree(first: str, second: str) -> bool:
    return first == second or "NAME" in (first, second)


def _spellings(lemma_key: str) -> Iterable[tuple[str, str]]:
    """Return (reason, key) of the ways to write a name under which others may be found."""
    yield "another spelling", spelling(lemma_key)
    if heard := sound(lemma_key):
        yield ANOTHER_SCRIPT, heard
    for key in typo_keys(lemma_key):
        yield "a misspelling", key
