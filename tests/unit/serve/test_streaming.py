"""From threads to events: order, silence, and who leaves."""

import asyncio
import threading
from collections.abc import AsyncGenerator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from typing import Any

import httpx
import pytest
from httpx_sse import EventSource

from tgrag.errors import CallerLeft
from tgrag.search.caller import Caller
from tgrag.serve import streaming
from tgrag.serve.replies import Reply, Streamed, is_reply
from tgrag.serve.streaming import hear, server_sent

REPLY = Reply(status=200, body='{"answer": "раз два"}', headers={})


def said(caller: Caller) -> Reply:
    for text in ("раз", "раз два"):
        caller.complete(text)
    return REPLY


def collected(items: AsyncGenerator[Any, None]) -> list[Any]:
    async def main() -> list[Any]:
        return [item async for item in items]

    return asyncio.run(main())


def test_everything_is_heard_in_order_and_the_reply_comes_last() -> None:
    with ThreadPoolExecutor(1) as threads:
        *told, reply = collected(hear(said, threads))
    assert [item["data"] for item in told] == ['{"text":"раз"}', '{"text":" два"}']
    assert reply == REPLY


def test_who_stops_listening_leaves_the_work() -> None:
    left = threading.Event()

    def wait(caller: Caller) -> Reply:
        caller.complete("раз")
        while True:
            try:
                caller.stay()
            except CallerLeft:
                left.set()
                return REPLY

    async def main() -> None:
        async with aclosing(hear(wait, threads)) as items:
            assert not is_reply(await anext(items))

    with ThreadPoolExecutor(1) as threads:
        asyncio.run(main())
        assert left.wait(30)


def test_silence_is_filled_and_nothing_is_lost_by_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "PING_SECONDS", 0.01)

    async def slow() -> AsyncGenerator[Streamed, None]:
        await asyncio.sleep(0.1)
        yield REPLY

    *pings, answer = collected(server_sent(slow()))
    assert pings
    assert all(ping.startswith(b":") for ping in pings)
    assert answer.startswith(b"event: answer\n")


def test_line_breaks_survive_the_wire() -> None:
    body = '{\n"answer": 1}'
    sent = streaming.wire(Reply(status=200, body=body, headers={}))
    response = httpx.Response(200, content=sent, headers={"Content-Type": "text/event-stream"})
    (event,) = EventSource(response).iter_sse()
    assert (event.event, event.data) == ("answer", body)


def test_closing_the_events_closes_what_they_come_from() -> None:
    closed = []

    async def items() -> AsyncGenerator[Streamed, None]:
        try:
            yield {"event": "restart", "data": "{}"}
            await asyncio.Event().wait()
        finally:
            closed.append(True)

    async def main() -> None:
        async with aclosing(server_sent(items())) as events:
            assert await anext(events)

    asyncio.run(main())
    assert closed
