"""The HTTP API over the query path, without Ray."""

import asyncio
from collections.abc import AsyncGenerator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from httpx_sse import EventSource

from tests.unit.search.graphs import BOOKS
from tests.unit.search.graphs import library as toy_library
from tests.unit.serve.fakes import FakeCatalog, FakeEngine
from tgrag.search.entities import Entities
from tgrag.search.view import Views
from tgrag.serve.access import Access
from tgrag.serve.api import build_api
from tgrag.serve.library import Library
from tgrag.serve.replies import Overloaded, Reply, Streamed, TimedOut
from tgrag.serve.service import Service
from tgrag.serve.streaming import hear

CATALOG = FakeCatalog(library="v1", empty=None)


def send(method: str, path: str, ask: Any = None, **options: Any) -> httpx.Response:
    service = Service(CATALOG, Library(CATALOG, FakeEngine, 8))  # type: ignore[arg-type]

    async def local(method: str, *arguments: Any) -> Reply:
        reply: Reply = getattr(service, method)(*arguments)
        return reply

    async def request() -> httpx.Response:
        with ThreadPoolExecutor(1) as threads:

            def listen(asked: dict[str, Any]) -> AsyncGenerator[Streamed, None]:
                return hear(lambda caller: service.query(asked, caller), threads)

            transport = httpx.ASGITransport(build_api(ask or local, listen, Access([])))
            return await exchange(transport)

    async def exchange(transport: httpx.ASGITransport) -> httpx.Response:
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            return await client.request(method, path, **options)

    return asyncio.run(request())


def post(body: Any, path: str = "/v1/query", ask: Any = None) -> httpx.Response:
    return send("POST", path, ask, json=body, headers={"X-Request-ID": "r-1"})


@pytest.mark.parametrize("path", ["/v1/query", "/v1/retrieve"])
def test_an_answer_names_its_version(path: str) -> None:
    response = post({"question": "да?", "collection": "library", "as_of": 3}, path)
    assert response.status_code == 200, response.text
    assert response.json()["version"] == response.headers["X-Tgrag-Version"] == "v1"


@pytest.mark.parametrize(
    ("body", "status", "code", "says"),
    [
        ({"question": " ", "collection": "library"}, 422, "empty_question", "ask"),
        ({"question": "?", "mode": "drift", "collection": "library"}, 422, "unknown_mode", "drift"),
        ({"question": "?", "collection": "nowhere"}, 404, "unknown_collection", "nowhere"),
        ({"question": "?", "collection": "empty"}, 409, "no_version", "nothing published"),
        ({"question": "?"}, 422, "invalid_request", "collection: say which one of empty, library"),
        ({}, 422, "invalid_request", "question: Field required"),
        ({"question": "?", "as_of": {"series": "x"}}, 422, "invalid_request", "as_of: as_of needs a chapter"),
        ({"question": "?", "as_off": 3}, 422, "invalid_request", "as_off: Extra inputs"),
        ({"question": "?" * 4001}, 422, "invalid_request", "question: String should have at most"),
        ({"question": "?", "mode": "m" * 501}, 422, "invalid_request", "mode: String should have at most"),
        ({"question": "?", "books": ["b" * 501]}, 422, "invalid_request", "books.0: String should have at"),
        ({"question": "?", "as_of": {"ordinal": 10**30}}, 422, "invalid_request", "as_of.ordinal"),
        ({"question": "?", "as_of": {"chapter": True}}, 422, "invalid_request", "as_of.chapter"),
        ([], 422, "invalid_request", "body: "),
        ({"question": "explode", "collection": "library"}, 500, "internal", "log"),
    ],
)
def test_every_error_has_one_form(body: Any, status: int, code: str, says: str) -> None:
    response = post(body)
    assert response.status_code == status, response.text
    assert response.json().keys() == {"error"}
    assert response.json()["error"]["code"] == code
    assert says in response.json()["error"]["message"]
    assert "secret detail" not in response.text


@pytest.mark.parametrize(
    ("method", "path", "options", "status", "code"),
    [
        ("POST", "/v1/query", {"content": '{"question": '}, 400, "malformed_json"),
        ("POST", "/v1/query", {"content": b"\xff\xfe{}"}, 400, "malformed_json"),
        ("POST", "/v1/query", {"content": "[" * 100_000}, 400, "malformed_json"),
        ("POST", "/v1/query", {"content": '{"question": "\\ud800"}'}, 422, "invalid_request"),
        ("POST", "/v1/query", {"content": '{"question": "?", "mode": "\\ud800"}'}, 422, "invalid_request"),
        ("POST", "/v1/query", {"content": '{"question": "?", "books": ["\\ud800"]}'}, 422, "invalid_request"),
        ("POST", "/v1/query", {}, 422, "invalid_request"),
        ("GET", "/v1/query", {}, 405, "method_not_allowed"),
        ("GET", "/v2/query", {}, 404, "not_found"),
        ("GET", "/v1/collections/nowhere/versions", {}, 404, "unknown_collection"),
    ],
)
def test_so_do_errors_of_the_protocol(
    method: str, path: str, options: dict[str, Any], status: int, code: str
) -> None:
    headers = {"Content-Type": "application/json"}
    response = send(method, path, headers=headers, **options)
    assert (response.status_code, response.json()["error"]["code"]) == (status, code), response.text


def test_a_body_that_is_not_declared_as_json_is_told_so() -> None:
    response = send("POST", "/v1/query", content='{"question": "?"}')
    assert "Content-Type: application/json" in response.json()["error"]["message"]


