"""The clusters of names that are one entity so far: what each is known to be, and what speaks against joining two."""

import math
from collections import defaultdict
from dataclasses import dataclass

from tgrag.graph.given_names import Gender
from tgrag.graph.naming import PersonName

TOGETHER = 2  # sentences with both names, before they can make two people of them
TOLD_APART = 1_000_000_000  # as good as so many sentences: what the text itself tells
APART = 0.2  # share of the rarer one's sentences that have the other too: nobody is named twice so often


@dataclass(frozen=True, slots=True)
class Node:
    """A base entity as resolution sees it. person: None for what cannot be a person."""

    entity_id: str
    lemma_key: str
    type: str
    person: PersonName | None


@dataclass(slots=True)
class _Traits:
    patronymic: str | None = None
    surname: str | None = None
    gender: Gender | None = None


class Clusters:
    """Nodes by number, in the order they came, and the clusters that they make; a cluster is named by its root."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self._parents: list[int] = []
        self._members: list[list[int]] = []
        self._traits: list[_Traits] = []
        self._mentions: list[int] = []
        self._beside: defaultdict[int, dict[int, float]] = defaultdict(dict)

    def add(self, node: Node) -> int:
        """Return the number of a new node, a cluster by itself."""
        person = node.person
        self.nodes.append(node)
        self._parents.append(len(self._parents))
        self._members.append([len(self._members)])
        self._mentions.append(0)
        self._traits.append(
            _Traits(person.patronymic, person.surname, person.gender) if person else _Traits()
        )
        return len(self.nodes) - 1

    def root(self, node: int) -> int:
        parents = self._parents
        while parents[node] != node:
            parents[node] = parents[parents[node]]
            node = parents[node]
        return node

    def members(self, node: int) -> list[int]:
        """Return the nodes of a node's cluster."""
        return self._members[self.root(node)]

    def count(self, node: int, times: int) -> None:
        """Take in how often a node is named."""
        self._mentions[self.root(node)] += times

    def mentions(self, node: int) -> int:
        """Return how often all names of a node's cluster have been read so far."""
        return self._mentions[self.root(node)]

    def gender(self, node: int) -> Gender | None:
        return self._traits[self.root(node)].gender

    def has_surname(self, node: int) -> bool:
        return self._traits[self.root(node)].surname is not None

    def set_apart(self, first: int, second: int, forced: bool = False) -> None:
        """Take in that two nodes were told apart; forced: by the user, whatever is told later."""
        self.set_beside(first, second, math.inf if forced else TOLD_APART)

    def set_beside(self, first: int, second: int, times: float) -> None:
        """Take in how often a sentence names both of two nodes."""
        one, other = self.root(first), self.root(second)
        if one != other:
            for here, there in ((one, other), (other, one)):
                self._beside[here][there] = self._beside[here].get(there, 0) + times

    def are_apart(self, first: int, second: int) -> bool:
        one, other = self.root(first), self.root(second)
        times = self._beside[one].get(other, 0) if one in self._beside else 0
        return times >= TOGETHER and times >= APART * min(self._mentions[one], self._mentions[other])

    def were_forced_apart(self, first: int, second: int) -> bool:
        one, other = self.root(first), self.root(second)
        return one in self._beside and self._beside[one].get(other) == math.inf

    def agree(self, first: int, second: int) -> bool:
        """Tell whether nothing speaks against two nodes being one: who they are by their names, and the text."""
        one, other = self.root(first), self.root(second)
        if one == other:
            return True
        a, b = self._traits[one], self._traits[other]
        if (
            (a.surname and b.surname and a.surname != b.surname)
            or (a.patronymic and b.patronymic and a.patronymic != b.patronymic)
            or (a.gender and b.gender and a.gender != b.gender)
        ):
            return False
        return (
            _types_agree(self.nodes[first].type, self.nodes[second].type)
            and _persons_agree(self.nodes[first].person, self.nodes[second].person)
            and not _is_coarse(self.nodes[first].person, b)
            and not _is_coarse(self.nodes[second].person, a)
            and not self.are_apart(one, other)
        )

    def can_be_told_one(self, first: int, second: int) -> bool:
        """Tell whether the text may say that two nodes are one: women marry, but nobody changes sex."""
        genders = {self.gender(first), self.gender(second)} - {None}
        return len(genders) < 2 and not self.are_apart(first, second)

    def unite(self, first: int, second: int) -> tuple[int, int] | None:
        """Join the clusters of two nodes; return the root that stays and the one that goes, None if they are one."""
        big, small = self.root(first), self.root(second)
        if big == small:
            return None
        if (len(self._members[big]), small) < (len(self._members[small]), big):
            big, small = small, big
        self._parents[small] = big
        self._members[big] += self._members[small]
        self._members[small] = []
        self._mentions[big] += self._mentions[small]
        kept, gone = self._traits[big], self._traits[small]
        kept.patronymic = kept.patronymic or gone.patronymic
        kept.surname = kept.surname or gone.surname
        kept.gender = kept.gender or gone.gender
        for other, times in self._beside.pop(small, {}).items():
            self._beside[other].pop(small)
            if other != big:
                self.set_beside(big, other, times)
        return big, small


def _types_agree(first: str, second: str) -> bool:
    return first == second or "NAME" in (first, second)


def _persons_agree(first: PersonName | None, second: PersonName | None) -> bool:
    """Tell whether one may bear both titles; a rank may be gained, but not between two names of one part."""
    if first is None or second is None or not (first.titled and second.titled):
        return True
    if len(first.parts) > 1 or len(second.parts) > 1:
        return True
    if first.titles and second.titles and not first.titles & second.titles:
        return False
    return first.gender == second.gender or "f" not in (first.gender, second.gender)


def _is_coarse(person: PersonName | None, other: _Traits) -> bool:
    """Tell whether it is a coarse diminutive («Акулька»), as nobody calls who is called by patronymic."""
    return person is not None and person.coarse and other.patronymic is not None
