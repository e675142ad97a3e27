"""Answers while they are written: from the threads of the query path to server-sent events."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import Executor
from contextvars import copy_context

from fastapi.sse import KEEPALIVE_COMMENT, format_sse_event

from tgrag.search.caller import Caller, Event
from tgrag.serve.replies import Reply, Streamed, Told, is_reply

PING_SECONDS = 15.0  # of silence; proxies close connections that say nothing


async def hear(work: Callable[[Caller], Reply], threads: Executor) -> AsyncGenerator[Streamed, None]:
    """Do the work in a thread; yield what its caller hears, then its reply. Who stops listening leaves it."""
    loop = asyncio.get_running_loop()
    heard: asyncio.Queue[Event | None] = asyncio.Queue()

    def hand_over(event: Event | None) -> None:
        loop.call_soon_threadsafe(heard.put_nowait, event)

    caller = Caller(hand_over)

    def do() -> Reply:
        try:
            return work(caller)
        finally:
            hand_over(None)

    done = loop.run_in_executor(threads, copy_context().run, do)
    try:
        while event := await heard.get():
            yield Told(event=event.event, data=event.model_dump_json())
        yield await done
    finally:
        caller.leave()


async def server_sent(items: AsyncGenerator[Streamed, None]) -> AsyncGenerator[bytes, None]:
    """Yield the events of an answer as they go over the wire; comments while there is nothing to say.

    deltas and restarts, then ``answer`` with the body of the reply, or ``error`` when it is none.
    """
    coming: asyncio.Task[Streamed] | None = None
    try:
        while True:
            coming = coming or asyncio.ensure_future(anext(items))
            ready, _ = await asyncio.wait({coming}, timeout=PING_SECONDS)
            if not ready:
                yield KEEPALIVE_COMMENT
                continue
            item, coming = coming.result(), None
            yield wire(item)
            if is_reply(item):
                return
    finally:
        if coming:
            coming.cancel()
            await asyncio.wait({coming})
        await items.aclose()


def wire(item: Streamed) -> bytes:
    if is_reply(item):
        event = "answer" if item["status"] == 200 else "error"
        return format_sse_event(event=event, data_str=item["body"])
    return format_sse_event(event=item["event"], data_str=item["data"])