@pytest.mark.parametrize(("error", "status"), [(Overloaded("full"), 503), (TimedOut("late"), 504)])
def test_overload_says_when_to_come_back(error: Exception, status: int) -> None:
    async def refuse(method: str, *arguments: Any) -> Reply:
        raise error

    response = post({"question": "?"}, ask=refuse)
    assert response.status_code == status
    assert ("Retry-After" in response.headers) == (status == 503)


def test_a_fault_of_ours_is_internal_and_keeps_its_secret() -> None:
    async def break_down(method: str, *arguments: Any) -> Reply:
        raise ZeroDivisionError("secret detail")

    response = post({"question": "?"}, ask=break_down)
    assert (response.status_code, response.json()["error"]["code"]) == (500, "internal")
    assert "secret" not in response.text


def test_listings() -> None:
    found = send("GET", "/v1/collections").json()["collections"]
    assert [(item["name"], (item["current"] or {}).get("version_id")) for item in found] == [
        ("empty", None),
        ("library", "v1"),
    ]
    assert send("GET", "/v1/collections/library/versions").json() == {"collection": "library", "versions": []}


def test_health_and_documentation() -> None:
    assert send("GET", "/healthz").json() == {"status": "ok"}
    schema = send("GET", "/openapi.json").json()
    assert set(schema["paths"]) == {
        "/v1/query",
        "/v1/retrieve",
        "/v1/entities",
        "/v1/entities/{entity_id}",
        "/v1/entities/{entity_id}/timeline",
        "/v1/collections",
        "/v1/collections/{collection}/versions",
        "/healthz",
        "/readyz",
    }
    for operations in schema["paths"].values():
        for operation in operations.values():
            assert operation["description"]
            invalid = operation["responses"].get("422", {}).get("content", {}).get("application/json", {})
            assert "HTTPValidationError" not in str(invalid)
    assert send("GET", "/docs").status_code == 200


class ToyEngine:
    """An engine whose version is a small library, for what is asked of entities."""

    def __init__(self, version: str) -> None:
        snapshot = toy_library(BOOKS)
        self.entities = Entities(snapshot, Views(snapshot))


def get(path: str, **params: Any) -> httpx.Response:
    service = Service(CATALOG, Library(CATALOG, ToyEngine, 8))  # type: ignore[arg-type]

    async def local(method: str, *arguments: Any) -> Reply:
        reply: Reply = getattr(service, method)(*arguments)
        return reply

    return send("GET", path, local, params={"collection": "library"} | params)


def test_entities_are_found_by_name_and_developed_as_of_a_chapter() -> None:
    early = "series=lighthouse,chapter=1.1"
    (found,) = get("/v1/entities", q="никиту").json()["entities"]
    path = f"/v1/entities/{found['entity_id']}"
    whole, cut = get(f"{path}/timeline").json(), get(f"{path}/timeline", as_of=early).json()
    assert len(cut["states"]) < len(whole["states"])
    assert cut["entity"]["last_ordinal"] < whole["entity"]["last_ordinal"]
    assert all(d["citation"]["verified"] for state in whole["states"] for d in state["descriptions"])
    assert get(path, as_of=early).json()["appears_in"] == [state["label"] for state in cut["states"]]
    assert get("/v1/entities", q="Гаврила").json()["total"] == 1
    assert get("/v1/entities", q="Гаврила", as_of=early).json()["total"] == 0


@pytest.mark.parametrize(
    ("path", "params", "status", "code"),
    [
        ("/v1/entities/none", {}, 404, "entity_not_found"),
        ("/v1/entities/none/timeline", {}, 404, "entity_not_found"),
        ("/v1/entities", {"as_of": "series=lighthouse,chapter=99"}, 404, "unknown_chapter"),
        ("/v1/entities", {"as_of": "1"}, 422, "ambiguous_as_of"),
        ("/v1/entities", {"as_of": "date=never"}, 422, "invalid_request"),
        ("/v1/entities", {"q": "?"}, 422, "invalid_request"),
        ("/v1/entities", {"limit": 1000}, 422, "invalid_request"),
        ("/v1/entities", {"offset": -1}, 422, "invalid_request"),
        ("/v1/entities", {"collection": "nowhere"}, 404, "unknown_collection"),
    ],
)
def test_so_are_errors_about_entities(path: str, params: Any, status: int, code: str) -> None:
    response = get(path, **params)
    assert (response.status_code, response.json()["error"]["code"]) == (status, code), response.text


def events(response: httpx.Response) -> list[tuple[str, Any]]:
    source = EventSource(response)
    return [(event.event, event.json()) for event in source.iter_sse()]


def test_an_answer_is_streamed_and_ends_with_what_comes_without_streaming() -> None:
    body = {"question": "да?", "collection": "library"}
    assert events(post(body | {"stream": True})) == [("delta", {"text": "да"}), ("answer", post(body).json())]


@pytest.mark.parametrize(
    ("body", "status"),
    [({"question": " "}, 422), ({"question": "explode"}, 500), ({"question": "?", "collection": "no"}, 404)],
)
def test_an_error_before_the_first_event_is_an_ordinary_response(body: Any, status: int) -> None:
    whole = {"collection": "library"} | body
    streamed = post(whole | {"stream": True})
    assert streamed.status_code == status
    assert streamed.json() == post(whole).json()


def test_an_error_after_it_is_an_event_in_the_one_form() -> None:
    response = post({"question": "half", "collection": "library", "stream": True})
    assert response.status_code == 200
    (first, last) = events(response)
    assert first == ("delta", {"text": "д"})
    assert last[0] == "error"
    assert last[1]["error"]["code"] == "internal"
    assert "secret" not in response.text


def test_only_answers_are_streamed() -> None:
    assert post({"question": "?", "stream": True}, "/v1/retrieve").status_code == 422
