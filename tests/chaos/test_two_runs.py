"""Two runs at once on one collection, as processes of their own: nothing is called twice, nothing corrupted."""

import json
import os
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest

from tests.index_runs import SECONDS, SLOTS, UNITS, Run, descendants, finished, lend_memo
from tests.roots import make_bucket
from tests.s3_faults import Faults, faulty_s3


def fresh(undisturbed: Run, root: Path) -> Run:
    """A run into a root without answers."""
    run = Run(undisturbed.book, str(root), undisturbed.mock)
    lend_memo(undisturbed, run)
    return run


def refused(process: subprocess.Popen[str]) -> str:
    """Wait for a run that has no lease, or not any more, and return what it says."""
    _, errors = process.communicate(timeout=400)
    assert process.returncode == 1, errors
    # Ray may have a last word.
    (told,) = (line for line in errors.splitlines() if line.startswith('{"error"'))
    error = json.loads(told)["error"]
    assert error["code"] == "lease_held"
    return str(error["message"])


def run_three_at_once(run: Run, undisturbed: Run, **environment: str) -> None:
    """The first works, the second waits and finds nothing to do, the third does not wait."""
    run.mock.reset()
    run.mock.configure(seconds=10)  # so that the first is at work as long as the others need to start
    asked = threading.Event()
    run.mock.plan(1, 0, asked.set)
    first = run.start(**environment)
    assert asked.wait(300), first.poll()
    second = run.start(**environment, TGRAG_INDEX__WAIT_SECONDS="300")
    third = run.start(**environment, TGRAG_INDEX__WAIT_SECONDS="0")
    assert f"an index run (process {first.pid} on " in refused(third)
    run.mock.configure(seconds=SECONDS)
    assert not finished(first)["noop"]
    assert finished(second)["noop"]
    stats = run.mock.stats()
    assert (stats["requests"], stats["repeats"]) == (UNITS, 0)
    assert run.tables() == undisturbed.tables() and run.n_published() == 1


def test_one_works_and_the_others_wait_or_leave(undisturbed: Run, tmp_path: Path) -> None:
    run_three_at_once(fresh(undisturbed, tmp_path / "root"), undisturbed)


@pytest.mark.long
def test_one_works_and_the_others_wait_or_leave_over_a_store_that_fails(
    undisturbed: Run, s3_endpoint: str
) -> None:
    root = make_bucket(s3_endpoint, "two-runs") + "/indexes"
    with faulty_s3(s3_endpoint, Faults(error=0.05, cut=0.05, torn=0.02, slow_seconds=0.3)) as proxy:
        run_three_at_once(Run(undisturbed.book, root, undisturbed.mock), undisturbed, AWS_ENDPOINT_URL=proxy)


@pytest.mark.long
def test_a_run_that_stood_still_publishes_nothing(undisturbed: Run, tmp_path: Path) -> None:
    """It is stopped for longer than its lease, as a paused machine is; when it goes on, another has done the work."""
    run = fresh(undisturbed, tmp_path / "root")
    stopped = threading.Event()

    def signal_all(number: signal.Signals) -> None:
        for pid in (first.pid, *(pid for pid, _ in descendants(first.pid))):
            os.kill(pid, number)

    def stop() -> None:
        signal_all(signal.SIGSTOP)
        stopped.set()

    run.mock.reset()
    run.mock.plan(2 * SLOTS, SECONDS / 2, stop)
    first = run.start()
    assert stopped.wait(300), first.poll()
    begun = run.mock.stats()["requests"]
    try:
        assert not run.finish()["noop"]
        tables = run.tables()
        before = run.mock.stats()
    finally:
        signal_all(signal.SIGCONT)
    told = refused(first)
    after = run.mock.stats()
    print(
        f"\nstopped after {begun} calls; {before['repeats']} made again by the other, then {after['repeats']}"
    )
    assert "took over" in told
    assert before["repeats"] <= SLOTS, "what was in flight"
    assert after["repeats"] <= 3 * SLOTS, "it goes on asking no further than it has to"
    time.sleep(3)  # workers that it leaves behind, were there any
    assert run.tables() == tables == undisturbed.tables() and run.n_published() == 1
