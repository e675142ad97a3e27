"""Which names are one entity's: read in story order, one decision after the other, each from the text so far.

A name of several parts joins another one of which it is a part («Алексей Швабрин» and «Алексей Иванович
Швабрин») once and for all. A name of one part («Швабрин», «Маша», «Mr Topping») belongs to the one person who can
be meant by it; when a second candidate comes it is withdrawn, so identity too is as of an ordinal. So is a
misspelling, which holds while it is rare beside the name. Candidates come from indexes, never from all pairs.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace

from tgrag.extract.keys import NAME_TYPES
from tgrag.graph.clusters import Clusters, Node
from tgrag.graph.given_names import Gender
from tgrag.graph.naming import Atoms, PersonName
from tgrag.graph.parts import CROWD, Parts
from tgrag.graph.spelling import is_cyrillic, sound, spelling, typo_keys
from tgrag.graph.verdict import Decision
from tgrag.hashing import stable_hash
from tgrag.records import NEVER, Merge

ANOTHER_SCRIPT = "written in another script"
BY_MODEL = "a language model"
RARE = "a rare form of the name"
PART = "the one name is a part of the other"
DOMINANT = 5  # times as often as all others together: the one who is meant by a name that several bear
FEW = 2  # candidates, up to which a name is understood anew at once
SHORTEST = 3  # letters of a given name cut short
SEEN = 8  # other spellings of a name that are looked at

_NAMED = "a part of one person's name"
_FORM = "the same name with another title or in another form"


class Merging:
    """The merges of one series; feed it in reading order, then read ``merges``."""

    def __init__(self, series_id: str) -> None:
        self._series_id = series_id
        self._clusters = Clusters()
        self._parts = Parts()
        self._place: dict[str, int] = {}
        self._also: set[tuple[str, str]] = set()
        self._keys: dict[int, tuple[Atoms, ...]] = {}
        self._alone: dict[str, int] = {}
        self._times: list[int] = []
        self._things: list[int] = []
        self._meant_times: defaultdict[int, int] = defaultdict(int)
        self._links: dict[int, tuple[int, int]] = {}
        self._linked: defaultdict[int, set[int]] = defaultdict(set)
        self._slips: dict[int, tuple[int, int]] = {}
        self._slipped: defaultdict[int, list[int]] = defaultdict(list)
        self._written: dict[str, list[int]] = {}
        self._merges: list[Merge] = []
        self._open: list[tuple[int, int, str]] = []
        self._now = 0

    # --- what is read ---------------------------------------------------------------------------------

    def add(self, node: Node, ordinal: int) -> None:
        """Take in a base entity that becomes known now."""
        self._now = ordinal
        new = self._place[node.entity_id] = self._enter(node)
        if node.type in NAME_TYPES:
            self._join_spellings(new)
        if node.person is not None:
            self._join_parts(new, node.person)

    def also(self, node: Node, ordinal: int) -> None:
        """Take in another name of an entity, one that only a description tells (``node`` has the entity's id)."""
        self._now = ordinal
        owner = self._place.get(node.entity_id)
        person = node.person
        if owner is None or person is None or (node.entity_id, node.lemma_key) in self._also:
            return
        if len({person.gender, self._clusters.gender(owner)} - {None}) > 1:
            return
        self._also.add((node.entity_id, node.lemma_key))
        new = self._enter(node)
        self._join_clusters(owner, new)
        self._join_parts(new, person)

    def _enter(self, node: Node) -> int:
        self._times.append(0)
        self._things.append(0)
        return self._clusters.add(node)

    def _join_parts(self, new: int, name: PersonName) -> None:
        if self._is_bare(new):
            self._keys[new] = tuple(sorted(name.whole_keys()))
            self._alone.setdefault(name.words[0], new)
            for atoms in self._keys[new]:
                self._parts.add_bare(atoms, new)
            for atoms in self._keys[new]:
                self._settle(atoms)
        else:
            self._join_longer(new, name)
            self._join_shortened(new, name)
            self._join_familiar(new, name)
            self._join_shorter(new, name)

    def mentioned(self, entity_id: str, times: int, ordinal: int, as_thing: int = 0) -> None:
        """Take in that a text unit names an entity; a name of one part is understood anew.

        as_thing: how many of the times it stood where a thing or a place is named.
        """
        self._now = ordinal
        node = self._place.get(entity_id)
        if node is None:
            return
        self._times[node] += times
        self._things[node] += as_thing
        self._clusters.count(node, times)
        if self._is_bare(node):
            self._choose(node)
            if node in self._links:
                self._meant_times[self._clusters.root(self._links[node][0])] += times
        for other in self._slipped.get(node, ()):
            self._weigh(node, other)

    def apart(self, first_id: str, second_id: str, ordinal: int, forced: bool = False) -> None:
        """Take in that two entities were told to be different ones; forced: whatever the text says."""
        self._now = ordinal
        first, second = self._place.get(first_id), self._place.get(second_id)
        if first is not None and second is not None:
            self._clusters.set_apart(first, second, forced)
            self._understand_anew(first, second)

    def beside(self, first_id: str, second_id: str, times: int, ordinal: int) -> None:
        """Take in how many sentences of a unit name both of two entities."""
        self._now = ordinal
        first, second = self._place.get(first_id), self._place.get(second_id)
        if first is not None and second is not None:
            self._clusters.set_beside(first, second, times)
            if self._clusters.are_apart(first, second):
                self._understand_anew(first, second)

    def same(self, first_id: str, second_id: str, ordinal: int, reason: str, forced: bool = False) -> None:
        """Take in that two entities were told to be one; those told apart before stay so.

        forced: by the user, whatever the text says.
        """
        self._now = ordinal
        first, second = self._place.get(first_id), self._place.get(second_id)
        if first is None or second is None or self._clusters.were_forced_apart(first, second):
            return
        if forced or self._clusters.can_be_told_one(first, second):
            self._unite(first, second, reason)

    def decide(self, first_id: str, second_id: str, ordinal: int, decision: Decision, reason: str) -> None:
        """Take in what a language model decided about two names. What the text or the user tells goes before."""
        self._now = ordinal
        first, second = self._place.get(first_id), self._place.get(second_id)
        if first is None or second is None:
            return
        if decision == "same" and self._clusters.can_be_told_one(first, second):
            self._unite(first, second, f"{BY_MODEL}: {reason}")
            return
        if decision == "different":
            self._clusters.set_apart(first, second)
            self._understand_anew(first, second)
        self._open.append((first, second, f"{BY_MODEL}, {decision}: {reason}"))

    def merges(self) -> list[Merge]:
        """Return all merges, withdrawn ones too, and the near misses, in order."""
        standing = [self._link(node, *link) for node, link in self._links.items()]
        slips = [self._slip(node, *link) for node, link in self._slips.items()]
        rows = [*self._merges, *standing, *slips, *self._near_misses()]
        return list({row.merge_id: row for row in rows if row.source_id != row.target_id}.values())

    # --- who is who now -------------------------------------------------------------------------------

    def whose(self, entity_id: str) -> int | None:
        """Return a number for whom a name means now; None for a name that is not known yet."""
        node = self._place.get(entity_id)
        return None if node is None else self._meant_by(node)

    def together(self, entity_id: str) -> list[str]:
        """Return all names that mean the same as this one now, itself among them."""
        root = self.whose(entity_id)
        if root is None:
            return [entity_id]
        own = self._clusters.members(root)
        linked = [
            other for node in own for bare in self._linked[node] for other in self._clusters.members(bare)
        ]
        found = {
            self._clusters.nodes[node].entity_id for node in (*own, *linked) if self._meant_by(node) == root
        }
        return sorted(found | {entity_id})

    def may_be_one(self, first_id: str, second_id: str) -> bool:
        """Tell whether two names are neither one nor kept apart by what is known now."""
        first, second = self._place.get(first_id), self._place.get(second_id)
        if first is None or second is None:
            return first_id != second_id
        return self._meant_by(first) != self._meant_by(second) and self._clusters.can_be_told_one(
            first, second
        )

    def gender(self, entity_id: str) -> Gender | None:
        node = self._place.get(entity_id)
        return None if node is None else self._clusters.gender(node)

    def _meant_by(self, node: int) -> int:
        root = self._clusters.root(node)
        links = [self._links[member][0] for member in self._clusters.members(root) if member in self._links]
        return self._clusters.root(min(links)) if links else root

    def _understand_anew(self, *nodes: int) -> None:
        for node in nodes:
            if self._is_bare(node):
                for atoms in self._keys[node]:
                    self._settle(atoms)
            for other in self._slipped.get(node, ()):
                self._weigh(node, other)

    # --- names of several parts -----------------------------------------------------------------------

    def _join_longer(self, new: int, name: PersonName) -> None:
        """Join the one longer name of which this is a part, or the same one in other forms or order."""
        found: dict[int, int] = {}
        for atoms in sorted(name.whole_keys()):
            slot = self._parts.get(atoms)
            if slot is not None:
                for other in slot.bare[:CROWD]:
                    found.setdefault(self._clusters.root(other), other)
                for root, other in slot.holders.items():
                    found.setdefault(root, other)
        fitting = [other for other in found.values() if self._fit(new, other)]
        if len(fitting) == 1:
            self._unite(new, fitting[0], PART)

    def _join_shortened(self, new: int, name: PersonName) -> None:
        """«Tris Mardon» is Sir Tristram Mardon: one surname, and one given name cut short."""
        slot = self._parts.get((name.words[-1],))
        for holder in list(slot.holders.values()) if slot else ():
            other = self._person(holder)
            if len(other.words) < 2 or other.words[-1] != name.words[-1]:
                continue
            short, long = sorted((name.words[0], other.words[0]), key=len)
            cut = len(short) >= SHORTEST and long.startswith(short) and short != long
            if cut and self._fit(new, holder):
                self._unite(new, holder, f"{short} is short for {long}")
                return

    def _join_familiar(self, new: int, name: PersonName) -> None:
        """«Маша Миронова» is she who has been called Маша all the time, while nobody else is."""
        slot = self._parts.get((name.words[0],))
        if name.patronymic is not None or slot is None or slot.crowded:
            return
        for bare in slot.bare[:CROWD]:
            if self._written_as(bare) != name.words[0] or bare not in self._links:
                continue
            called = self._links[bare][0]
            others = slot.holders.keys() - {self._clusters.root(called), self._clusters.root(new)}
            if self._times[bare] >= DOMINANT and not others and not self._clusters.has_surname(called):
                if self._fit(new, called):
                    self._unite(new, called, f"{self._clusters.nodes[bare].lemma_key} is said of one person")
                return

    def _join_shorter(self, new: int, name: PersonName) -> None:
        """Take its place in the index, and join the shorter names of several parts that it contains."""
        for atoms in name.whole_keys():
            self._parts.add_bare(atoms, new)
        for atoms in sorted(name.partial_keys(), key=lambda a: (-len(a), a)):
            slot = self._parts.get(atoms)
            if len(atoms) > 1 and slot is not None:
                for other in slot.bare[:CROWD]:
                    here, there = self._clusters.root(new), self._clusters.root(other)
                    if here != there and slot.holders.keys() <= {here, there} and self._fit(new, other):
                        self._unite(other, new, PART)
            self._parts.hold(atoms, self._clusters.root(new), new)
            self._settle(atoms)

    def _fit(self, new: int, other: int) -> bool:
        """Tell whether two names of several parts may be one person's: no two words of theirs are two people."""
        if not self._clusters.agree(new, other):
            return False
        one, two = self._clusters.nodes[new].person, self._clusters.nodes[other].person
        if one is None or two is None:
            return True
        return not any(
            a != b and x & y and self._are_two(a, b)
            for a, x in zip(one.words, one.parts, strict=True)
            for b, y in zip(two.words, two.parts, strict=True)
        )

    def _are_two(self, word: str, other: str) -> bool:
        """Tell whether two forms of a given name, each used alone, have been two people («Rose», «Roxie»)."""
        first, second = self._alone.get(word), self._alone.get(other)
        return first is not None and second is not None and self._clusters.are_apart(first, second)

    # --- names of one part ----------------------------------------------------------------------------

    def _settle(self, atoms: Atoms) -> None:
        """Understand anew who is called so; one whom several may be meant by already waits for its next mention."""
        slot = self._parts.get(atoms)
        if slot is not None:
            for node in slot.bare[:CROWD]:
                if self._is_bare(node) and (node in self._links or len(slot.holders) <= FEW):
                    self._choose(node)

    def _choose(self, node: int) -> None:
        """Link a name of one part to whom it means, or withdraw the link."""
        target = self._meant(node)
        before = self._links.get(node)
        if before and target is not None and before[0] == target:
            return
        if before:
            del self._links[node]
            self._linked[before[0]].discard(node)
            self._withdraw(self._link(node, *before))
        if target is not None:
            self._links[node] = (target, self._now)
            self._linked[target].add(node)

    def _meant(self, node: int) -> int | None:
        """Return whom a name of one part means: the only one who fits, or who is named far more than the others."""
        if 3 * self._things[node] >= self._times[node] > 1:
            return None
        holders: dict[int, int] = {}
        bare: dict[int, None] = {}
        for atoms in self._keys[node]:
            slot = self._parts.get(atoms)
            if slot is not None:
                if slot.crowded:
                    return None
                for root, holder in slot.holders.items():
                    holders.setdefault(root, holder)
                bare.update(dict.fromkeys(slot.bare[:CROWD]))
        siblings = [other for other in bare if other != node and self._is_bare(other)]
        if self._is_lords(node, (*siblings, *holders.values())):
            siblings = [other for other in siblings if self._clusters.gender(other) != "f"]
            fitting = [
                h for h in holders.values() if self._clusters.gender(h) != "f" and self._may_mean(node, h)
            ]
        else:
            fitting = [holder for holder in holders.values() if self._may_mean(node, holder)]
        if len(fitting) > 1:
            fitting = self._dominant(fitting) or self._dominant(self._written_alike(node, fitting))
            if not fitting:
                return None
        if self._clusters.gender(node) is None:
            alike = (other for other in siblings if self._clusters.agree(node, other))
            genders = {self._clusters.gender(other) for other in (*alike, *fitting)}
            if {"m", "f"} <= genders:
                return None
        if fitting:
            before = self._links.get(node)
            if before and self._clusters.root(before[0]) == self._clusters.root(fitting[0]):
                return before[0]
            return fitting[0]
        if holders:
            return None
        return min(
            (other for other in siblings if other < node and self._may_mean(node, other)), default=None
        )

    def _may_mean(self, node: int, other: int) -> bool:
        """Tell whether a name of one part may mean the bearer of another name."""
        if not self._clusters.agree(node, other):
            return False
        here, there = self._person(node), self._person(other)
        word = here.words[0]
        if word in there.words:
            return True
        if len(there.parts) > 1 and self._spoken_of(other) * DOMINANT < self._times[node]:
            return False  # «Bill», of whom all speak, is not Billy Horner, who comes by once
        return not any(
            self._are_two(counterpart, word)
            for counterpart, part in zip(there.words, there.parts, strict=True)
            if not part.isdisjoint(here.parts[0])
        )

    def _is_lords(self, node: int, others: Iterable[int]) -> bool:
        """Tell whether an English surname alone is a man's, as the text calls a lady of that name Mrs or Miss."""
        person = self._person(node)
        word = person.words[0]
        if person.titled or is_cyrillic(word) or person.parts[0] != {word}:
            return False
        bearers = (self._person(other) for other in others)
        return any(p.lady and p.words[-1] == word for p in bearers)

    def _dominant(self, holders: list[int]) -> list[int]:
        """Return of several candidates the one who is named far more often than the others, if there is one."""
        if len(holders) < 2:
            return holders
        times = [self._spoken_of(holder) for holder in holders]
        most = max(times)
        return [holders[times.index(most)]] if most >= DOMINANT * (sum(times) - most) else []

    def _spoken_of(self, holder: int) -> int:
        root = self._clusters.root(holder)
        return max(1, self._clusters.mentions(root)) + self._meant_times[root]

    def _written_alike(self, node: int, holders: list[int]) -> list[int]:
        written = self._written_as(node)
        return [holder for holder in holders if written in self._person(holder).words]

    # --- spellings ------------------------------------------------------------------------------------

    def _join_spellings(self, new: int) -> None:
        lemma_key = self._clusters.nodes[new].lemma_key
        for reason, key in _spellings(lemma_key):
            known = self._written.setdefault(f"{reason}|{key}", [])
            for other in known[:SEEN]:
                other_key = self._clusters.nodes[other].lemma_key
                if other_key == lemma_key:
                    continue
                if reason == RARE:
                    if other not in self._slipped[new]:
                        self._slipped[new].append(other)
                        self._slipped[other].append(new)
                    continue
                across = is_cyrillic(other_key) != is_cyrillic(lemma_key)
                if across == (reason == ANOTHER_SCRIPT) and self._clusters.agree(new, other):
                    self._unite(new, other, reason)
                    break
            if len(known) < SEEN:
                known.append(new)

    def _weigh(self, first: int, second: int) -> None:
        """Take the rare one of two like spellings for a slip, or no more."""
        rare, common = sorted((first, second), key=lambda node: (self._times[node], -node))
        joined = self._times[common] >= DOMINANT * max(1, self._times[rare]) and self._clusters.agree(
            rare, common
        )
        for node, other in ((rare, common), (common, rare)):
            link = self._slips.get(node)
            if link is not None and link[0] == other and not (joined and node == rare):
                del self._slips[node]
                self._withdraw(self._slip(node, *link))
        if joined and rare not in self._slips:
            self._slips[rare] = (common, self._now)

    # --- what they share ------------------------------------------------------------------------------

    def _person(self, node: int) -> PersonName:
        person = self._clusters.nodes[node].person
        assert person is not None  # only persons are in the index of parts
        return person

    def _written_as(self, node: int) -> str:
        return self._person(node).words[0]

    def _is_bare(self, node: int) -> bool:
        person = self._clusters.nodes[node].person
        return person is not None and len(person.parts) == 1

    def _unite(self, first: int, second: int, reason: str) -> None:
        nodes = self._clusters.nodes
        if self._clusters.root(first) != self._clusters.root(second):
            self._merges.append(_merge(self._series_id, nodes[first], nodes[second], self._now, reason))
            self._join_clusters(first, second)

    def _join_clusters(self, first: int, second: int) -> None:
        united = self._clusters.unite(first, second)
        if united is None:
            return
        big, small = united
        self._meant_times[big] += self._meant_times.pop(small, 0)
        for atoms in self._parts.moved(big, small):
            self._settle(atoms)

    def _withdraw(self, row: Merge) -> None:
        if row.known_from < self._now:
            self._merges.append(replace(row, known_until=self._now))

    def _link(self, node: int, target: int, since: int) -> Merge:
        nodes = self._clusters.nodes
        reason = _NAMED if len(self._person(target).parts) > 1 else _FORM
        return _merge(self._series_id, nodes[node], nodes[target], since, reason)

    def _slip(self, node: int, target: int, since: int) -> Merge:
        nodes = self._clusters.nodes
        return _merge(self._series_id, nodes[node], nodes[target], since, RARE)

    def _near_misses(self) -> Iterator[Merge]:
        for first, second, reason in self._open:
            if self._meant_by(first) != self._meant_by(second):
                yield self._near_miss(first, second, reason)
        for node in self._keys:
            if node in self._links:
                continue
            slots = [slot for atoms in self._keys[node] if (slot := self._parts.get(atoms))]
            for holder in sorted({holder for slot in slots for holder in slot.holders.values()}):
                if self._clusters.root(holder) != self._clusters.root(node):
                    reason = "several could be meant" if self._may_mean(node, holder) else "told apart"
                    yield self._near_miss(node, holder, reason)

    def _near_miss(self, first: int, second: int, reason: str) -> Merge:
        nodes = self._clusters.nodes
        row = _merge(self._series_id, nodes[first], nodes[second], NEVER, reason)
        return replace(row, decision="near_miss")


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


def _spellings(lemma_key: str) -> Iterable[tuple[str, str]]:
    """Return (reason, key) of the ways to write a name under which others may be found."""
    yield "another spelling", spelling(lemma_key)
    if heard := sound(lemma_key):
        yield ANOTHER_SCRIPT, heard
    for key in typo_keys(lemma_key):
        yield RARE, key
