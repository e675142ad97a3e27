"""scripts/bench overload: many streams at once against few slots, over HTTP, wave after wave.

The model is the tests' mock server, a process of its own, which writes a word at a time. Everything else is what
``tgrag serve`` runs, on the same machine as the crowd that asks.
"""

import argparse
import asyncio
import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

import httpx

from benchmarks.measure import say, table
from benchmarks.mocked import server
from tests.books import book, chapters
from tests.crowd import Crowd
from tests.index_runs import descendants
from tests.mock_llm import Running
from tests.roots import free_port
from tgrag.cluster import connect
from tgrag.index import run as index_run
from tgrag.serve.config import build
from tgrag.serve.local import deploy
from tgrag.settings import load_settings

QUESTION = {"question": "Что рассказал Томский о графине?", "collection": "shelf"}
PROCESSES = {"proxy": "ProxyActor", "ingress": "Ingress", "retriever": "Retriever"}
QUIET_SECONDS = 1.0  # after a wave, before memory is looked at


_TICKS, _PAGE = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Process:
    """mb: resident."""

    cpu_seconds: float
    mb: float


@dataclass(frozen=True)
class Wave:
    """leave: those who were let in go away when the others have been refused. seconds: from the asking.

    other: neither answered by the model nor refused as the API says, and not gone. cpu_ms_a_stream: of proxy, ingress and
    retriever together. mb: resident, after the wave.
    """

    leave: bool
    answered: int
    refused: int
    gone: int
    other: int
    refused_p50_seconds: float
    refused_max_seconds: float
    last_answer_seconds: float | None
    calls_left: int
    cpu_ms_a_stream: float
    proxy_mb: float
    ingress_mb: float
    retriever_mb: float


def add_command(commands: Any) -> None:
    parser = commands.add_parser(
        "overload", help="more streams than slots: who is refused, how soon, what stays"
    )
    parser.add_argument("--streams", type=int, default=200)
    parser.add_argument("--slots", type=int, default=8, help="of the query path; as many more may wait")
    parser.add_argument("--waves", type=int, default=10, help="every third one goes away")
    parser.add_argument("--word-seconds", type=float, default=0.1, help="the model takes for a word")
    parser.add_argument("--json", action="store_true")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        server(slots=arguments.slots, piece_seconds=arguments.word_seconds) as mock,
        served(Path(folder), mock, arguments.slots) as url,
    ):
        waves = []
        for number in range(1, arguments.waves + 1):
            say(f"wave {number}: {arguments.streams} streams, {arguments.slots} slots")
            most = (
                3 * arguments.slots
            )  # a request that a replica has sent back waits beyond the limit of Serve
            waves.append(asyncio.run(wave(url, mock, arguments.streams, most, leave=number % 3 == 0)))
    if arguments.json:
        print(json.dumps([asdict(one) for one in waves], indent=1))
    else:
        print(report(waves))


@contextmanager
def served(folder: Path, mock: Running, slots: int) -> Iterator[str]:
    """Index a small book and serve it on a Ray of its own; yield the address."""
    from ray import serve

    settings = load_settings(
        root=str(folder / "root"),
        serve={"port": free_port(), "max_ongoing_requests": slots, "max_queued_requests": slots},
        chat={"backend": "openai", "model": "mock", "base_url": mock.base_url, "max_in_flight": slots},
    )
    (folder / "book.txt").write_text(book(*chapters()[:2]), encoding="utf-8")
    index_run.index([str(folder / "book.txt")], "shelf", settings, say)
    connect()
    deploy(build(settings))
    url = f"http://127.0.0.1:{settings.serve.port}"
    httpx.post(f"{url}/v1/query", json=QUESTION, timeout=60).raise_for_status()
    try:
        yield url
    finally:
        serve.shutdown()


async def wave(url: str, mock: Running, n: int, most: int, leave: bool) -> Wave:
    """Ask n times at once. most: so many are let in."""
    before = processes()
    async with Crowd(url, QUESTION, n) as crowd:
        await crowd.ended(n - most if leave else n)
    await asyncio.sleep(QUIET_SECONDS)
    after = processes()
    cpu_seconds = sum(one.cpu_seconds - before[name].cpu_seconds for name, one in after.items())
    streams = crowd.streams
    refused = sorted(s.end_seconds for s in streams if s.is_refused and s.end_seconds is not None)
    answered = [s.end_seconds for s in streams if s.is_answered and s.end_seconds is not None]
    gone = sum(s.end_seconds is None for s in streams)
    return Wave(
        leave,
        len(answered),
        len(refused),
        gone,
        n - len(answered) - len(refused) - gone,
        median(refused),
        refused[-1],
        max(answered, default=None),
        mock.stats()["in_flight"],
        1e3 * cpu_seconds / n,
        **{f"{name}_mb": one.mb for name, one in after.items()},
    )


def processes() -> dict[str, Process]:
    """Return what the processes have taken so far through which a stream goes."""
    found = {}
    for pid, line in descendants(os.getpid()):
        for name, mark in PROCESSES.items():
            if line.startswith("ray::") and mark in line:
                fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
                ticks, pages = int(fields[11]) + int(fields[12]), int(fields[21])
                found[name] = Process(ticks / _TICKS, pages * _PAGE / 1e6)
    return found


def report(waves: Sequence[Wave]) -> str:
    heads = ["wave", *(name.replace("_", " ") for name in asdict(waves[0]))]
    return table(heads, [[n, *asdict(one).values()] for n, one in enumerate(waves, start=1)])
