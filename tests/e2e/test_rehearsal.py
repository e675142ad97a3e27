"""What compose would start, started without it: two nodes with a token, an S3 server, the API beyond loopback."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests import rehearsal, two_nodes
from tests.books import book, chapters

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not two_nodes.allowed(), reason="needs the right to make namespaces"),
]


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("rehearsal")
    (folder / "book.txt").write_text(book(*chapters()[:2]), encoding="utf-8")
    left_out = ("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "RAY_AUTH_MODE")
    environment = {name: value for name, value in os.environ.items() if name not in left_out}
    done = subprocess.run(
        [*two_nodes.NAMESPACES, sys.executable, "-m", "tests.rehearsal", str(folder / "book.txt")],
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment | {"PYTHONPATH": str(Path(__file__).parents[2])},
        timeout=1200,
    )
    logs = "".join(log.read_text(errors="replace")[-2000:] for log in folder.glob("*.log"))
    assert done.returncode == 0, done.stderr + logs
    return json.loads(done.stdout.splitlines()[-1])


def test_a_service_is_healthy_when_its_node_answers_and_not_before(seen: Any) -> None:
    assert not seen["healthy_before"]


def test_the_doctor_is_content_with_the_cluster(seen: Any) -> None:
    assert seen["doctor"]["status"] == 0, seen["doctor"]
    found = json.loads(seen["doctor"]["output"])["findings"]
    assert sum(finding["check"].startswith("node: ") for finding in found) == 2
    assert {"ray token", "conditional writes"} <= {f["check"] for f in found if f["status"] == "ok"}


def test_without_a_key_nothing_is_deployed(seen: Any) -> None:
    assert seen["without_key"]["status"] != 0
    assert "error[configuration_error]: serve.host 0.0.0.0" in seen["without_key"]["errors"]


def test_what_is_deployed_holds_digests_of_keys_only(seen: Any) -> None:
    assert seen["deploy"]["status"] == 0, seen["deploy"]
    config = yaml.safe_load(seen["config"])
    assert config["http_options"]["host"] == "0.0.0.0"
    assert len(config["applications"][-1]["args"]["api_keys"]) == 1
    assert rehearsal.KEY not in seen["config"]


def test_a_submitted_job_indexes_into_the_bucket(seen: Any) -> None:
    assert seen["index"]["status"] == 0, seen["index"]
    assert "published version" in seen["index"]["output"]


def test_the_api_answers_beyond_loopback_to_whoever_has_the_key(seen: Any) -> None:
    with_key, on_loopback, without, wrong = seen["answers"]
    assert with_key[0] == on_loopback[0] == 200
    citations = with_key[1]["citations"]
    assert citations and all(citation["verified"] for citation in citations), with_key[1]
    for status, told in (without, wrong):
        assert (status, told["error"]["code"]) == (401, "unauthorized")


def test_rays_jobs_are_closed_to_a_stranger(seen: Any) -> None:
    assert seen["stranger"]["status"] != 0
    assert "AuthenticationError" in seen["stranger"]["errors"]
