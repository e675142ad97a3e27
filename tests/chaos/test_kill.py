"""SIGKILL at random moments: nothing stored is computed again, and the end is the same."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.books import table_bytes, write_library

JOB = Path(__file__).parents[2] / "jobs" / "index.py"
TRIALS = [pytest.param(seed, marks=[] if seed == 0 else pytest.mark.long) for seed in range(5)]


def start(books: Path, root: Path) -> subprocess.Popen[str]:
    command = [
        sys.executable,
        str(JOB),
        "--input",
        str(books),
        "--collection",
        "c",
        "--root",
        str(root),
        "--json",
    ]
    environment = {"TGRAG_INDEX__WORKERS": "2"} | {k: v for k, v in os.environ.items() if k != "RAY_ADDRESS"}
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )


def finish(books: Path, root: Path) -> dict[str, Any]:
    process = start(books, root)
    out, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    found: dict[str, Any] = json.loads(out)
    return found


def stored_vectors(root: Path) -> set[str]:
    paths = (root / "c" / "memo" / "vectors").rglob("*.parquet")
    return {key for path in paths for key in pq.read_table(path, columns=["key"])["key"].to_pylist()}


@pytest.mark.parametrize("seed", TRIALS)
def test_killed_and_run_again(seed: int, tmp_path: Path) -> None:
    books, root = tmp_path / "books", tmp_path / "root"
    write_library(books)
    moments = random.Random(seed)
    process = start(books, root)
    delay = moments.uniform(4, 20)
    try:
        process.wait(timeout=delay)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
    process.communicate()
    time.sleep(2)  # calls in flight when their driver was killed may still be stored
    before = stored_vectors(root)

    summary = finish(books, root)
    after = stored_vectors(root)
    calls = 0 if summary["noop"] else summary["stages"]["embed"]["calls"]
    assert calls <= len(after - before), f"stored vectors were computed again (killed after {delay:.1f} s)"

    tables = table_bytes(root, "c", summary["version_id"])
    shutil.rmtree(root / "c" / "versions")
    shutil.rmtree(root / "c" / "CURRENT")
    undisturbed = finish(books, root)
    assert undisturbed["version_id"] == summary["version_id"]
    assert undisturbed["stages"]["embed"]["calls"] == 0
    assert table_bytes(root, "c", undisturbed["version_id"]) == tables


def test_hash_seed_and_number_of_workers_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    books = tmp_path / "books"
    write_library(books)
    results = []
    for seed, workers in (("1", "1"), ("2", "3")):
        monkeypatch.setenv("PYTHONHASHSEED", seed)
        monkeypatch.setenv("TGRAG_INDEX__WORKERS", workers)
        root = tmp_path / f"root-{seed}"
        summary = finish(books, root)
        results.append((summary["version_id"], table_bytes(root, "c", summary["version_id"])))
    assert results[0] == results[1]
