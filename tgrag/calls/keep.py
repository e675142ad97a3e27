"""Making an answer durable before its slot is used again."""

import asyncio

from tgrag.calls.call import Call, Handler
from tgrag.calls.recall import KeyOf, Memory
from tgrag.models.chat import ChatReply


def kept(following: Handler, memory: Memory, key_of: KeyOf) -> Handler:
    """Store every answer; return the one that counts, which is the first. What is paid for is stored even when
    the caller leaves meanwhile."""

    async def handle(call: Call) -> ChatReply:
        reply = await following(call)
        storing = asyncio.ensure_future(asyncio.to_thread(memory.put, call.owner, key_of(call), reply))
        try:
            return await asyncio.shield(storing)
        except asyncio.CancelledError:
            await asyncio.wait({storing})
            raise

    return handle
