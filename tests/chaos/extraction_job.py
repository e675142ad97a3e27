"""Runs the extraction stage over synthetic units in a process that can be killed; prints what came of it as JSON.

python -m tests.chaos.extraction_job ROOT BASE_URL UNITS WORKERS
"""

import json
import sys
from dataclasses import asdict

from tests.extraction import Stage, units
from tests.mock_llm import Running
from tgrag.hashing import stable_hash
from tgrag.index.lease import Lease


def main(root: str, base_url: str, n_units: str, workers: str) -> None:
    mock = Running(base_url.removesuffix("/v1"))
    stage = Stage(root, mock, index={"workers": int(workers)}, chat={"max_in_flight": 8})
    lease = Lease(stage.root, "c", "a run", lease_seconds=30, wait_seconds=30)
    with lease:
        found, cost = stage.run(units(int(n_units)))
    extractions = [asdict(found.extractions[key]) for key in sorted(found.extractions)]
    answers = [asdict(answer) for answer in found.answers]
    print(
        json.dumps(
            {"tables": stable_hash(extractions, answers), "llm": found.counts.llm, "calls": cost.calls}
        ),
        flush=True,
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
