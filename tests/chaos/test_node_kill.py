"""SIGKILL of one of two nodes while both ask: the run ends as if nothing had happened."""

import json
import os
import subprocess
import sys

import pytest

from tests import two_nodes
from tests.index_runs import SLOTS, UNITS, Run

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not two_nodes.allowed(), reason="needs the right to make namespaces"),
]


def test_a_run_outlives_a_node(undisturbed: Run, tmp_path_factory: pytest.TempPathFactory) -> None:
    tmp_path = tmp_path_factory.mktemp("n")  # short: sockets of Ray lie below it
    environment = {k: v for k, v in os.environ.items() if k != "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"}
    done = subprocess.run(
        [*two_nodes.NAMESPACES, sys.executable, "-m", "tests.node_kill", str(tmp_path)],
        capture_output=True,
        text=True,
        env=environment,
        timeout=600,
    )
    logs = "".join(log.read_text(errors="replace")[-2000:] for log in tmp_path.glob("*.log"))
    assert done.returncode == 0, done.stderr[-4000:] + logs
    told = json.loads(done.stdout.splitlines()[-1])
    print(f"\nworkers that asked: {told['asking']}; {told['repeats']} calls made again")
    assert told["killed"] and min(told["asking"].values()) >= 1, "both nodes ask"
    assert told["summary"]["extraction"]["llm"] == UNITS and not told["summary"]["dead_letters"]
    assert told["repeats"] <= SLOTS
    assert told["tables"] == undisturbed.tables()
