"""Extraction by a language model: how full its slots are kept, what it costs of one's own CPU, what it takes of memory.

The model is the tests' mock server, a process of its own. Busy share: of the server's slots, from the first call to
the last. Beside it, in the same run and with the same requests, a bare asyncio client that does nothing else.
"""

import argparse
import asyncio
import json
import os
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import httpx

from benchmarks.driver_memory import memory
from benchmarks.measure import say, table
from benchmarks.mocked import SyntheticUnits, method_of, server, settings_for
from tgrag.cluster import connect
from tgrag.extract.llm import extraction_request
from tgrag.index.ask_units import ask_all
from tgrag.index.budget import Budget
from tgrag.index.walk import UnitTask, UnitTasks, tasks_of
from tgrag.models.chat_wire import identity_of, request_body
from tgrag.settings import Settings

_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Slots:
    """units a second; busy: share of the slots; bare: of the client that does nothing else."""

    answer_seconds: float
    slots: int
    workers: int
    units: int
    bare_busy: float
    busy: float
    bare_units_a_second: float
    units_a_second: float


@dataclass(frozen=True)
class Cpu:
    """CPU seconds of the driver and all of Ray, without the server. start: the first 65 units, on the first workers."""

    start_seconds: float
    seconds_of_100: float
    seconds_of_400: float
    seconds_a_further_100: float


def add_command(commands: Any) -> None:
    parser = commands.add_parser("extraction", help="slots kept full, own CPU, memory of LLM extraction")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--units", type=int, default=300)
    parser.add_argument("--memory", default="1000,10000", help="numbers of units, the smallest first")
    parser.add_argument("--texts", type=int, default=10_000, help="different ones for --memory, at most")
    parser.add_argument("--parts", default="slots,cpu,memory")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    parts = arguments.parts.split(",")
    found: dict[str, list[Any]] = {}
    if parts != ["memory"]:  # which is measured in processes of its own
        connect()
    if "slots" in parts:
        cases = [(1.0, 8, 1), (0.2, 8, 1), (1.0, 16, 2)]
        found["slots"] = [slots(arguments.units, *case) for case in cases]
    if "cpu" in parts:
        found["cpu"] = [cpu()]
    if "memory" in parts:
        found["memory"] = memory([int(n) for n in arguments.memory.split(",")], arguments.texts)
    if arguments.json:
        print(json.dumps({name: [asdict(row) for row in rows] for name, rows in found.items()}, indent=1))
        return
    for rows in found.values():
        heads = [name.replace("_", " ") for name in asdict(rows[0])]
        print(table(heads, [list(asdict(row).values()) for row in rows]), end="\n\n")


def slots(n_units: int, answer_seconds: float, n_slots: int, workers: int) -> Slots:
    say(f"{n_units} units, answers of {answer_seconds} s, {n_slots} slots, {workers} workers")
    with server(seconds=answer_seconds, slots=n_slots) as mock, tempfile.TemporaryDirectory() as root:
        settings = settings_for(root, mock, n_slots, workers)
        tasks = tasks_for(n_units)
        asyncio.run(bare_client(tasks, settings))
        bare = mock.stats()
        mock.reset()
        ask_all(tasks, method_of(settings), root, "c", settings, Budget(), lambda asked: None)
        ours = mock.stats()
        assert ours["requests"] == n_units and not ours["repeats"]
    return Slots(
        answer_seconds,
        n_slots,
        workers,
        n_units,
        bare["mean_busy"] / n_slots,
        ours["mean_busy"] / n_slots,
        n_units / sum(bare["busy_seconds"].values()),
        n_units / sum(ours["busy_seconds"].values()),
    )


async def bare_client(tasks: Sequence[UnitTask], settings: Settings) -> None:
    """Send the same requests with so many at once, and do nothing with the answers."""
    identity = identity_of(settings.chat)
    bodies = iter(
        [request_body(extraction_request(t.unit, t.before, settings.extract), identity) for t in tasks]
    )
    async with httpx.AsyncClient(base_url=settings.chat.base_url, timeout=60) as client:

        async def worker() -> None:
            for body in bodies:
                (await client.post("/chat/completions", json=body)).raise_for_status()

        await asyncio.gather(*(worker() for _ in range(settings.chat.max_in_flight)))


def tasks_for(n_units: int) -> UnitTasks:
    return tasks_of(SyntheticUnits(n_units), 0)


def cpu() -> Cpu:
    say("own CPU for 100 and 400 units")
    spent = []
    with server(seconds=0.2, slots=8) as mock, tempfile.TemporaryDirectory() as root, TreeCpu() as tree:
        settings = settings_for(root, mock, 8, 1)
        for n_units in (65, 100, 400):
            begun = tree.seconds()
            ask_all(
                tasks_for(n_units),
                method_of(settings),
                root,
                f"c{n_units}",
                settings,
                Budget(),
                lambda asked: None,
            )
            spent.append(tree.seconds() - begun)
    start, of_100, of_400 = spent
    return Cpu(start, of_100, of_400, (of_400 - of_100) / 3)


class TreeCpu:
    """The CPU seconds of this process and of all below it but a server, which began before.

    Sampled all the time: what a worker of Ray took is lost with it when it ends.
    """

    def __init__(self) -> None:
        self._seen: dict[int, int] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def __enter__(self) -> "TreeCpu":
        self._strangers = {pid for pid in _below(os.getpid()) if _is_server(pid)}
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def seconds(self) -> float:
        self._look()
        return sum(self._seen.values()) / _TICKS

    def _sample(self) -> None:
        while not self._over.wait(0.5):
            self._look()

    def _look(self) -> None:
        self._seen |= {pid: ticks for pid, ticks in _below(os.getpid()).items() if pid not in self._strangers}


def _is_server(pid: int) -> bool:
    return b"tests.mock_llm" in Path(f"/proc/{pid}/cmdline").read_bytes()


def _below(top: int) -> dict[int, int]:
    """Return the CPU ticks of a process and of all below it."""
    children: dict[int, list[int]] = {}
    ticks: dict[int, int] = {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = file.read_text().rsplit(")", 1)[1].split()
        except OSError:  # it has just ended
            continue
        pid = int(file.parent.name)
        children.setdefault(int(fields[1]), []).append(pid)
        ticks[pid] = int(fields[11]) + int(fields[12])
    found, todo = {}, [top]
    while todo:
        pid = todo.pop()
        found[pid] = ticks[pid]
        todo += children.get(pid, [])
    return found
