"""A cluster of two nodes whose root only one of them sees: refused everywhere, and told by `tgrag doctor`."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import two_nodes
from tests.books import book, chapters

pytestmark = pytest.mark.skipif(not two_nodes.allowed(), reason="needs the right to make namespaces")


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("nodes")
    (folder / "book.txt").write_text(book(*chapters()[:1]), encoding="utf-8")
    roots = [folder / "blind", folder / "shared"]
    for root in roots:
        root.mkdir()
    environment = os.environ | {"RAY_AUTH_MODE": "disabled"}
    del environment["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"]  # which allows but one node
    done = subprocess.run(
        [*two_nodes.NAMESPACES, sys.executable, "-m", "tests.two_nodes", *map(str, roots)],
        capture_output=True,
        text=True,
        env=environment,
        timeout=600,
    )
    logs = "".join(log.read_text(errors="replace")[-2000:] for log in Path(folder).glob("*.log"))
    assert done.returncode == 0, done.stderr + logs
    return json.loads(done.stdout.splitlines()[-1])


def findings(said: Any) -> dict[str, Any]:
    return {f["check"]: f for f in json.loads(said["output"])["findings"]}


def test_the_doctor_names_the_node_that_does_not_see_the_root(told: Any) -> None:
    assert told["doctor_blind"]["status"] == 1
    found = findings(told["doctor_blind"])["root on all nodes"]
    assert found["status"] == "failed"
    assert found["found"].count("does not see it") == 1
    assert "s3://" in found["advice"]


def test_the_doctor_is_content_with_a_folder_that_both_see(told: Any) -> None:
    found = findings(told["doctor_shared"])
    assert told["doctor_shared"]["status"] == 0, found
    assert found["root on all nodes"]["status"] == "ok"
    assert found["ray token"]["status"] == "warning"
    assert sum(name.startswith("clock: 127.0.0.1") for name in found) == 2
    assert sum(name.startswith("node: ") for name in found) == 2
    assert [found[name]["found"] for name in found if name.startswith("gpu: ")] == ["no GPU"] * 2


@pytest.mark.parametrize("command", ["index_blind", "serve_blind"])
def test_nothing_is_made_where_a_node_does_not_see_the_root(told: Any, command: str) -> None:
    assert told[command]["status"] != 0
    assert "configuration_error" in told[command]["errors"]
    assert "does not see it" in told[command]["errors"]
    assert "Traceback" not in told[command]["errors"]


def test_the_cluster_indexes_into_a_folder_that_both_see(told: Any) -> None:
    assert told["index_shared"]["status"] == 0, told["index_shared"]["errors"]
    assert json.loads(told["index_shared"]["output"])["counts"]["documents"] == 1
