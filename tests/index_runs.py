"""Whole index runs as processes of their own, with the mock's model: what the trials of kills share."""

import json
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.mock_llm import Running
from tgrag.hashing import bytes_hash
from tgrag.index.answers import AnswerMemo
from tgrag.index.catalog import Catalog
from tgrag.store.root import open_root

UNITS, SLOTS, SECONDS = 80, 8, 0.4  # of an answer
REPOSITORY = Path(__file__).parents[1]
STARTED: list[subprocess.Popen[str]] = []


def write_book(folder: Path) -> Path:
    """Write a book of as many short chapters as units."""
    names = ("Нарумов", "Томский", "Германн", "Чекалинский", "Сурин")
    chapters = [f"Глава {n}\n\nОднажды {names[n % 5]} потерял {n} рублей." for n in range(1, UNITS + 1)]
    book = folder / "book.txt"
    book.write_text("\n\n".join(chapters), encoding="utf-8")
    return book


@dataclass(frozen=True)
class Run:
    """A book and a root it is indexed into."""

    book: Path
    root: str
    mock: Running

    def start(self, **environment: str) -> subprocess.Popen[str]:
        """Start the job in a session of its own."""
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
        process = subprocess.Popen(
            [sys.executable, *job],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=REPOSITORY,
            env=inherited | told | environment,
            start_new_session=True,
        )
        STARTED.append(process)
        return process

    def finish(self, **environment: str) -> dict[str, Any]:
        return finished(self.start(**environment))

    def n_stored(self) -> int:
        """Return how many answers are stored."""
        return len(AnswerMemo(open_root(self.root), "c").known())

    def tables(self) -> dict[str, str]:
        """Return the digests of the bytes of the published tables."""
        root = open_root(self.root)
        folder = f"c/versions/{Catalog(root).collection('c').require_current().version_id}"
        paths = [info.path for info in root.objects(f"{folder}/data")]
        return {path.removeprefix(folder): bytes_hash(root.read(path)) for path in paths}

    def n_published(self) -> int:
        return len(open_root(self.root).objects("c/CURRENT"))


def finished(process: subprocess.Popen[str]) -> dict[str, Any]:
    """Wait for a run and return its summary."""
    out, errors = process.communicate(timeout=400)
    assert process.returncode == 0, errors
    found: dict[str, Any] = json.loads(out)
    return found


def lend_memo(lender: Run, run: Run) -> None:
    """Give a run what another has parsed and embedded, but no answer of the language model."""
    shutil.copytree(
        Path(lender.root, "c", "memo"), Path(run.root, "c", "memo"), ignore=shutil.ignore_patterns("chat")
    )


def end_started() -> None:
    """End what a failed trial has left running."""
    while STARTED:
        process = STARTED.pop()
        if process.poll() is None:
            for pid in (process.pid, *(pid for pid, _ in descendants(process.pid))):
                os.kill(pid, signal.SIGKILL)
            process.communicate()


def descendants(pid: int) -> list[tuple[int, str]]:
    """Return the processes below one, with their command lines."""
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
