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
    patience_seconds: float,
    draw: Callable[[float, float], float] = random.uniform,
) -> Handler:
    """Try a call at most so often, pausing no longer than the patience in all, as long as its failure is transient.

    Between tries: exponential with full jitter (Brooker, "Exponential Backoff And Jitter", AWS 2015), and never
    earlier than the server asks for. Waiting for a slot is no pause. draw: a random number between two.
    """

    async def handle(call: Call) -> ChatReply:
        patience = patience_seconds
        attempt = 1
        while True:
            try:
                return await following(call)
            except CallFailed as failure:
                pause = _pause(attempt, failure.retry_after or 0.0, draw)
                if not failure.transient or attempt == attempts or pause > patience:
                    raise
            await asyncio.sleep(pause)
            patience, attempt = patience - pause, attempt + 1

    return handle


def _pause(attempt: int, asked: float, draw: Callable[[float, float], float]) -> float:
    return asked + draw(0.0, min(LONGEST_SECONDS, FIRST_SECONDS * 2.0 ** (attempt - 1)))
