"""scripts/node: what it refuses, and what it starts, with a `ray` that says how it was called."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.roots import free_port

SCRIPT = Path(__file__).parents[3] / "scripts" / "node"


@pytest.fixture
def node(tmp_path: Path) -> Path:
    """A copy of the script where there is no environment but one `ray` on the path."""
    (tmp_path / "scripts").mkdir()
    (tmp_path / "bin").mkdir()
    script = tmp_path / "scripts" / "node"
    script.write_bytes(SCRIPT.read_bytes())
    ray = tmp_path / "bin" / "ray"
    ray.write_text('#!/bin/sh\necho "$RAY_AUTH_MODE $RAY_USAGE_STATS_ENABLED $*"\n')
    for file in (script, ray):
        file.chmod(0o755)
    return script


def run(node: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    home = node.parents[1]
    environment = {"PATH": f"{home}/bin:{os.environ['PATH']}", "HOME": str(home)} | variables
    return subprocess.run([node, *arguments], capture_output=True, text=True, env=environment)


@pytest.mark.parametrize("role", [("head",), ("worker", "head:6379")])
def test_without_a_token_it_does_not_start(node: Path, role: tuple[str, ...]) -> None:
    for variables in ({}, {"RAY_AUTH_TOKEN": ""}, {"RAY_AUTH_TOKEN_PATH": "/no/such/file"}):
        done = run(node, *role, **variables)
        assert done.returncode == 1 and "there is no token" in done.stderr and not done.stdout


def test_nor_with_authentication_switched_off(node: Path) -> None:
    done = run(node, "head", RAY_AUTH_MODE="disabled", RAY_AUTH_TOKEN="t")
    assert done.returncode == 1 and "RAY_AUTH_MODE is disabled" in done.stderr and not done.stdout


def test_a_token_in_the_usual_place_will_do(node: Path) -> None:
    (node.parents[1] / ".ray").mkdir()
    (node.parents[1] / ".ray" / "auth_token").write_text("t")
    assert run(node, "head").returncode == 0


def test_the_head_keeps_its_dashboard_on_loopback(node: Path) -> None:
    told = run(node, "head", "--port=6379", "--block", RAY_AUTH_TOKEN="t").stdout.split()
    assert told[:4] == ["token", "0", "start", "--head"]
    assert told[-2:] == ["--port=6379", "--block"]
    assert "--dashboard-host=127.0.0.1" in told


def test_a_machine_that_allows_few_open_files_is_no_obstacle(node: Path) -> None:
    command = f"ulimit -n 512 && exec {node} head"
    home = node.parents[1]
    environment = {"PATH": f"{home}/bin:{os.environ['PATH']}", "HOME": str(home), "RAY_AUTH_TOKEN": "t"}
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("token 0 start --head")


def test_a_worker_joins_its_head(node: Path) -> None:
    assert run(node, "worker", "head:6379", "--block", RAY_AUTH_TOKEN="t").stdout == (
        "token 0 start --address=head:6379 --block\n"
    )


def test_a_node_that_does_not_answer_is_not_healthy(node: Path) -> None:
    assert run(node, "health", str(free_port())).returncode == 1


@pytest.mark.parametrize("arguments", [(), ("tail",), ("worker",), ("worker", "--block")])
def test_it_says_how_it_is_used(node: Path, arguments: tuple[str, ...]) -> None:
    done = run(node, *arguments, RAY_AUTH_TOKEN="t")
    assert done.returncode == 1 and "usage" in done.stderr


def test_without_a_ray_it_says_so(node: Path) -> None:
    (node.parents[1] / "bin" / "ray").unlink()
    done = run(node, "head", RAY_AUTH_TOKEN="t", PATH="/usr/bin:/bin")
    assert done.returncode != 0 and "install tgrag" in done.stderr
