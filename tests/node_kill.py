"""An index run over two nodes, of which one is killed in the middle.

``python -m tests.node_kill FOLDER``, inside ``two_nodes.NAMESPACES``: prints what came of it, as JSON.
"""

import json
import os
import signal
import sys
import threading
from pathlib import Path

from tests import two_nodes
from tests.index_runs import SECONDS, SLOTS, UNITS, Run, descendants, finished, write_book
from tests.mock_llm import Config, running


def main(folder: Path) -> None:
    worker = two_nodes.start_nodes(folder, cpus=(1, 3))  # the head has room for two of three that ask
    with running(Config(seconds=SECONDS, slots=SLOTS, max_entities=1)) as mock:
        run = Run(write_book(folder), str(folder / "root"), mock)
        asking: dict[str, int] = {}
        killed = threading.Event()

        def kill() -> None:
            below = descendants(worker.pid)
            everywhere = sum("AskWorker" in line for _, line in descendants(os.getpid()))
            here = sum("AskWorker" in line for _, line in below)
            asking.update(killed=here, left=everywhere - here)
            for pid in (worker.pid, *(pid for pid, _ in below)):
                os.kill(pid, signal.SIGKILL)
            killed.set()

        mock.plan(UNITS // 2, SECONDS / 2, kill)
        job = run.start(RAY_ADDRESS=two_nodes.ADDRESS, TGRAG_INDEX__WORKERS="3")
        summary = finished(job)
        stats = mock.stats()
    told = {
        "killed": killed.is_set(),
        "asking": asking,
        "summary": summary,
        "repeats": stats["repeats"],
        "tables": run.tables(),
    }
    print(json.dumps(told))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
