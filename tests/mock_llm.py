"""A small OpenAI-compatible server for tests: its answers are a pure function of the prompt, its faults are settings.

    python -m tests.mock_llm --port 0 --config '{"seconds": 0.2, "slots": 8}'

prints its address. POST /v1/chat/completions; GET /v1/models; GET /stats; POST /config (JSON, merged into Config);
POST /reset (clears the counters). ``running(config)`` runs it in a thread of the test.

To a text inside ``<text>…</text>`` it answers {"entities", "relationships"}: its capitalised words, those of one
sentence related in order, and one entity "Probe <hash>" that only this text has: a text whose probe is missing was
lost. To a question under the strict prompt it answers as ``answers`` says. To anything else it answers the smallest
instance of the schema, or a line. Requests wait for a slot, first come first served, and hold it for ``seconds``, and
while a streamed answer is sent. A fault is drawn from the seed, the prompt and the number of its attempt.
"""

import argparse
import asyncio
import hashlib
import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from random import Random
from typing import Any, Literal

import httpx
from aiohttp import web

TEXT = re.compile(r"<text>(.*?)</text>", re.DOTALL)
WORD = re.compile(r"\b[A-ZА-ЯЁІЇЄҐ][a-zа-яёіїєґ’'-]{2,}")
SENTENCE = re.compile(r"(?<=[.!?…])\s+")
CONTEXT = re.compile(r"<context>\n(.*?)</context>", re.DOTALL)
PASSAGE = re.compile(r"^\[(\d+)\] \([^\n]*\)\n(.*?)(?=^\[\d+\] \(|\Z)", re.DOTALL | re.MULTILINE)
CHARACTERS_A_TOKEN = 4
LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class Config:
    """Shares are of attempts. always_fails: texts that hold this marker get 500 at every attempt.

    held: texts that hold this one are not answered before so many answers were given (held_until).
    answers: to questions, with the first sentence of the longest passage (right), with words that are in none
    (misquoted), with such words at first and right when asked to mend it (mended), or that there is none (not_found).
    piece_seconds: before each piece of a streamed answer; breaks_after: so many pieces it breaks off, 0 never.
    """

    seconds: float = 0.0
    slots: int = 8
    malformed: float = 0.0
    error_500: float = 0.0
    error_429: float = 0.0
    retry_after: float = 1.0
    truncated: float = 0.0
    hang: float = 0.0
    always_fails: str = ""
    held: str = ""
    held_until: int = 0
    max_entities: int = 8
    answers: Literal["right", "misquoted", "mended", "not_found"] = "right"
    piece_seconds: float = 0.0
    breaks_after: int = 0
    seed: int = 0

    def fault(self, text: str, key: str, attempt: int) -> str | None:
        if self.always_fails and self.always_fails in text:
            return "error_500"
        draw = Random(f"{self.seed}|{key}|{attempt}").random()
        for name in ("malformed", "error_500", "error_429", "truncated", "hang"):
            draw -= getattr(self, name)
            if draw < 0:
                return name
        return None


@dataclass
class Stats:
    """calls: by text (its hash), every attempt; answered: those with a whole answer. repeats: of equal requests.
    peers: requests by the address that they came from.

    busy_seconds: by number of busy slots, from the first request's slot to the end of the last one's.
    """

    requests: int = 0
    repeats: int = 0
    left: int = 0
    in_flight: int = 0
    max_busy: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    calls: Counter[str] = field(default_factory=Counter)
    answered: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    request_ids: Counter[str] = field(default_factory=Counter)
    peers: Counter[str] = field(default_factory=Counter)
    busy_seconds: dict[int, float] = field(default_factory=dict)

    @property
    def mean_busy(self) -> float:
        """Return how many slots were busy on average, from the first to the last busy moment."""
        span = sum(self.busy_seconds.values())
        return sum(n * seconds for n, seconds in self.busy_seconds.items()) / span if span else 0.0


