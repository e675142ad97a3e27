"""More streams than the query path has slots: the excess is sent away at once, the others are answered, nothing leaks.

"At once" is told by the order of events: the model answers nobody until the excess has been sent away.
"""

import asyncio
import time
from collections.abc import Iterator

import httpx
import pytest

from tests.books import book, chapters
from tests.crowd import Crowd
from tests.mock_llm import Config, Running, running
from tests.roots import free_port
from tgrag.index import run
from tgrag.settings import load_settings

pytestmark = [pytest.mark.ray, pytest.mark.long]

SLOTS = QUEUED = 4
# A request that a full replica has sent back waits again without being counted: Serve's limit of waiting ones is soft.
MOST = 2 * SLOTS + QUEUED
STREAMS = 40
BODY = {"question": "Что рассказал Томский о графине?", "collection": "shelf"}
HELD = {"held": BODY["question"], "held_until": 10**9}


@pytest.fixture(scope="module")
def chat() -> Iterator[Running]:
    with running(Config(slots=STREAMS)) as mock:
        yield mock


@pytest.fixture(scope="module")
def url(ray_cluster: None, chat: Running, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    from ray import serve

    from tgrag.serve.config import build
    from tgrag.serve.local import deploy

    folder = tmp_path_factory.mktemp("overload")
    settings = load_settings(
        root=str(folder / "root"),
        serve={
            "port": free_port(),
            "timeout_seconds": 600,
            "max_ongoing_requests": SLOTS,
            "max_queued_requests": QUEUED,
        },
        chat={"backend": "openai", "model": "mock", "base_url": chat.base_url, "max_in_flight": SLOTS},
    )
    (folder / "book.txt").write_text(book(*chapters()[:2]), encoding="utf-8")
    run.index([str(folder / "book.txt")], "shelf", settings, lambda line: None)
    deploy(build(settings))
    address = f"http://127.0.0.1:{settings.serve.port}"
    httpx.post(f"{address}/v1/query", json=BODY, timeout=600).raise_for_status()
    yield address
    serve.shutdown()


async def wait_for_calls(chat: Running, n: int) -> None:
    """Wait until so many questions are with the model."""
    deadline = time.monotonic() + 60
    while (calls := chat.stats()["in_flight"]) != n:
        assert time.monotonic() < deadline, f"{calls} calls where {n} are expected"
        await asyncio.sleep(0.05)


async def fill_the_slots(url: str, chat: Running) -> None:
    """Ask one after the other until every slot is taken, then leave."""
    async with asyncio.TaskGroup() as group:
        leave = asyncio.Event()

        async def hold() -> None:
            async with Crowd(url, BODY, 1):
                await leave.wait()

        for n in range(1, SLOTS + 1):
            group.create_task(hold())
            await wait_for_calls(chat, n)
        leave.set()
    await wait_for_calls(chat, 0)


async def be_too_many(url: str, chat: Running, stay: bool) -> None:
    """Come in a crowd; those who are let in stay for their answers or go away without."""
    chat.reset()
    chat.configure(**HELD)
    async with Crowd(url, BODY, STREAMS) as crowd:
        refused = await crowd.ended(STREAMS - MOST)
        assert all(stream.is_refused for stream in refused), refused
        assert not chat.stats()["answered"], "the excess has waited for an answer of others"
        await wait_for_calls(chat, SLOTS)
        if stay:
            chat.configure(held="")
            await crowd.ended()
    if stay:
        answered = [stream for stream in crowd.streams if stream.is_answered]
        refused = [stream for stream in crowd.streams if stream.is_refused]
        assert len(answered) + len(refused) == STREAMS, crowd.streams
        assert QUEUED <= len(answered) <= MOST
        assert chat.stats()["max_busy"] <= SLOTS
    await wait_for_calls(chat, 0)


@pytest.mark.parametrize("stay", [True, False, True])
def test_the_excess_is_sent_away_and_no_slot_is_lost(url: str, chat: Running, stay: bool) -> None:
    asyncio.run(be_too_many(url, chat, stay))
    chat.configure(**HELD)
    asyncio.run(fill_the_slots(url, chat))
    chat.configure(held="")
    assert httpx.post(f"{url}/v1/query", json=BODY, timeout=60).status_code == 200
