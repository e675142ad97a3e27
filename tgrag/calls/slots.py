"""How many calls run at once."""

import asyncio

from tgrag.calls.call import Call, Handler
from tgrag.models.chat import ChatReply


class Slots:
    """So many slots, in the order of asking, which a worker may be given more or fewer of while it runs.

    Use as ``async with slots:``. A slot above the new number is not taken from its holder, but not given again.
    """

    def __init__(self, capacity: int) -> None:
        self._free = asyncio.Semaphore(capacity)
        self._surplus = 0
        self.capacity = capacity
        self.in_use = 0

    async def __aenter__(self) -> None:
        await self._free.acquire()
        while self._surplus:  # what a cancelled caller gave back past ``_give``
            self._surplus -= 1
            await self._free.acquire()
        self.in_use += 1

    async def __aexit__(self, *_: object) -> None:
        self.in_use -= 1
        self._give()

    async def resize(self, capacity: int) -> None:
        """Have so many slots from now on; it does not wait for holders."""
        change, self.capacity = capacity - self.capacity, capacity
        for _ in range(change):
            self._give()
        for _ in range(-change):
            if self._free.locked():
                self._surplus += 1
            else:
                await self._free.acquire()  # at once: one is free

    def _give(self) -> None:
        if self._surplus:
            self._surplus -= 1
        else:
            self._free.release()


def in_slot(following: Handler, slots: Slots) -> Handler:
    """Let a call go on only in a slot."""

    async def handle(call: Call) -> ChatReply:
        async with slots:
            return await following(call)

    return handle
