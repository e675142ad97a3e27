"""What is told of requests, whatever becomes of them, and what they are called."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from typing import Any

import httpx
import pytest

from tgrag import logs
from tgrag.errors import UnknownCollection
from tgrag.serve import traffic
from tgrag.serve.access import Access, KeyDigest, digest
from tgrag.serve.api import build_api
from tgrag.serve.replies import Reply, Streamed, TimedOut, Told, failure

OK = Reply(status=200, body="{}", headers={})
QUESTION = {"question": "Кто?", "collection": "a"}


class Counted:
    """What went to the metrics."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, str, str]] = []
        self.in_flight: list[float] = []

    def __call__(self, name: str, value: float = 1.0, **labels: str) -> None:
        match name:
            case "tgrag_requests":
                self.requests.append((labels["route"], labels["status"], labels["code"]))
            case "tgrag_requests_in_flight":
                self.in_flight.append(value)
            case _:
                assert name == "tgrag_request_seconds" and value > 0


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Counted:
    told = Counted()
    monkeypatch.setattr(traffic, "tell", told)
    return told


def send(
    method: str, path: str, reply: Any = OK, keys: tuple[KeyDigest, ...] = (), **options: Any
) -> httpx.Response:
    """Send a request to an API whose query path replies, raises or never answers; a streamed answer says one word first."""

    async def ask(method: str, *arguments: Any) -> Reply:
        if reply is None:
            await asyncio.Event().wait()
        if isinstance(reply, Exception):
            raise reply
        return reply  # type: ignore[no-any-return]

    async def listen(request: dict[str, Any]) -> AsyncGenerator[Streamed, None]:
        yield Told(event="delta", data='{"text": "да"}')
        yield await ask("query")

    async def exchange() -> httpx.Response:
        transport = httpx.ASGITransport(build_api(ask, listen, Access(keys)))
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            return await asyncio.wait_for(
                client.request(method, path, **options), 1 if reply is None else None
            )

    return asyncio.run(exchange())


@pytest.mark.parametrize(
    ("path", "body", "reply", "counted"),
    [
        ("/v1/query", QUESTION, OK, ("/v1/query", "200", "ok")),
        ("/v1/query", QUESTION, failure(UnknownCollection("a")), ("/v1/query", "404", "unknown_collection")),
        ("/v1/query", QUESTION, TimedOut("late"), ("/v1/query", "504", "timeout")),
        ("/v1/query", {}, OK, ("/v1/query", "422", "invalid_request")),
        ("/v1/query", QUESTION | {"stream": True}, OK, ("/v1/query", "200", "ok")),
        ("/v1/query", QUESTION | {"stream": True}, TimedOut("late"), ("/v1/query", "200", "timeout")),
        ("/тайна", {}, OK, ("unmatched", "404", "not_found")),
    ],
)
def test_each_is_counted_by_what_was_told_to_its_sender(
    told: Counted, path: str, body: Any, reply: Any, counted: tuple[str, str, str]
) -> None:
    send("POST", path, reply, json=body)
    assert told.requests == [counted]
    assert told.in_flight == [1, 0]


def test_a_path_is_counted_by_its_pattern(told: Counted) -> None:
    send("GET", "/v1/entities/17/timeline")
    assert told.requests == [("/v1/entities/{entity_id}/timeline", "200", "ok")]


def test_so_is_one_without_a_key(told: Counted) -> None:
    send("GET", "/v1/collections", keys=(KeyDigest(digest=digest("k" * 32), collections=("a",)),))
    assert told.requests == [("unmatched", "401", "unauthorized")]


def test_and_one_whose_sender_left(told: Counted) -> None:
    with pytest.raises(TimeoutError):
        send("POST", "/v1/query", None, json=QUESTION)
    assert told.requests == [("/v1/query", "499", "caller_left")]
    assert told.in_flight == [1, 0]


@pytest.mark.parametrize("sent", ["", "a b", "й", "x" * 129, '{"level":"error"}', None])
def test_an_id_that_is_not_sane_is_replaced(sent: str | None, caplog: pytest.LogCaptureFixture) -> None:
    response = send("GET", "/nowhere", headers={} if sent is None else {"X-Request-ID": sent.encode()})
    made = response.headers["X-Request-ID"]
    assert made != sent and len(made) == 32
    assert response.json()["error"]["request_id"] == made


def test_a_sane_one_is_in_the_log_and_in_an_error(caplog: pytest.LogCaptureFixture) -> None:
    named: list[str] = []

    class Named(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            named.append(logs.request_id.get())

    handler = Named()
    traffic.logger.addHandler(handler)
    try:
        with caplog.at_level(logging.INFO, "tgrag"):
            response = send(
                "POST", "/v1/query", TimedOut("late"), json=QUESTION, headers={"X-Request-ID": "Root=1-a/b"}
            )
    finally:
        traffic.logger.removeHandler(handler)
    assert response.json()["error"]["request_id"] == "Root=1-a/b"
    assert named == ["Root=1-a/b"]
    assert [record.getMessage().rpartition(" in ")[0] for record in caplog.records] == [
        "POST /v1/query: 504 timeout"
    ]
