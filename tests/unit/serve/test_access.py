"""API keys over HTTP, without Ray: who is let in, what a key opens, what stays open."""

import asyncio
from typing import Any

import httpx
import pytest

from tests.unit.serve.fakes import FakeCatalog, FakeEngine
from tgrag.errors import ConfigurationError
from tgrag.serve.access import Access, KeyDigest, digest, require_safe
from tgrag.serve.api import build_api
from tgrag.serve.library import Library
from tgrag.serve.replies import Reply
from tgrag.serve.service import Service

CATALOG = FakeCatalog(library="v1", notes="v1", secret="v1")
ONE, TWO, ALL = "one-" * 8, "two-" * 8, "all-" * 8
ACCESS = Access(
    [
        KeyDigest(digest=digest(ONE), collections=("library",)),
        KeyDigest(digest=digest(TWO), collections=("library", "notes")),
        KeyDigest(digest=digest(ALL), collections=("*",)),
    ]
)
QUESTION = {"question": "да?"}


def send(method: str, path: str, key: str | None, access: Access = ACCESS, **options: Any) -> httpx.Response:
    """key: sent as a bearer; None sends no header."""
    service = Service(CATALOG, Library(CATALOG, FakeEngine, 8))  # type: ignore[arg-type]

    async def ask(name: str, *arguments: Any) -> Reply:
        if name == "ready":
            return Reply(status=200, body="{}", headers={})
        reply: Reply = getattr(service, name)(*arguments)
        return reply

    async def listen(request: dict[str, Any]) -> Any:
        yield service.query(request)

    async def request() -> httpx.Response:
        transport = httpx.ASGITransport(build_api(ask, listen, access))
        headers = {"Authorization": f"Bearer {key}".encode()} if key is not None else {}
        async with httpx.AsyncClient(transport=transport, base_url="http://test", headers=headers) as client:
            return await client.request(method, path, **options)

    return asyncio.run(request())


def ask(key: str | None, collection: str | None = "library", **more: Any) -> httpx.Response:
    return send("POST", "/v1/query", key, json=QUESTION | {"collection": collection} | more)


def told(response: httpx.Response) -> tuple[int, str]:
    return response.status_code, response.json()["error"]["code"]


@pytest.mark.parametrize("key", [None, "", " ", "wrong", ONE + "x", ONE[:-1], digest(ONE), "\u00e9" * 40])
def test_without_a_known_key_nothing_is_told(key: str | None) -> None:
    for response in (
        ask(key),
        ask(key, stream=True),
        send("GET", "/v1/collections", key),
        send("GET", "/v1/entities", key),
        send("POST", "/v1/query", key, content="{"),
        send("GET", "/nothing", key),
    ):
        assert told(response) == (401, "unauthorized")
        assert response.headers["WWW-Authenticate"] == "Bearer"


def test_another_scheme_is_no_key() -> None:
    response = send("GET", "/v1/collections", None, headers={"Authorization": f"Basic {ONE}"})
    assert told(response) == (401, "unauthorized")


def test_a_body_is_not_read_before_the_key_is_known() -> None:
    read = []

    async def body() -> Any:
        read.append(True)
        yield b"{}"

    assert send("POST", "/v1/query", "wrong", content=body()).status_code == 401
    assert not read


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/docs", "/openapi.json"])
def test_health_and_documentation_need_no_key(path: str) -> None:
    assert send("GET", path, None).status_code == 200


@pytest.mark.parametrize(
    ("method", "path", "options"),
    [
        ("POST", "/v1/query", {"json": QUESTION | {"collection": "{}"}}),
        ("POST", "/v1/query", {"json": QUESTION | {"collection": "{}", "stream": True}}),
        ("POST", "/v1/retrieve", {"json": QUESTION | {"collection": "{}"}}),
        ("GET", "/v1/entities?collection={}", {}),
        ("GET", "/v1/entities/e?collection={}", {}),
        ("GET", "/v1/entities/e/timeline?collection={}", {}),
        ("GET", "/v1/collections/{}/versions", {}),
    ],
)
def test_a_key_opens_its_collections_alone(method: str, path: str, options: dict[str, Any]) -> None:
    for name in ("secret", "nowhere"):  # whether it exists is not told
        filled = {"json": options["json"] | {"collection": name}} if options else {}
        assert told(send(method, path.format(name), ONE, **filled)) == (403, "forbidden")


def test_every_route_of_the_api_asks_for_the_key() -> None:
    """A route that is added later is closed too, and the test above has to learn of it when it has a collection."""
    described = send("GET", "/openapi.json", None).json()["paths"]
    for path, operations in described.items():
        for method, operation in operations.items():
            is_open = path in ("/healthz", "/readyz")
            assert ("security" in operation) != is_open
            assert (send(method.upper(), path, None).status_code == 401) != is_open


def test_a_key_opens_what_it_was_made_for() -> None:
    assert ask(ONE).json()["collection"] == "library"
    assert ask(ONE, None).json()["collection"] == "library"
    assert ask(TWO, "notes").json()["collection"] == "notes"
    assert told(ask(TWO, None)) == (422, "invalid_request")
    assert "library, notes" in ask(TWO, None).text and "secret" not in ask(TWO, None).text
    assert ask(ALL, "secret").status_code == 200


@pytest.mark.parametrize(
    ("key", "visible"),
    [(ONE, ["library"]), (TWO, ["library", "notes"]), (ALL, ["library", "notes", "secret"])],
)
def test_collections_are_listed_as_the_key_opens_them(key: str, visible: list[str]) -> None:
    listed = send("GET", "/v1/collections", key).json()["collections"]
    assert [item["name"] for item in listed] == visible


def test_without_keys_all_is_open() -> None:
    assert send("GET", "/v1/collections", None, Access([])).status_code == 200


@pytest.mark.parametrize(("has_keys", "token"), [(False, True), (True, False), (False, False)])
def test_beyond_loopback_each_missing_lock_is_named(has_keys: bool, token: bool) -> None:
    with pytest.raises(ConfigurationError) as caught:
        require_safe("0.0.0.0", has_keys, token)
    assert ("serve.api_keys" in caught.value.message) != has_keys
    assert ("RAY_AUTH_MODE" in caught.value.message) != token
    require_safe("127.0.0.1", has_keys, token)
    require_safe("0.0.0.0", True, True)
