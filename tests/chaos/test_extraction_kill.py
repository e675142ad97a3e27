"""SIGKILL while calls are in flight: what was answered is not asked again, and the end is the same."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest

from tests.mock_llm import Config, Running, running

UNITS, SLOTS = 120, 8
REPOSITORY = Path(__file__).parents[2]
Victim = Literal["driver", "worker", "node"]
TRIALS = [
    pytest.param(seed, victim, marks=[] if (seed, victim) == (0, "driver") else pytest.mark.long)
    for seed in range(4)
    for victim in ("driver", "worker", "node")
]


@pytest.fixture(scope="module")
def mock() -> Iterator[Running]:
    with running(Config(seconds=0.5, slots=SLOTS)) as server:
        yield server


@pytest.fixture(scope="module")
def undisturbed(mock: Running, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return finish(start(tmp_path_factory.mktemp("undisturbed"), mock))


def start(root: Path, mock: Running) -> subprocess.Popen[str]:
    """Start the stage as the leader of a process group of its own, which its Ray belongs to."""
    command = [sys.executable, "-m", "tests.chaos.extraction_job", str(root), mock.base_url, str(UNITS), "2"]
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=REPOSITORY,
        env={k: v for k, v in os.environ.items() if k != "RAY_ADDRESS"},
        start_new_session=True,
    )


def finish(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    found: dict[str, Any] = json.loads(out.splitlines()[-1])
    return found


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
                line = (
                    Path(f"/proc/{child}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                )
            except OSError:
                continue
            found.append((child, line))
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
    deadline = time.monotonic() + 180
    while mock.stats()["requests"] < n:
        assert process.poll() is None and time.monotonic() < deadline, "no call was made"
        time.sleep(0.05)


@pytest.mark.parametrize(("seed", "victim"), TRIALS)
def test_killed_and_run_again(
    seed: int, victim: Victim, mock: Running, undisturbed: dict[str, Any], tmp_path: Path
) -> None:
    moments = random.Random(f"{seed} {victim}")
    mock.reset()
    process = start(tmp_path, mock)
    wait_for_calls(mock, process, moments.randint(SLOTS, UNITS - SLOTS))
    time.sleep(moments.uniform(0, 0.5))
    for pid in victims(process, victim, moments):
        os.kill(pid, signal.SIGKILL)
    if victim == "worker":
        found = finish(process)
        assert found["calls"] <= UNITS, "what was answered before the kill is not counted again"
    else:
        process.communicate()
        time.sleep(3)  # calls in flight when their driver was killed may still be stored
        found = finish(start(tmp_path, mock))
        assert found["calls"] < UNITS
    assert found["llm"] == UNITS
    assert found["tables"] == undisturbed["tables"]
    stats = mock.stats()
    assert stats["requests"] - UNITS == stats["repeats"] <= SLOTS, "only what was in flight is asked again"
    assert stats["max_busy"] <= SLOTS
