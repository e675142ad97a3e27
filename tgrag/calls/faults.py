"""Faults on purpose, so that tests see what a chain makes of them."""

import asyncio
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Literal

from tgrag.calls.call import Call, Handler
from tgrag.calls.recall import KeyOf
from tgrag.models.chat import CallFailed, ChatReply

Fault = Literal["transient", "busy", "lasting", "malformed", "truncated", "hang"]
BUSY_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class FaultRule:
    """shares: of requests that meet a fault, drawn from the seed, the call's key and the number of its attempt."""

    shares: Mapping[Fault, float]
    seed: int = 0

    def fault(self, key: str, attempt: int) -> Fault | None:
        draw = Random(f"{self.seed}|{key}|{attempt}").random()
        for fault, share in self.shares.items():
            draw -= share
            if draw < 0:
                return fault
        return None


def faulty(following: Handler, rule: FaultRule, key_of: KeyOf) -> Handler:
    """Let calls meet the faults of a rule. "hang" never ends by itself; "busy" asks to wait for a second."""
    attempts: Counter[str] = Counter()

    async def handle(call: Call) -> ChatReply:
        key = key_of(call)
        attempts[key] += 1
        match rule.fault(key, attempts[key]):
            case "transient":
                raise CallFailed("injected: a passing fault", transient=True)
            case "busy":
                raise CallFailed("injected: too many requests", transient=True, retry_after=BUSY_SECONDS)
            case "lasting":
                raise CallFailed("injected: a lasting fault", transient=False)
            case "hang":
                await asyncio.Event().wait()
            case "malformed":
                reply = await following(call)
                return replace(reply, text=reply.text[: len(reply.text) // 2])
            case "truncated":
                reply = await following(call)
                return replace(reply, text=reply.text[: len(reply.text) // 2], finish_reason="length")
        return await following(call)

    return handle
