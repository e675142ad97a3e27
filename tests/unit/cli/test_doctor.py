"""`tgrag doctor` as it is typed: what it prints, and its exit code."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tgrag.cli import app


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TGRAG_SERVE__PORT", "65431")


def test_all_is_well(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["--root", str(tmp_path / "root"), "doctor", "--json"])
    told = json.loads(result.stdout)
    assert result.exit_code == 0, told
    assert {finding["check"] for finding in told["findings"]} >= {
        "python",
        "object store",
        "conditional writes",
        "prompts",
        "ray",
    }
    assert list(tmp_path.rglob("*")) == [tmp_path / "root"]


@pytest.mark.parametrize(
    ("arguments", "variables", "check"),
    [
        (["--root", "gs://bucket"], {}, "object store"),
        (["--root", "/proc/root-cannot-be-here"], {}, "object store"),
        ([], {"TGRAG_SERVE__HOST": "0.0.0.0"}, "api keys"),
        ([], {"TGRAG_RERANK__MODEL": "/no/such/model"}, "model: rerank.model"),
    ],
)
def test_what_fails_is_named_with_what_to_do(
    arguments: list[str], variables: dict[str, str], check: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    result = CliRunner().invoke(app, [*arguments, "doctor"])
    assert result.exit_code == 1, result.output
    assert any(line.startswith(f"failed   {check} ") for line in result.stdout.splitlines())
    told = CliRunner().invoke(app, [*arguments, "doctor", "--json"])
    assert told.exit_code == 1
    (finding,) = [f for f in json.loads(told.stdout)["findings"] if f["check"] == check]
    assert finding["status"] == "failed" and finding["advice"]
    assert finding["advice"] in result.stdout


def test_a_ray_that_is_not_there() -> None:
    """In a process of its own: this one may be connected to a Ray, which is never left for another."""
    done = subprocess.run(
        [sys.executable, "-m", "tgrag", "doctor", "--json"],
        env=os.environ | {"RAY_ADDRESS": "nonsense"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1, done.stderr
    (finding,) = [f for f in json.loads(done.stdout)["findings"] if f["check"] == "ray"]
    assert finding["status"] == "failed" and finding["advice"] and "nonsense" in finding["found"]


def test_bad_settings_are_an_error_in_the_one_form(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TGRAG_CHUNK__LIMIT", "x")
    result = CliRunner().invoke(app, ["doctor", "--json"])
    assert result.exit_code == 2
    assert json.loads(result.stderr)["error"]["code"] == "configuration_error"
