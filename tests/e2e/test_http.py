"""Questions over HTTP to both applications on a local Ray, with indexes made by the real index run."""

import asyncio
import json
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from httpx_sse import EventSource

from tests.books import book, chapters
from tests.mock_llm import Running, running
from tgrag.index import run
from tgrag.index.catalog import Catalog
from tgrag.metrics import METRICS, PREFIX
from tgrag.settings import Settings, load_settings
from tgrag.store.root import open_root

pytestmark = pytest.mark.ray

QUESTION = "Что рассказал Томский о графине?"


@dataclass
class Server:
    """A running server, the root that it serves and the client that asks it."""

    client: httpx.Client
    settings: Settings
    inputs: Path
    published: list[str] = field(default_factory=list)

    def index(self, collection: str, *parts: str, title: str = "ПОВЕСТЬ") -> str:
        folder = self.inputs / collection
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "book.txt").write_text(book(*parts, title=title), encoding="utf-8")
        version = run.index([str(folder)], collection, self.settings, lambda line: None).version_id
        self.published.append(version)
        return version

    def ask(self, question: str = QUESTION, **more: Any) -> httpx.Response:
        return self.client.post("/v1/query", json={"question": question, "collection": "shelf"} | more)

    def wait_until_ready(self) -> None:
        deadline = time.monotonic() + 60
        while self.client.get("/readyz").status_code != 200:
            assert time.monotonic() < deadline, "the server did not become ready"
            time.sleep(0.2)

    def wait_for_version(self, version: str) -> None:
        deadline = time.monotonic() + 60
        while self.ask().json()["version"] != version:
            assert time.monotonic() < deadline, "the published version was not taken up"
            time.sleep(0.1)


@pytest.fixture(scope="module")
def chat() -> Iterator[Running]:
    """A chat model's server."""
    with running() as mock:
        yield mock


@pytest.fixture(scope="module")
def server(ray_cluster: None, chat: Running, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    from ray import serve

    from tgrag.serve.config import build
    from tgrag.serve.local import deploy

    folder = tmp_path_factory.mktemp("served")
    settings = load_settings(
        root=str(folder / "root"),
        serve={"port": free_port(), "poll_seconds": 0.2, "timeout_seconds": 600},
        chat={"backend": "openai", "model": "mock", "base_url": chat.base_url, "max_in_flight": 4},
    )
    url = f"http://127.0.0.1:{settings.serve.port}"
    with httpx.Client(base_url=url, timeout=60) as client:
        running = Server(client, settings, folder / "inputs")
        running.index("shelf", *chapters()[:2])
        deploy(build(settings))
        yield running
    serve.shutdown()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def test_it_is_ready_and_answers_with_verified_quotes(server: Server) -> None:
    assert server.client.get("/healthz").status_code == 200
    assert server.client.get("/readyz").json() == {"status": "ready"}
    response = server.ask(include_context=True)
    assert response.status_code == 200, response.text
    answer = response.json()
    assert answer["citations"]
    assert all(citation["verified"] for citation in answer["citations"])
    assert answer["version"] == response.headers["X-Tgrag-Version"] == server.published[0]
    assert answer["context"]


def stream(server: Server, **more: Any) -> list[tuple[str, Any]]:
    body = {"question": QUESTION, "collection": "shelf", "stream": True} | more
    with server.client.stream("POST", "/v1/query", json=body) as response:
        return [(event.event, event.json()) for event in EventSource(response).iter_sse()]


def told(events: list[tuple[str, Any]]) -> str:
    """Return the text as a reader has it in the end."""
    text = ""
    for kind, data in events:
        text = "" if kind == "restart" else text + data.get("text", "")
    return text


@pytest.mark.parametrize(
    ("answers", "found", "n_restarts", "falls_back"),
    [
        ("right", True, 0, False),
        ("mended", True, 1, False),
        ("misquoted", True, 2, True),
        ("not_found", False, 0, False),
    ],
)
def test_a_model_answers_streamed_or_not(
    server: Server, chat: Running, answers: str, found: bool, n_restarts: int, falls_back: bool
) -> None:
    chat.configure(answers=answers)
    whole = server.ask().json()
    *events, (kind, last) = stream(server)
    chat.configure(answers="right")
    assert kind == "answer"
    assert told(events) == last["answer"] == whole["answer"]
    assert [event for event, _ in events].count("restart") == n_restarts
    for answer in (whole, last):
        assert answer["found"] is found
        assert all(citation["verified"] for citation in answer["citations"])
        assert ("chat model" in {taken["wanted"] for taken in answer["fall_backs"]}) is falls_back


def test_a_model_that_breaks_off_is_replaced_by_quotes(server: Server, chat: Running) -> None:
    chat.configure(breaks_after=3)
    *events, (kind, last) = stream(server)
    chat.configure(breaks_after=0)
    assert (kind, events[0][0]) == ("answer", "delta")
    assert "restart" in {event for event, _ in events}
    assert told(events) == last["answer"]
    assert "chat model" in {taken["wanted"] for taken in last["fall_backs"]}


def test_an_error_before_the_first_event_has_its_status(server: Server) -> None:
    response = server.ask(stream=True, collection="nowhere")
    assert (response.status_code, response.json()["error"]["code"]) == (404, "unknown_collection")


@pytest.mark.parametrize("streams", [True, False])
def test_a_client_that_leaves_stops_the_model(server: Server, chat: Running, streams: bool) -> None:
    chat.reset()
    chat.configure(seconds=0 if streams else 30, piece_seconds=5)
    with pytest.raises(httpx.ReadTimeout):
        server.client.post("/v1/query", json={"question": QUESTION, "stream": streams}, timeout=3)
    deadline = time.monotonic() + 60
    while not chat.stats()["left"] or chat.stats()["in_flight"]:
        assert time.monotonic() < deadline, "the model goes on writing for nobody"
        time.sleep(0.1)
    chat.configure(seconds=0, piece_seconds=0)
    assert server.ask().status_code == 200


def test_a_request_id_is_sent_back_or_made(server: Server) -> None:
    sent = server.client.get("/healthz", headers={"X-Request-Id": "mine-1"})
    assert sent.headers.get_list("X-Request-Id") == ["mine-1"]
    assert server.client.get("/healthz").headers["X-Request-Id"]


def test_retrieve_gives_the_context_alone(server: Server) -> None:
    response = server.client.post("/v1/retrieve", json={"question": QUESTION})
    assert response.status_code == 200, response.text
    assert response.json()["context"]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"question": ""}, 422, "empty_question"),
        ({"mode": "drift"}, 422, "unknown_mode"),
        ({"collection": "nowhere"}, 404, "unknown_collection"),
        ({"as_of": "Глава XCIX"}, 404, "unknown_chapter"),
        ({"books": ["Нет такой книги"]}, 404, "unknown_book"),
        ({"top_k": 3}, 422, "invalid_request"),
    ],
)
def test_errors_cross_every_process_in_one_form(
    server: Server, body: dict[str, Any], status: int, code: str
) -> None:
    response = server.client.post("/v1/query", json={"question": QUESTION, "collection": "shelf"} | body)
    assert (response.status_code, response.json()["error"]["code"]) == (status, code), response.text


