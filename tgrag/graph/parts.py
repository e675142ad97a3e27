"""An index over parts of names: who has a part in a longer name, and whose whole name it is."""

from collections import defaultdict
from dataclasses import dataclass, field

from tgrag.graph.naming import Atoms

CROWD = 32  # more bearers of one part: it tells nobody


@dataclass(slots=True)
class Slot:
    """A part of names. holders: for each cluster that has the part in a longer name, the first such node.

    bare: nodes whose whole name it is, in order.
    """

    holders: dict[int, int] = field(default_factory=dict)
    bare: list[int] = field(default_factory=list)
    crowded: bool = False


class Parts:
    """Slots by part. A cluster is known by its root; when two become one, ``moved`` has to be told."""

    def __init__(self) -> None:
        self._slots: dict[Atoms, Slot] = {}
        self._of: defaultdict[int, list[Atoms]] = defaultdict(list)

    def get(self, atoms: Atoms) -> Slot | None:
        return self._slots.get(atoms)

    def add_bare(self, atoms: Atoms, node: int) -> None:
        """Take in a node whose whole name this is."""
        self._slots.setdefault(atoms, Slot()).bare.append(node)

    def hold(self, atoms: Atoms, root: int, node: int) -> Slot:
        """Take in a node of a cluster that has the part in a longer name."""
        slot = self._slots.setdefault(atoms, Slot())
        if not slot.crowded and root not in slot.holders:
            slot.holders[root] = node
            self._of[root].append(atoms)
            if len(slot.holders) > CROWD:
                slot.crowded = True
                slot.holders.clear()
        return slot

    def moved(self, big: int, small: int) -> list[Atoms]:
        """Give what one cluster holds to another; return it."""
        moved = self._of.pop(small, [])
        for atoms in moved:
            slot = self._slots[atoms]
            holder = slot.holders.pop(small, None)
            if holder is None:
                continue
            if big in slot.holders:
                slot.holders[big] = min(holder, slot.holders[big])
            else:
                slot.holders[big] = holder
                self._of[big].append(atoms)
        return moved
