"""What is there already is not called for: stored answers, equal calls in flight, calls that were given up."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from tgrag.calls.call import Call, Handler, Listener
from tgrag.calls.counters import Counters
from tgrag.index.memo import Failure
from tgrag.models.chat import CallFailed, ChatReply, Misconfigured

KeyOf = Callable[[Call], str]


class Memory(Protocol):
    """Raw answers and failures by call key, safe to use from many threads; see AnswerMemo."""

    def get(self, key: str) -> ChatReply | None: ...

    def put(self, owner: str, key: str, reply: ChatReply) -> ChatReply: ...

    def given_up(self, key: str) -> Failure | None: ...

    def put_failure(self, owner: str, key: str, failure: Failure) -> None: ...


@dataclass(slots=True)
class _Flight:
    """A call that is being made, its answer's origin, and how many wait for it."""

    task: "asyncio.Task[tuple[ChatReply, bool]]"
    waiting: int = 0


class Recall:
    """Makes a call only when it has no answer, is not given up and is not being made.

    A call in flight goes on as long as one caller waits for it; one that is listened to is its listener's alone. One
    that finally fails is recorded, unless the failure says nothing of the request.
    """

    def __init__(self, following: Handler, memory: Memory, key_of: KeyOf, counters: Counters) -> None:
        self._following, self._memory = following, memory
        self._key_of, self._counters = key_of, counters
        self._flights: dict[tuple[str, Listener | None], _Flight] = {}

    async def __call__(self, call: Call) -> ChatReply:
        key = self._key_of(call)
        flown = key, call.listener
        flight = self._flights.get(flown)
        first = flight is None
        if flight is None:
            flight = self._flights[flown] = _Flight(asyncio.create_task(self._answer(key, call)))
        flight.waiting += 1
        try:
            reply, stored = await asyncio.shield(flight.task)
        finally:
            flight.waiting -= 1
            if not flight.waiting:
                await self._land(flown, flight.task)
        if stored or not first:
            self._counters.saved += 1
        else:
            self._counters.answered += 1
        return reply

    async def _answer(self, key: str, call: Call) -> tuple[ChatReply, bool]:
        """Return the answer and whether it was stored before."""
        stored = await asyncio.to_thread(self._stored, key)
        if stored:
            return stored, True
        try:
            return await self._following(call), False
        except Misconfigured:
            raise
        except CallFailed as fault:
            failure = Failure(fault.reason, fault.transient)
            await asyncio.to_thread(self._memory.put_failure, call.owner, key, failure)
            raise

    def _stored(self, key: str) -> ChatReply | None:
        reply = self._memory.get(key)
        if reply is None and (failure := self._memory.given_up(key)):
            raise CallFailed(f"not tried again: {failure.reason}", transient=False)
        return reply

    async def _land(
        self, flown: tuple[str, Listener | None], task: "asyncio.Task[tuple[ChatReply, bool]]"
    ) -> None:
        """Forget a flight that nobody waits for, and end it."""
        del self._flights[flown]
        if not task.done():
            task.cancel()
            await asyncio.wait({task})
