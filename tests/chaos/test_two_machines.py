"""An index run over two machines of which one dies: the end is the same, byte for byte."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import two_nodes
from tests.index_runs import SLOTS, UNITS
from tests.two_machines import FATES, HEAD, SECOND

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not two_nodes.allowed(), reason="needs the right to make namespaces"),
]
BOTH = [HEAD, SECOND]
WORKERS = ("ParseWorker", "ChunkWorker", "AskWorker", "EmbedWorker")


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("n")  # short: sockets of Ray lie below it
    environment = os.environ | {"RAY_AUTH_MODE": "disabled"}
    del environment["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"]  # which allows but one node
    done = subprocess.run(
        [*two_nodes.NAMESPACES, sys.executable, "-m", "tests.two_machines", str(folder)],
        capture_output=True,
        text=True,
        env=environment,
        timeout=1800,
    )
    logs = "".join(log.read_text(errors="replace")[-2000:] for log in Path(folder).glob("*.log"))
    assert done.returncode == 0, done.stderr + logs
    print(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def test_all_stages_work_on_both(told: Any) -> None:
    workers = {name: told["places"][f"MapWorker(MapBatches({name}))"] for name in WORKERS}
    assert workers == dict.fromkeys(WORKERS, BOTH)
    assert told["undisturbed"]["calls"]["peers"].keys() == set(BOTH)
    assert told["places"]["Shares"] == [HEAD], "what the run cannot do without is where its driver is"


@pytest.mark.parametrize("fate", FATES)
def test_the_run_comes_to_the_same_end_when_one_dies(told: Any, fate: str) -> None:
    run, undisturbed = told[fate], told["undisturbed"]
    assert run["struck"]["peers"].keys() == set(BOTH)
    assert run["struck"]["answered"] < UNITS
    summary, calls = run["summary"], run["calls"]
    assert summary["extraction"]["llm"] == UNITS and not summary["dead_letters"]
    assert 0 < calls["repeats"] == calls["requests"] - UNITS <= SLOTS, (
        "only what was in flight there is asked again"
    )
    assert run["tables"] == undisturbed["tables"]
    assert summary["version_id"] == undisturbed["summary"]["version_id"]
