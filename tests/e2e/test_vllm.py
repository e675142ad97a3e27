"""vLLM's engines on the CPU as Serve deployments, the query path on top, an index made through them.

The chat model is Gemma 3 270M where scripts/small_model has made it, else a random one. Quality is not judged.
"""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from httpx_sse import EventSource

from tests import vllm_models
from tests.books import book, chapters
from tgrag.models.chat import AnswerSchema, ChatMessage, ChatReply, ChatRequest
from tgrag.settings import Settings, load_settings

pytestmark = [
    pytest.mark.ray,
    pytest.mark.long,
    pytest.mark.skipif(
        bool(vllm_models.missing()),
        reason=f"not installed: {vllm_models.missing()}; scripts/small_model --deployments runs it",
    ),
]

MAX_LENGTH = {"chat": 4096, "embed": 256, "rerank": 128}
SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string", "maxLength": 12}, "age": {"type": "integer", "maximum": 99}},
    "required": ["name", "age"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    folder = tmp_path_factory.mktemp("models")
    gemma = vllm_models.GEMMA
    names = {
        "chat": str(gemma.resolve()) if gemma.is_dir() else vllm_models.make_chat_model(folder / "chat"),
        "embed": vllm_models.minilm(),
        "rerank": vllm_models.make_reranker(folder / "rerank"),
    }
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    return load_settings(
        profile="cpu",
        root=str(folder / "root"),
        models={name: {"model": model, "max_model_len": MAX_LENGTH[name]} for name, model in names.items()},
        extract={"max_entities": 2, "max_relationships": 1, "max_answer_tokens": 600},
        report={"method": "extractive"},
        serve={"port": port, "poll_seconds": 0.2, "timeout_seconds": 300},
    )


@pytest.fixture(scope="module")
def server(ray_cluster: None, settings: Settings) -> Iterator[httpx.Client]:
    from ray import serve

    from tgrag.serve.config import build
    from tgrag.serve.local import deploy

    deploy(build(settings))
    with httpx.Client(base_url=f"http://127.0.0.1:{settings.serve.port}", timeout=600) as client:
        yield client
    serve.shutdown()
    wait_until(lambda: not engine_processes(), 60)  # their memory is free again


@pytest.fixture(scope="module")
def chat(server: httpx.Client) -> Any:
    from ray import serve

    return serve.get_app_handle("chat")


def request(text: str, max_tokens: int, schema: dict[str, Any] | None = None) -> dict[str, Any]:
    from dataclasses import asdict

    asked = AnswerSchema("answer", json.dumps(schema)) if schema else None
    return asdict(ChatRequest((ChatMessage("user", text),), max_tokens, asked))


def wait_until(true: Callable[[], bool], seconds: float = 240) -> float:
    """Wait, and return how long it took."""
    begun = time.monotonic()
    while not true():
        assert time.monotonic() - begun < seconds, "it did not happen"
        time.sleep(0.05)
    return time.monotonic() - begun


def test_vectors_are_those_of_the_reference_implementation_also_of_a_long_text(server: httpx.Client) -> None:
    import torch
    from transformers import AutoModel, AutoTokenizer

    from tgrag.models.served import ServedEmbedder
    from tgrag.models.vllm.windows import averaged, windows

    embedder = ServedEmbedder(300)
    assert (embedder.identity.dimension, embedder.identity.max_tokens) == (384, MAX_LENGTH["embed"])
    tokenizer = AutoTokenizer.from_pretrained(vllm_models.minilm())
    model = AutoModel.from_pretrained(vllm_models.minilm()).eval()

    def vector(tokens: list[int]) -> np.ndarray:
        ids = torch.tensor([[tokenizer.cls_token_id, *tokens, tokenizer.sep_token_id]])
        with torch.inference_mode():
            mean = model(input_ids=ids, attention_mask=torch.ones_like(ids)).last_hidden_state[0].mean(0)
        return (mean / mean.norm()).numpy()

    texts = ["Captain Nemo built the Nautilus.", "Кто такой Германн?", "The sea was calm that night. " * 90]
    for text, found in zip(texts, embedder.embed_passages(texts), strict=True):
        tokens = tokenizer(text, add_special_tokens=False)["input_ids"]
        runs = windows(tokens, MAX_LENGTH["embed"] - 2)
        wanted = averaged(np.array([vector(run) for run in runs]), [len(run) for run in runs])
        assert np.abs(found - wanted).max() < 1e-3
    assert len(runs) == 3


def test_relevance_is_that_of_the_reference_implementation(server: httpx.Client, settings: Settings) -> None:
    from tgrag.models.cross_encoder import CrossEncoder
    from tgrag.models.served import ServedReranker
    from tgrag.settings import RerankSettings

    pairs = [("who is the captain?", f"Nemo commands {n} men. " * n) for n in range(1, 40)]
    pairs += [("long question " * 200, "short passage"), ("a", "")]
    local = CrossEncoder(RerankSettings(model=settings.models.rerank.model, max_tokens=MAX_LENGTH["rerank"]))
    assert np.abs(ServedReranker(300).score(pairs) - local.score(pairs)).max() < 1e-3


def test_relevance_by_a_model_of_the_family_of_bge_reranker(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tgrag.models.cross_encoder import CrossEncoder
    from tgrag.models.vllm.rerank import Rerank
    from tgrag.settings import RerankSettings

    model = vllm_models.make_multilingual_reranker(tmp_path / "model")
    engine = settings.models.rerank.model_copy(update={"model": model})
    for name, value in engine.environment.items():
        monkeypatch.setenv(name, value)
    pairs = [("кто капитан?", f"Немо командует {n} людьми. " * n) for n in range(1, 20)]
    pairs += [("длинный вопрос " * 50, "короткий ответ"), ("а", "")]

    async def scored() -> list[float]:
        rerank = Rerank.__new__(Rerank)
        await rerank.__init__(engine.model_dump(mode="json"))  # type: ignore[misc]
        scores = await rerank.score(pairs)
        rerank.shutdown()
        return scores

    local = CrossEncoder(RerankSettings(model=model, max_tokens=MAX_LENGTH["rerank"]))
    assert np.abs(np.array(asyncio.run(scored())) - local.score(pairs)).max() < 1e-3


def test_an_answer_keeps_to_its_schema(chat: Any) -> None:
    for text in ("Anna is 12. As JSON:", "Германну тридцать лет. JSON:"):
        reply = ChatReply(**chat.complete.remote(request(text, 300, SCHEMA)).result(timeout_s=300))
        answer = json.loads(reply.text)
        assert reply.finish_reason == "stop" and answer.keys() == {"name", "age"}
        assert json.dumps(answer, ensure_ascii=False, separators=(",", ":")) == reply.text


def test_a_cut_answer_says_so_and_a_prompt_that_does_not_fit_is_refused(chat: Any) -> None:
    reply = ChatReply(**chat.complete.remote(request("Once upon a time", 3)).result(timeout_s=300))
    assert (reply.finish_reason, reply.tokens_out) == ("length", 3)
    with pytest.raises(ValueError, match="leaves no room"):
        chat.complete.remote(request("word " * 5000, 3)).result(timeout_s=300)


def pending(chat: Any) -> int:
    """Return how many requests are in the chat model's engine."""
    return int(chat.pending.remote().result(timeout_s=60))


def test_whoever_leaves_ends_the_generation_within_a_second(chat: Any) -> None:
    from ray.exceptions import RayTaskError, TaskCancelledError

    long = request("Once upon a time", 4000)
    stream = chat.options(stream=True).stream.remote(long)
    for _ in range(3):
        next(stream)
    whole = chat.complete.remote(long)
    wait_until(lambda: pending(chat) == 2)
    stream.cancel()
    whole.cancel()
    assert wait_until(lambda: pending(chat) == 0) < 1
    with pytest.raises((TaskCancelledError, RayTaskError, RuntimeError)):
        whole.result(timeout_s=60)


def test_a_question_overtakes_an_index_run(chat: Any, settings: Settings) -> None:
    at_once = settings.models.chat.max_sequences
    assert at_once
    patient = [chat.complete.remote(request("Once upon a time", 60)) for _ in range(3 * at_once)]
    wait_until(lambda: pending(chat) == len(patient))
    assert chat.complete.remote(request("Hi", 2), True).result(timeout_s=300)
    assert pending(chat) >= at_once, "those that were there before it and had to wait still do"
    for response in patient:
        assert response.result(timeout_s=600)


def run_job(settings: Settings, folder: Path, collection: str, *flags: str, **variables: str) -> Any:
    """Index a book by jobs/index.py, as a submitted job does; return the summary."""
    (folder / "book.txt").write_text(book(*chapters()[:1], title="ПОВЕСТЬ"), encoding="utf-8")
    config = folder / "tgrag.yaml"
    config.write_text(
        settings.model_dump_json(exclude={"chat": {"api_key"}, "serve": True}), encoding="utf-8"
    )
    job = ["jobs/index.py", "--input", str(folder / "book.txt"), "--collection", collection, "--json", *flags]
    done = subprocess.run(
        [sys.executable, *job],
        env=os.environ | {"TGRAG_CONFIG": str(config)} | variables,
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def check_that_the_model_was_asked(summary: Any) -> None:
    """Gemma closes its lists; a random model writes until it is cut, which is a dead letter."""
    counts = summary["extraction"]
    assert counts["llm"] if vllm_models.GEMMA.is_dir() else counts["llm"] + counts["failed"], summary


def engine_processes() -> set[int]:
    """Return the engines that this process, its Ray or its jobs have started, and nobody else's."""
    import psutil

    family = psutil.Process().children(recursive=True)
    return {process.pid for process in family if "EngineCore" in process.name()}


def test_a_book_is_indexed_through_the_models_and_asked_over_http(
    server: httpx.Client, settings: Settings, tmp_path: Path
) -> None:
    import ray

    summary = run_job(settings, tmp_path, "tale", RAY_ADDRESS=ray.get_runtime_context().gcs_address)
    check_that_the_model_was_asked(summary)

    asked = {"question": "Что рассказал Томский о графине?", "collection": "tale", "stream": True}
    with server.stream("POST", "/v1/query", json=asked) as response:
        assert response.status_code == 200
        events = [(event.event, json.loads(event.data)) for event in EventSource(response).iter_sse()]
    assert "delta" in {name for name, _ in events}
    name, answer = events[-1]
    assert name == "answer" and answer["answer"]
    assert answer["citations"] or not answer["found"]  # a small model may say that it is not in the passages
    assert all(citation["verified"] for citation in answer["citations"])
    assert not {"embed", "rerank"} & {fall_back["step"] for fall_back in answer["fall_backs"]}


def test_a_client_that_leaves_over_http_ends_the_generation_too(server: httpx.Client, chat: Any) -> None:
    asked = {"question": "Что сказал Сурин?", "collection": "tale", "stream": True}
    with server.stream("POST", "/v1/query", json=asked):
        wait_until(lambda: pending(chat) == 1)
    assert wait_until(lambda: pending(chat) == 0) < 1


def test_vllms_metrics_come_out_of_the_nodes_port(server: httpx.Client) -> None:
    import ray

    (node,) = ray.nodes()
    url = f"http://{node['NodeManagerAddress']}:{node['MetricsExportPort']}/metrics"

    def told() -> set[str]:
        lines = httpx.get(url, timeout=30).text.splitlines()
        return {line.split("{")[0] for line in lines if line.startswith("ray_vllm_")}

    names = ("prompt_tokens_total", "generation_tokens_total", "request_queue_time_seconds_count")
    wait_until(lambda: {f"ray_vllm_{name}" for name in names} <= told(), 60)


def test_a_run_with_engines_of_its_own_makes_the_same_index_and_leaves_no_engine(
    settings: Settings, tmp_path: Path
) -> None:
    from tgrag.index.catalog import Catalog
    from tgrag.store.root import open_root

    before = engine_processes()
    summary = run_job(settings, tmp_path, "own", "--own-engines")
    check_that_the_model_was_asked(summary)
    wait_until(lambda: engine_processes() <= before, 30)
    catalog = Catalog(open_root(settings.root))
    own, served = (catalog.collection(name).open_current() for name in ("own", "tale"))
    assert own.manifest["embedder"] == served.manifest["embedder"]
    query = np.ones(384, np.float32) / np.sqrt(384)
    everything = np.ones(len(own.text_units), bool)
    found = [snapshot.unit_vectors.search(query, 3, everything) for snapshot in (own, served)]
    assert found[0][0].tolist() == found[1][0].tolist()
    assert np.abs(found[0][1] - found[1][1]).max() < 1e-3


def test_a_killed_engine_comes_back_and_no_question_is_lost_silently(server: httpx.Client, chat: Any) -> None:
    engines = engine_processes()
    assert len(engines) >= 3
    for pid in engines:
        os.kill(pid, signal.SIGKILL)
    question = {"question": "Кто такой Томский?", "collection": "tale"}
    answer = server.post("/v1/query", json=question)
    assert answer.status_code in (200, 503, 504)
    if answer.status_code == 200:
        assert {"embed", "rerank", "answer"} & {f["step"] for f in answer.json()["fall_backs"]}

    def is_back() -> bool:
        reply = server.post("/v1/query", json=question)
        steps = {f["step"] for f in reply.json().get("fall_backs", [{"step": "embed"}])}
        return reply.status_code == 200 and not {"embed", "rerank"} & steps

    wait_until(is_back, 400)
    assert chat.complete.remote(request("Hi", 1)).result(timeout_s=300)["tokens_out"] == 1


def test_only_the_models_replicas_have_loaded_torch(server: httpx.Client) -> None:
    """Neither for an answer nor for an error, of which the tests above made all that there are."""
    import psutil

    others = ("ray::ServeController", "ray::ProxyActor", "ray::ServeReplica:rag")
    processes = [
        process
        for process in psutil.Process().children(recursive=True)
        if process.status() != psutil.STATUS_ZOMBIE and process.cmdline()[0].startswith(others)
    ]
    assert {name for name in others if any(p.cmdline()[0].startswith(name) for p in processes)} == {*others}
    for process in processes:
        assert not [area.path for area in process.memory_maps() if "libtorch" in area.path], process.cmdline()