def test_errors_of_the_protocol_too(server: Server) -> None:
    assert server.client.get("/nothing").json()["error"]["code"] == "not_found"
    assert server.client.get("/v1/query").json()["error"]["code"] == "method_not_allowed"
    headers = {"Content-Type": "application/json"}
    malformed = server.client.post("/v1/query", content="{", headers=headers)
    assert malformed.json()["error"]["code"] == "malformed_json"


def test_an_unfinished_collection_has_no_version(server: Server) -> None:
    (Path(server.settings.root) / "begun" / "memo").mkdir(parents=True)
    response = server.ask(collection="begun")
    assert (response.status_code, response.json()["error"]["code"]) == (409, "no_version")
    names = {
        item["name"]: item["current"] for item in server.client.get("/v1/collections").json()["collections"]
    }
    assert names["begun"] is None
    assert names["shelf"]["version_id"]
    (Path(server.settings.root) / "begun" / "memo").rmdir()
    (Path(server.settings.root) / "begun").rmdir()


def test_no_request_fails_or_mixes_versions_while_new_ones_are_published(server: Server) -> None:
    parts = chapters()
    old = server.index("shelf", *parts[:2])
    server.wait_for_version(old)
    publishing = threading.Event()
    answers: list[httpx.Response] = []

    def ask_on() -> None:
        while not publishing.is_set() or len(answers) < 200:
            answers.append(server.ask(include_context=True))

    with ThreadPoolExecutor(8) as pool:
        askers = [pool.submit(ask_on) for _ in range(8)]
        try:
            new = server.index("shelf", *parts[:3])
            server.wait_for_version(new)
        finally:
            publishing.set()
        for asker in askers:
            asker.result()

    assert {answer.status_code for answer in answers} == {200}
    assert {answer.json()["version"] for answer in answers} == {old, new}
    check_that_none_mixes_versions(server, answers)


