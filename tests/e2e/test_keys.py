"""API keys over HTTP to the real applications: what a key opens, and that none is in a log."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import ray

from tests.books import book, chapters
from tests.roots import free_port
from tgrag.index import run
from tgrag.settings import load_settings

pytestmark = pytest.mark.ray

SHELF = "a-random-key-for-the-shelf-01234567"
QUESTION = {"question": "Что рассказал Томский о графине?", "collection": "shelf"}


@pytest.fixture(scope="module")
def url(ray_cluster: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    from ray import serve

    from tgrag.serve.config import build
    from tgrag.serve.local import deploy

    folder = tmp_path_factory.mktemp("keys")
    settings = load_settings(
        root=str(folder / "root"),
        serve={
            "port": free_port(),
            "timeout_seconds": 600,
            "api_keys": [{"key": SHELF, "collections": ["shelf"]}],
        },
    )
    (folder / "book.txt").write_text(book(*chapters()[:2]), encoding="utf-8")
    run.index([str(folder / "book.txt")], "shelf", settings, lambda line: None)
    (folder / "root" / "other" / "memo").mkdir(parents=True)
    deploy(build(settings))
    yield f"http://127.0.0.1:{settings.serve.port}"
    serve.shutdown()


def ask(url: str, key: str | None, collection: str = "shelf", **more: bool) -> httpx.Response:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    return httpx.post(
        f"{url}/v1/query", json=QUESTION | {"collection": collection} | more, headers=headers, timeout=600
    )


def test_health_needs_no_key(url: str) -> None:
    assert httpx.get(f"{url}/healthz").status_code == 200
    assert httpx.get(f"{url}/readyz", timeout=60).status_code == 200


@pytest.mark.parametrize("stream", [False, True])
def test_a_key_opens_its_collections(url: str, stream: bool) -> None:
    assert ask(url, SHELF, stream=stream).status_code == 200
    for key, collection, status, code in (
        (None, "shelf", 401, "unauthorized"),
        (SHELF + "x", "shelf", 401, "unauthorized"),
        (SHELF, "other", 403, "forbidden"),
        (SHELF, "nowhere", 403, "forbidden"),
    ):
        response = ask(url, key, collection, stream=stream)
        assert (response.status_code, response.json()["error"]["code"]) == (status, code)


def test_collections_are_listed_as_the_key_opens_them(url: str) -> None:
    listed = httpx.get(f"{url}/v1/collections", headers={"Authorization": f"Bearer {SHELF}"}).json()
    assert [item["name"] for item in listed["collections"]] == ["shelf"]


def test_no_key_is_in_a_log(url: str) -> None:
    ask(url, SHELF)
    ask(url, SHELF + "x")
    logs = Path(ray._private.worker._global_node.get_logs_dir_path()).rglob("*")
    written = b"".join(path.read_bytes() for path in logs if path.is_file() and not path.is_symlink())
    assert b"/v1/query" in written
    assert SHELF.encode() not in written
