"""SIGKILL while a language model's calls are in flight: what was answered is not asked again, the end is the same.

Ten moments for each victim; the others than the first run with the long trials, those over S3 too.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest

from tests.mock_llm import Config, Running, running
from tests.roots import make_bucket
from tests.s3_faults import Faults, faulty_s3
from tgrag.index.catalog import Catalog
from tgrag.store.root import open_root

UNITS, SLOTS = 80, 8
REPOSITORY = Path(__file__).parents[2]
Victim = Literal["driver", "worker", "node"]
TRIALS = [
    pytest.param(seed, victim, marks=[] if (seed, victim) == (0, "driver") else pytest.mark.long)
    for seed in range(10)
    for victim in ("driver", "worker", "node")
]


@dataclass(frozen=True)
class Run:
    """One book of as many short chapters as units, indexed by the mock's model into a root."""

    book: Path
    root: str
    mock: Running

    def start(self, **environment: str) -> subprocess.Popen[str]:
        """Start the job as the leader of a process group of its own, which its Ray belongs to."""
        job = ["jobs/index.py", "--input", str(self.book), "--collection", "c", "--root", self.root, "--json"]
        told = {
            "TGRAG_PROFILE": "openai",
            "TGRAG_CHAT__MODEL": "mock",
            "TGRAG_CHAT__BASE_URL": self.mock.base_url,
            "TGRAG_CHAT__MAX_IN_FLIGHT": str(SLOTS),
            "TGRAG_REPORT__METHOD": "extractive",
            "TGRAG_INDEX__WORKERS": "2",
            "TGRAG_INDEX__LEASE_SECONDS": "5",
            "TGRAG_INDEX__WAIT_SECONDS": "60",
        }
        inherited = {k: v for k, v in os.environ.items() if k != "RAY_ADDRESS"}
        return subprocess.Popen(
            [sys.executable, *job],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=REPOSITORY,
            env=inherited | told | environment,
            start_new_session=True,
        )

    def finish(self, **environment: str) -> dict[str, Any]:
        return finished(self.start(**environment))

    def tables(self) -> dict[str, str]:
        """The digests of the published tables."""
        collection = Catalog(open_root(self.root)).collection("c")
        files = collection.manifest(collection.require_current().version_id).files
        return {path: digest for path, digest in files.items() if path.startswith("data/")}


def finished(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, errors = process.communicate(timeout=400)
    assert process.returncode == 0, errors
    found: dict[str, Any] = json.loads(out)
    return found


@pytest.fixture(scope="module")
def mock() -> Iterator[Running]:
    with running(Config(seconds=0.4, slots=SLOTS, max_entities=1)) as server:
        yield server


@pytest.fixture(scope="module")
def undisturbed(mock: Running, tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("undisturbed")
    names = ("Нарумов", "Томский", "Германн", "Чекалинский", "Сурин")
    chapters = [f"Глава {n}\n\nОднажды {names[n % 5]} потерял {n} рублей." for n in range(1, UNITS + 1)]
    book = folder / "book.txt"
    book.write_text("\n\n".join(chapters), encoding="utf-8")
    run = Run(book, str(folder / "root"), mock)
    summary = run.finish()
    assert summary["extraction"]["llm"] == summary["counts"]["text_units"] == UNITS
    return run


def descendants(pid: int) -> list[tuple[int, str]]:
    """The processes below one, with their command lines."""
    parents: dict[int, list[int]] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except OSError:
                continue
            parents.setdefault(parent, []).append(int(folder.name))
    found, todo = [], [pid]
    while todo:
        for child in parents.get(todo.pop(), []):
            todo.append(child)
            try:
                line = Path(f"/proc/{child}/cmdline").read_bytes().replace(b"\0", b" ")
            except OSError:
                continue
            found.append((child, line.decode(errors="replace")))
    return found


def victims(process: subprocess.Popen[str], victim: Victim, choose: random.Random) -> list[int]:
    below = descendants(process.pid)
    match victim:
        case "driver":
            return [process.pid]
        case "node":
            return [process.pid, *(pid for pid, _ in below)]
        case "worker":
            asking = [pid for pid, line in below if "AskWorker" in line]
            assert asking, f"no worker among {[line for _, line in below]}"
            return [choose.choice(asking)]


def wait_for_calls(mock: Running, process: subprocess.Popen[str], n: int) -> None:
    deadline = time.monotonic() + 300
    while mock.stats()["requests"] < n:
        assert process.poll() is None and time.monotonic() < deadline, "no call was made"
        time.sleep(0.05)


def kill_and_go_on(run: Run, victim: Victim, moments: random.Random, **environment: str) -> dict[str, Any]:
    """Kill once so many calls have begun; return the summary of the run that came to an end."""
    run.mock.reset()
    process = run.start(**environment)
    wait_for_calls(run.mock, process, moments.randint(SLOTS, UNITS - SLOTS))
    time.sleep(moments.uniform(0, 0.4))
    for pid in victims(process, victim, moments):
        os.kill(pid, signal.SIGKILL)
    if victim == "worker":
        return finished(process)
    process.communicate()
    time.sleep(3)  # calls in flight when their driver was killed may still be stored
    return run.finish(**environment)


def check(run: Run, summary: dict[str, Any], undisturbed: Run) -> None:
    stats = run.mock.stats()
    print(f"{stats['requests']} calls, {stats['repeats']} made again")
    assert stats["requests"] - UNITS == stats["repeats"] <= SLOTS, "only what was in flight is asked again"
    assert stats["max_busy"] <= SLOTS
    assert summary["extraction"]["llm"] == UNITS and not summary["dead_letters"]
    assert run.tables() == undisturbed.tables()


@pytest.mark.parametrize(("seed", "victim"), TRIALS)
def test_killed_and_run_again(seed: int, victim: Victim, undisturbed: Run, tmp_path: Path) -> None:
    run = Run(undisturbed.book, str(tmp_path / "root"), undisturbed.mock)
    vectors = Path("c", "memo", "vectors")  # of texts that are the same: not what is tried here
    shutil.copytree(Path(undisturbed.root) / vectors, Path(run.root) / vectors)
    check(run, kill_and_go_on(run, victim, random.Random(f"{seed} {victim}")), undisturbed)


@pytest.mark.long
@pytest.mark.parametrize(("seed", "victim"), [(0, "driver"), (1, "worker"), (2, "node"), (3, "driver")])
def test_killed_over_a_store_that_fails_and_delays(
    seed: int, victim: Victim, undisturbed: Run, s3_endpoint: str
) -> None:
    """Errors 500 and 503, writes that take up to 0.3 s, and some that are done and never confirmed."""
    root = make_bucket(s3_endpoint, f"killed-{seed}") + "/indexes"
    run = Run(undisturbed.book, root, undisturbed.mock)
    with faulty_s3(s3_endpoint, Faults(error=0.05, cut=0.05, slow_seconds=0.3, seed=seed)) as proxy:
        summary = kill_and_go_on(run, victim, random.Random(f"s3 {seed}"), AWS_ENDPOINT_URL=proxy)
    check(run, summary, undisturbed)
