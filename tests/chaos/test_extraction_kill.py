"""SIGKILL while a language model's calls are in flight: what was answered is not asked again, the end is the same.

Ten moments for each victim, three for the actor that shares out the calls; all but the first run with the long trials,
and so do those over S3.
"""

import os
import random
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import Any, Literal

import pytest

from tests.index_runs import SECONDS, SLOTS, UNITS, Run, descendants, finished, lend_memo
from tests.roots import make_bucket
from tests.s3_faults import Faults, faulty_s3

Victim = Literal["driver", "worker", "node", "shares"]
TRIALS = [
    pytest.param(seed, victim, marks=[] if (seed, victim) == (0, "driver") else pytest.mark.long)
    for seed in range(10)
    for victim in ("driver", "worker", "node", "shares")
    if victim != "shares" or seed < 3
]


def victims(process: subprocess.Popen[str], victim: Victim, choose: random.Random) -> list[int]:
    below = descendants(process.pid)
    match victim:
        case "driver":
            return [process.pid]
        case "node":
            return [process.pid, *(pid for pid, _ in below)]
        case "worker" | "shares":
            actor = "AskWorker" if victim == "worker" else "ray::Shares"
            found = [pid for pid, line in below if actor in line]
            assert found, f"no {victim} among {[line for _, line in below]}"
            return [choose.choice(found)]


def kill_and_go_on(run: Run, victim: Victim, moments: random.Random, **environment: str) -> dict[str, Any]:
    """Kill once so many calls have begun; return the summary of the run that came to an end.

    After a driver or a node exactly those calls are made again that had begun and were not stored.
    """
    run.mock.reset()
    killed = threading.Event()

    def kill() -> None:
        stats = run.mock.counted()
        print(f"\n{victim} killed after {stats.requests} calls, {stats.in_flight} of them in flight")
        for pid in victims(process, victim, moments):
            os.kill(pid, signal.SIGKILL)
        killed.set()

    run.mock.plan(moments.randint(SLOTS, UNITS - SLOTS), moments.uniform(0, SECONDS), kill)
    process = run.start(**environment)
    if victim in ("worker", "shares"):
        summary = finished(process)
        assert killed.wait(60)
        return summary
    _, errors = process.communicate()
    assert killed.wait(60), errors
    time.sleep(3)  # calls in flight when their driver was killed may still be stored
    lost = run.mock.stats()["requests"] - run.n_stored()
    summary = run.finish(**environment)
    assert run.mock.stats()["repeats"] == lost
    return summary


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
    lend_memo(undisturbed, run)
    check(run, kill_and_go_on(run, victim, random.Random(f"{seed} {victim}")), undisturbed)


@pytest.mark.long
@pytest.mark.parametrize(("seed", "victim"), [(0, "driver"), (1, "worker"), (2, "node"), (3, "driver")])
def test_killed_over_a_store_that_fails_and_delays(
    seed: int, victim: Victim, undisturbed: Run, s3_endpoint: str
) -> None:
    """Errors 500 and 503, writes that take up to 0.3 s, and some done and never confirmed; torn answers."""
    root = make_bucket(s3_endpoint, f"killed-{seed}") + "/indexes"
    run = Run(undisturbed.book, root, undisturbed.mock)
    faults = Faults(error=0.05, cut=0.05, torn=0.02, slow_seconds=0.3, seed=seed)
    with faulty_s3(s3_endpoint, faults) as proxy:
        summary = kill_and_go_on(run, victim, random.Random(f"s3 {seed}"), AWS_ENDPOINT_URL=proxy)
    print(dict(faults.seen))
    check(run, summary, undisturbed)
