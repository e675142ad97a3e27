import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tgrag.cli import app

COMMANDS = ("index", "query", "serve", "collections", "versions", "rollback", "delete", "gc", "inspect")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


@pytest.mark.parametrize(
    "command", [(name,) for name in COMMANDS] + [("dead-letters", n) for n in ("list", "show", "retry")]
)
def test_every_command_explains_itself_with_an_example(command: tuple[str, ...]) -> None:
    result = run(*command, "--help")
    assert result.exit_code == 0
    assert "Example: tgrag " in result.stdout
    assert "--root" in result.stdout


def test_help_imports_nothing_heavy() -> None:
    code = "import sys, tgrag.cli; print(*sorted({'ray', 'faiss', 'numpy', 'pyarrow', 'httpx'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


@pytest.mark.parametrize("before", [True, False])
def test_the_root_may_stand_before_or_after_the_command(tmp_path: Path, before: bool) -> None:
    (tmp_path / "shelf" / "CURRENT").mkdir(parents=True)
    place = ("--root", str(tmp_path))
    result = run(*place, "collections", "--json") if before else run("collections", *place, "--json")
    assert json.loads(result.stdout) == {"collections": [{"name": "shelf", "current": None}]}


def test_flags_beat_the_environment_which_beats_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("flag", "variable", "file"):
        (tmp_path / name / name / "CURRENT").mkdir(parents=True)
    file = tmp_path / "settings.yaml"
    file.write_text(f"root: {tmp_path / 'file'}\n", encoding="utf-8")
    monkeypatch.setenv("TGRAG_CONFIG", "")

    def shown(*arguments: str) -> str:
        name: str = json.loads(run("--config", str(file), "collections", "--json", *arguments).stdout)[
            "collections"
        ][0]["name"]
        return name

    assert shown() == "file"
    monkeypatch.setenv("TGRAG_ROOT", str(tmp_path / "variable"))
    assert shown() == "variable"
    assert shown("--root", str(tmp_path / "flag")) == "flag"


def test_an_expected_error_is_one_line_and_no_traceback(tmp_path: Path) -> None:
    result = run("versions", "--collection", "nowhere", "--root", str(tmp_path))
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.startswith("error[unknown_collection]: ")
    assert result.stderr.count("\n") == 1


def test_with_json_the_error_is_json_on_standard_error(tmp_path: Path) -> None:
    result = run("inspect", "--json", "--root", str(tmp_path))
    assert (result.exit_code, result.stdout) == (1, "")
    assert json.loads(result.stderr)["error"]["code"] == "unknown_collection"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("query", "?", "--as-of", "date=soon"), "invalid_request"),
        (("collections", "--profile", "huge"), "configuration_error"),
        (("collections", "--config", "nowhere.yaml"), "configuration_error"),
        (("serve", "--port", "70000"), "configuration_error"),
    ],
)
def test_a_wrong_request_exits_with_2(
    arguments: tuple[str, ...], code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TGRAG_CONFIG", "")
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert f"error[{code}]" in result.stderr


def test_a_server_that_is_not_there_is_told() -> None:
    result = run("query", "?", "--url", "http://127.0.0.1:9")
    assert result.exit_code == 1
    assert "error[not_ready]" in result.stderr
