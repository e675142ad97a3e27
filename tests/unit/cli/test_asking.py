"""`tgrag query --url`: a real server of the HTTP API over an engine that holds no index."""

import json
import socket
import threading
from collections.abc import AsyncGenerator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import uvicorn
from typer.testing import CliRunner, Result

from tests.unit.serve.fakes import FakeCatalog, FakeEngine
from tgrag.cli import app
from tgrag.serve.access import Access, KeyDigest, digest
from tgrag.serve.api import build_api
from tgrag.serve.library import Library
from tgrag.serve.replies import Reply, Streamed
from tgrag.serve.service import Service
from tgrag.serve.streaming import hear

KEY = "k" * 32


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TGRAG_API_KEY", KEY)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    catalog = FakeCatalog(library="v1")
    service = Service(catalog, Library(catalog, FakeEngine, 8))  # type: ignore[arg-type]
    threads = ThreadPoolExecutor(1)

    async def ask(method: str, *arguments: Any) -> Reply:
        reply: Reply = getattr(service, method)(*arguments)
        return reply

    def listen(asked: dict[str, Any]) -> AsyncGenerator[Streamed, None]:
        return hear(lambda caller: service.query(asked, caller), threads)

    access = Access([KeyDigest(digest=digest(KEY), collections=("library",))])
    server = uvicorn.Server(uvicorn.Config(build_api(ask, listen, access), log_level="error"))
    listener = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    thread.join(30)
    threads.shutdown()


def query(url: str, question: str, *more: str) -> Result:
    return CliRunner().invoke(app, ["query", question, "--url", url, *more])


@pytest.mark.parametrize("stream", ["--stream", "--no-stream"])
def test_the_answer_is_printed_once(url: str, stream: str) -> None:
    result = query(url, "так?", stream)
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("да\n")
    assert result.stdout.count("да") == 1


def test_json_is_never_mixed_with_a_stream(url: str) -> None:
    assert json.loads(query(url, "так?", "--stream", "--json").stdout)["answer"] == "да"


@pytest.mark.parametrize("stream", ["--stream", "--no-stream"])
@pytest.mark.parametrize(("question", "code"), [(" ", "empty_question"), ("half", "internal")])
def test_an_error_is_told_whenever_it_comes(url: str, question: str, code: str, stream: str) -> None:
    result = query(url, question, stream)
    assert result.exit_code in (1, 2)
    assert f"error[{code}]" in result.stderr
    assert result.stdout == ("д" if (question, stream) == ("half", "--stream") else "")


@pytest.mark.parametrize(
    ("key", "code"), [("", "unauthorized"), ("wrong", "unauthorized"), ("ключ", "invalid_request")]
)
def test_a_key_that_does_not_fit_is_told(
    url: str, key: str, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TGRAG_API_KEY", key)
    result = query(url, "так?", "--json")
    assert result.exit_code != 0
    assert json.loads(result.stderr)["error"]["code"] == code
