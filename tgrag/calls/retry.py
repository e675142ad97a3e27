"""Trying again what failed for a passing reason."""

import asyncio
import random
from collections.abc import Callable

from tgrag.calls.call import Call, Handler
from tgrag.models.chat import CallFailed, ChatReply

FIRST_SECONDS = 0.5
LONGEST_SECONDS = 30.0


def retried(
    following: Handler,
    attempts: int,
    deadline_seconds: float,
    draw: Callable[[float, float], float] = random.uniform,
) -> Handler:
    """Try a call at most so often, and no longer than the deadline, as long as its failure is transient.

    Between tries: exponential with full jitter (Brooker, "Exponential Backoff And Jitter", AWS 2015), and never
    earlier than the server asks for. draw: a random number between two.
    """

    async def handle(call: Call) -> ChatReply:
        clock = asyncio.get_running_loop().time
        end = clock() + deadline_seconds
        for attempt in range(1, attempts + 1):
            try:
                return await following(call)
            except CallFailed as failure:
                pause = _pause(attempt, failure.retry_after or 0.0, draw)
                if not failure.transient or attempt == attempts or clock() + pause > end:
                    raise
            await asyncio.sleep(pause)
        raise AssertionError("attempts is at least 1")

    return handle


def _pause(attempt: int, asked: float, draw: Callable[[float, float], float]) -> float:
    return asked + draw(0.0, min(LONGEST_SECONDS, FIRST_SECONDS * 2.0 ** (attempt - 1)))