def test_two_hundred_at_once_while_a_version_is_published(server: Server) -> None:
    async def ask_at_once() -> list[httpx.Response]:
        limits = httpx.Limits(max_connections=200)
        async with httpx.AsyncClient(base_url=server.client.base_url, timeout=600, limits=limits) as client:
            body = {"question": QUESTION, "collection": "shelf", "include_context": True}
            questions = [asyncio.create_task(client.post("/v1/query", json=body)) for _ in range(200)]
            await asyncio.wait(questions, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.to_thread(run.rollback, "shelf", server.settings, None)
            return list(await asyncio.gather(*questions))

    answers = asyncio.run(ask_at_once())
    assert {answer.status_code for answer in answers} == {200}
    check_that_none_mixes_versions(server, answers)
    run.rollback("shelf", server.settings, server.published[-1])
    server.wait_for_version(server.published[-1])


def check_that_none_mixes_versions(server: Server, answers: list[httpx.Response]) -> None:
    catalog = Catalog(open_root(server.settings.root)).collection("shelf")
    units = {
        version: set(catalog.table(version, "text_units")["text_unit_id"].to_pylist())
        for version in catalog.version_ids()
    }
    for answer in map(httpx.Response.json, answers):
        shown = {item["id"] for item in answer["context"] if item["kind"] == "text_unit"}
        cited = {citation["text_unit_id"] for citation in answer["citations"]}
        assert shown | cited <= units[answer["version"]]


def test_rollback_is_taken_up_and_listed(server: Server) -> None:
    earlier = run.rollback("shelf", server.settings, None).version_id
    server.wait_for_version(earlier)
    versions = server.client.get("/v1/collections/shelf/versions").json()["versions"]
    assert [version["version_id"] for version in versions if version["current"]] == [earlier]
    assert len(versions) == 2


def test_a_request_is_followed_by_its_id(server: Server, chat: Running) -> None:
    sent = {"X-Request-ID": "of-a-test-17"}
    body = {"question": QUESTION, "collection": "shelf", "mode": "classic"}
    answer = server.client.post("/v1/query", json=body, headers=sent)
    assert answer.headers.get_list("X-Request-ID") == ["of-a-test-17"]
    assert chat.stats()["request_ids"]["of-a-test-17"] >= 1
    wanted = {"tgrag.serve.traffic", "tgrag.serve.telling"}
    deadline = time.monotonic() + 30
    while not wanted <= (lines := logged("of-a-test-17")).keys():
        assert time.monotonic() < deadline, lines
        time.sleep(0.2)
    told = lines["tgrag.serve.telling"]
    assert (told["collection"], told["version"]) == ("shelf", answer.json()["version"])


def logged(request_id: str) -> dict[str, Any]:
    """Return what was logged of a request anywhere on this Ray, by logger."""
    import ray

    folder = Path(ray._private.worker._global_node.get_logs_dir_path())
    lines = [line for path in folder.glob("worker-*.err") for line in path.read_text().splitlines()]
    told = [json.loads(line) for line in lines if line.startswith("{") and request_id in line]
    return {line["logger"]: line for line in told if line["request_id"] == request_id}


def test_an_id_that_is_not_sane_is_replaced_in_every_process(server: Server) -> None:
    sent = {"X-Request-ID": "two words"}
    body = {"question": QUESTION, "collection": "nowhere"}
    refused = server.client.post("/v1/query", json=body, headers=sent)
    made, *echoed = refused.headers.get_list("X-Request-ID")
    assert made != "two words" == echoed[0]  # Serve's proxy sends back what it got, behind everything else
    assert refused.json()["error"]["code"] == "unknown_collection"  # as the retriever says
    assert refused.json()["error"]["request_id"] == made


def test_what_is_counted_comes_out_of_the_nodes_metrics_port(server: Server) -> None:
    import ray

    (node,) = ray.nodes()
    url = f"http://127.0.0.1:{node['MetricsExportPort']}/metrics"
    endings = {"counter": "_total", "histogram": "_bucket", "gauge": ""}
    unseen = {"tgrag_index_progress"}  # only while a stage goes on
    wanted = {PREFIX + m.name + endings[m.kind] for m in METRICS.values() if m.name not in unseen}
    server.ask(collection="nowhere")
    labels = {
        'code="unknown_collection",',
        'route="/v1/query",',
        f'version="{server.ask().json()["version"]}"',
    }
    deadline = time.monotonic() + 60
    while True:
        lines = [line for line in httpx.get(url).text.splitlines() if line.startswith("ray_tgrag_")]
        missing = wanted - {line.partition("{")[0] for line in lines}
        missing |= {label for label in labels if not any(label in line for line in lines)}
        if not missing:
            break
        assert time.monotonic() < deadline, missing
        time.sleep(1)
    assert not [line for line in lines if "nowhere" in line or QUESTION in line]


def test_models_are_redeployed_without_the_query_path(server: Server) -> None:
    from ray import serve

    from tgrag.models.served import EMBED
    from tgrag.serve.config import build
    from tgrag.serve.local import application_of

    serve.delete(EMBED)
    assert server.client.get("/readyz").json()["error"]["code"] == "model_unavailable"
    assert server.client.get("/healthz").status_code == 200
    server.index("fresh", *chapters()[:1])
    for collection in ("shelf", "fresh"):  # one that is open, and one that is opened now
        answer = server.ask("Кто такой Томский?", collection=collection)
        assert answer.status_code == 200
        assert "embed" in {fall_back["step"] for fall_back in answer.json()["fall_backs"]}
    serve.run(application_of(build(server.settings)["applications"][0]), name=EMBED, route_prefix=None)
    server.wait_until_ready()
    for collection in ("shelf", "fresh"):
        answer = server.ask("Что было с Томским?", collection=collection)
        assert "embed" not in {fall_back["step"] for fall_back in answer.json()["fall_backs"]}
