"""How several workers share the calls that may be in flight at once.

Each worker tells from time to time how many it holds and wants, and is told its share. A share that shrinks counts
as given until its holder has confirmed the smaller one and ended the calls above it, so that all shares together
never pass the total; one that is not wanted any more goes to the others.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tgrag.calls.slots import Slots

BEAT_SECONDS = 0.1
SILENT_SECONDS = 10.0  # a worker that says nothing for so long is dead, and its calls with it


@dataclass(slots=True)
class _Share:
    given: int
    wanted: int
    heard: float


class Shares:
    """The one place that knows all workers; an actor on Ray."""

    def __init__(self, total: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._total, self._clock = total, clock
        self._shares: dict[str, _Share] = {}

    def report(self, worker: str, limit: int, in_use: int, wanted: int) -> int:
        """Return how many calls a worker may have in flight from now on.

        limit: what it keeps to at present, as it was told before, 0 at first. wanted: in flight and waiting.
        """
        moment = self._clock()
        self._shares[worker] = _Share(max(limit, in_use), wanted, moment)
        self._shares = {w: s for w, s in self._shares.items() if moment - s.heard < SILENT_SECONDS}
        others = sum(share.given for name, share in self._shares.items() if name != worker)
        fair = fair_shares(self._total, {name: share.wanted for name, share in self._shares.items()})
        granted = max(0, min(fair[worker], self._total - others))
        self._shares[worker].given = max(granted, limit, in_use)
        return granted


def fair_shares(total: int, wanted: Mapping[str, int]) -> dict[str, int]:
    """Divide a total among workers: none gets more than it wants, and no one less than another that wants as much.

    (Equal wishes may differ by one, where the total does not divide.)
    """
    shares = {}
    left = total
    for n_others, (worker, wish) in zip(
        range(len(wanted) - 1, -1, -1), sorted(wanted.items(), key=lambda item: item[1]), strict=True
    ):
        shares[worker] = min(wish, left // (n_others + 1))
        left -= shares[worker]
    return shares


async def keep_share(slots: Slots, shares: Any, worker: str, wanted: Callable[[], int]) -> None:
    """Resize a worker's slots as it is told, until it wants none. shares: the handle of a Shares actor."""
    while True:
        wish = wanted()
        await slots.resize(await shares.report.remote(worker, slots.capacity, slots.in_use, wish))
        if not wish and not slots.capacity:
            return
        await asyncio.sleep(BEAT_SECONDS)