class MockLLM:
    def __init__(self, config: Config) -> None:
        self.config, self.stats = config, Stats()
        self._attempts: Counter[str] = Counter()
        self._free = asyncio.Semaphore(config.slots)
        self._busy, self._since = 0, 0.0
        self.plan: tuple[int, float, Callable[[], None]] | None = None

    def app(self) -> web.Application:
        app = web.Application(client_max_size=2**26)
        app.add_routes(
            [
                web.post("/v1/chat/completions", self.chat),
                web.get("/v1/models", self.models),
                web.get("/stats", self.show),
                web.post("/config", self.configure),
                web.post("/reset", self.reset),
            ]
        )
        return app

    async def chat(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        prompt = "\n".join(message["content"] for message in body["messages"])
        key, text = short_hash(prompt), text_of(prompt)
        self.stats.in_flight += 1
        self.stats.requests += 1
        self.stats.request_ids[request.headers.get("X-Request-ID", "")] += 1
        self.stats.peers[request.remote or ""] += 1
        if self.plan and self.stats.requests == self.plan[0]:
            asyncio.get_running_loop().call_later(*self.plan[1:])
        try:
            async with self._free:
                self._count_busy(+1)
                try:
                    self._attempts[key] += 1
                    self.stats.repeats += self._attempts[key] > 1
                    fault = self.config.fault(text or prompt, key, self._attempts[key])
                    self.stats.calls[short_hash(text or prompt)] += 1
                    self.stats.faults.update([fault] if fault else [])
                    if fault == "hang":
                        await asyncio.Event().wait()
                    await asyncio.sleep(self.config.seconds)
                    while self._is_held(text or prompt):
                        await asyncio.sleep(0.01)
                    response = self._respond(body, prompt, text, fault)
                    if body.get("stream") and response.status == 200:
                        return await self._stream(request, json.loads(response.text or ""))
                finally:
                    self._count_busy(-1)
            return response
        except (asyncio.CancelledError, ConnectionResetError):
            self.stats.left += 1
            raise
        finally:
            self.stats.in_flight -= 1

    def _is_held(self, text: str) -> bool:
        config = self.config
        return bool(config.held) and config.held in text and self.stats.answered.total() < config.held_until

    def _respond(
        self, body: dict[str, Any], prompt: str, text: str | None, fault: str | None
    ) -> web.Response:
        if fault == "error_500":
            return error(500, "injected internal error")
        if fault == "error_429":
            return error(429, "injected rate limit", {"Retry-After": f"{self.config.retry_after:g}"})
        content, reason = answer(body, prompt, text, self.config), "stop"
        if fault == "malformed":
            content = "Sure! Here it is:\n" + content[: len(content) // 2]
        most = body.get("max_tokens") or body.get("max_completion_tokens") or 10**9
        if fault == "truncated" or len(content) > most * CHARACTERS_A_TOKEN:
            content, reason = content[: min(len(content) // 2, most * CHARACTERS_A_TOKEN)], "length"
        if not fault and reason == "stop":
            self.stats.answered[short_hash(text or prompt)] += 1
        tokens_in, tokens_out = tokens(prompt), tokens(content)
        self.stats.tokens_in += tokens_in
        self.stats.tokens_out += tokens_out
        return web.json_response(
            {
                "id": "mock",
                "object": "chat.completion",
                "created": 0,
                "model": body["model"],
                "choices": [
                    {
                        "index": 0,
                        "message": {"role": "assistant", "content": content},
                        "finish_reason": reason,
                    }
                ],
                "usage": {
                    "prompt_tokens": tokens_in,
                    "completion_tokens": tokens_out,
                    "total_tokens": tokens_in + tokens_out,
                },
            }
        )

    async def _stream(self, request: web.Request, completion: dict[str, Any]) -> web.StreamResponse:
        """Send a completion in pieces of a word each."""
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)

        async def send(choices: list[dict[str, Any]], **more: Any) -> None:
            chunk = {"id": "mock", "object": "chat.completion.chunk", "created": 0, "model": "mock"}
            data = json.dumps(chunk | {"choices": choices} | more, ensure_ascii=False)
            await response.write(f"data: {data}\n\n".encode())

        (choice,) = completion["choices"]
        for place, piece in enumerate(re.findall(r"\s*\S+|\s+", choice["message"]["content"]), start=1):
            await asyncio.sleep(self.config.piece_seconds)
            await send([{"index": 0, "delta": {"content": piece}, "finish_reason": None}])
            if place == self.config.breaks_after and request.transport:
                request.transport.abort()
                return response
        await send([{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}])
        await send([], usage=completion["usage"])
        await response.write(b"data: [DONE]\n\n")
        return response

    async def models(self, _: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": "mock", "object": "model"}]})

    async def show(self, _: web.Request) -> web.Response:
        return web.json_response(vars(self.stats) | {"mean_busy": self.stats.mean_busy})

    async def configure(self, request: web.Request) -> web.Response:
        before, self.config = self.config, replace(self.config, **await request.json())
        if self.config.slots != before.slots:
            self._free = asyncio.Semaphore(self.config.slots)
        return web.json_response(asdict(self.config))

    async def reset(self, _: web.Request) -> web.Response:
        self.stats = Stats(in_flight=self.stats.in_flight)
        self._attempts.clear()
        return web.json_response({})

    def _count_busy(self, change: int) -> None:
        """Add the time since the last change to its number of busy slots; idle time counts once work goes on."""
        now = time.monotonic()
        busy, seconds = self.stats.busy_seconds, now - self._since
        if self._busy:
            busy[self._busy] = busy.get(self._busy, 0.0) + seconds
        elif busy:
            busy[0] = busy.get(0, 0.0) + seconds
        self._busy, self._since = self._busy + change, now
        self.stats.max_busy = max(self.stats.max_busy, self._busy)


def text_of(prompt: str) -> str | None:
    """Return the last text in a prompt: examples come before it."""
    found = TEXT.findall(prompt)
    return str(found[-1]) if found else None


def probe(text: str) -> str:
    """Return the name of the entity that only this text has."""
    return f"Probe {short_hash(text)}"


def short_hash(text: str) -> str:
    return hashlib.sha256(" ".join(text.split()).encode()).hexdigest()[:12].upper()


def tokens(text: str) -> int:
    return max(1, len(text) // CHARACTERS_A_TOKEN)


def answer(body: dict[str, Any], prompt: str, text: str | None, config: Config) -> str:
    schema = ((body.get("response_format") or {}).get("json_schema") or {}).get("schema")
    if CONTEXT.search(prompt):
        is_repair = any(message["role"] == "assistant" for message in body["messages"])
        return strict_answer(prompt, "right" if is_repair and config.answers == "mended" else config.answers)
    if text is None:
        said = f"mock {short_hash(prompt)}"
        return json.dumps(smallest(schema, schema, said), ensure_ascii=False) if schema else said
    graph: dict[str, Any] = graph_of(text, config.max_entities)
    if schema and "reasoning" in schema.get("properties", {}):
        graph = {"reasoning": "Capitalised words are names."} | graph
    return json.dumps(graph, ensure_ascii=False)


def strict_answer(prompt: str, kind: str) -> str:
    """Return the answer to a question under the strict prompt; see ``Config.answers``."""
    if kind == "not_found":
        return "В приведённых отрывках ответа нет."
    passages = PASSAGE.findall(CONTEXT.findall(prompt)[-1])
    number, text = max(passages, key=lambda passage: len(passage[1]))
    quote = SENTENCE.split(text.strip())[0] if kind == "right" else "Этих слов в книге нет."
    return f"В книге сказано: «{quote}» [{number}]"


def graph_of(text: str, max_entities: int) -> dict[str, list[dict[str, Any]]]:
    names = [name for name, _ in Counter(WORD.findall(text)).most_common(max_entities)]
    entities = [{"name": n, "type": "PERSON", "description": f"{n} is named in the passage."} for n in names]
    own = probe(text)
    entities.append({"name": own, "type": "EVENT", "description": f"{own} marks one passage."})
    pairs = {(own, names[0]): None} if names else {}
    for sentence in SENTENCE.split(text):
        said = [name for name in dict.fromkeys(WORD.findall(sentence)) if name in names]
        pairs |= dict.fromkeys(pairwise(said))
    relationships = [
        {
            "source": source,
            "target": target,
            "type": "FACTUAL",
            "description": f"{source} and {target} stand together.",
            "strength": 5,
        }
        for source, target in list(pairs)[:max_entities]
    ]
    return {"entities": entities, "relationships": relationships}


def smallest(schema: dict[str, Any], whole: dict[str, Any], said: str) -> Any:
    """Return about the smallest instance of a JSON schema, with this text for its strings."""
    if "$ref" in schema:
        return smallest(whole["$defs"][schema["$ref"].rsplit("/", 1)[-1]], whole, said)
    for choice in ("anyOf", "oneOf", "allOf"):
        if choice in schema:
            return smallest(schema[choice][0], whole, said)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    match schema.get("type"):
        case "object":
            return {name: smallest(part, whole, said) for name, part in schema.get("properties", {}).items()}
        case "array":
            return [smallest(schema.get("items", {}), whole, said)] * schema.get("minItems", 0)
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return True
        case _:
            return said


def error(status: int, message: str, headers: dict[str, str] | None = None) -> web.Response:
    body = {"error": {"message": message, "type": "mock", "code": status}}
    return web.json_response(body, status=status, headers=headers)


class Running:
    """A mock that runs: where it is, and its controls. mock: itself, where it runs in this process."""

    def __init__(self, address: str, mock: MockLLM | None = None) -> None:
        self.address, self._mock = address, mock
        self.base_url = f"{address}/v1"

    def configure(self, **changes: Any) -> None:
        httpx.post(f"{self.address}/config", json=changes).raise_for_status()

    def reset(self) -> None:
        httpx.post(f"{self.address}/reset").raise_for_status()

    def plan(self, n: int, seconds: float, action: Callable[[], None]) -> None:
        """Do something so long after the nth request from the last reset on; nothing is answered meanwhile."""
        assert self._mock, "only of a mock in this process"
        self._mock.plan = (n, seconds, action)

    def counted(self) -> Stats:
        """Return what stats() returns, for actions of a plan: they stand in the way of requests."""
        assert self._mock, "only of a mock in this process"
        return self._mock.stats

    def stats(self) -> dict[str, Any]:
        stats: dict[str, Any] = httpx.get(f"{self.address}/stats").raise_for_status().json()
        return stats


@contextmanager
def running(config: Config | None = None, host: str = LOOPBACK) -> Iterator[Running]:
    """Run a mock in a thread, on a free port of the loopback or of another address of this machine."""
    loop, started, address = asyncio.new_event_loop(), threading.Event(), ""
    mock = MockLLM(config or Config())

    async def begin() -> web.AppRunner:
        nonlocal address
        runner, address = await serve(mock, 0, host)
        started.set()
        return runner

    def run() -> None:
        asyncio.set_event_loop(loop)
        runner = loop.run_until_complete(begin())
        loop.run_forever()
        loop.run_until_complete(runner.cleanup())
        loop.close()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert started.wait(30), "the mock did not start"
    try:
        yield Running(address, mock)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(30)


async def serve(mock: MockLLM, port: int, host: str = LOOPBACK) -> tuple[web.AppRunner, str]:
    """Start serving; return what to clean up, and the address."""
    runner = web.AppRunner(mock.app(), handler_cancellation=True, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, host, port).start()
    return runner, f"http://{host}:{runner.addresses[0][1]}"


async def _main(config: Config, port: int) -> None:
    _, address = await serve(MockLLM(config), port)
    print(address, flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    parser.add_argument("--config", default="{}", help="JSON of Config")
    arguments = parser.parse_args()
    asyncio.run(_main(Config(**json.loads(arguments.config)), arguments.port))
