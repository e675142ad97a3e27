import logging

import pytest
from typer.testing import CliRunner

from tgrag import logs
from tgrag.cli import app


def test_a_wrong_level_is_told_in_one_line() -> None:
    result = CliRunner().invoke(app, ["collections"], env={logs.VARIABLE: "loud"})
    assert result.exit_code == 2
    assert (
        result.stderr.strip()
        == "error[configuration_error]: TGRAG_LOG_LEVEL is 'loud'; there are " + ", ".join(logs.LEVELS)
    )


def test_the_log_is_shown_from_the_level_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    logger = logging.getLogger("tgrag")
    monkeypatch.setattr(logger, "handlers", [])
    calls = logging.getLogger("tgrag.calls.measure")
    for level, shown in (("debug", True), ("warning", False)):
        monkeypatch.setenv(logs.VARIABLE, level)
        logs.set_up()
        calls.debug("call of %s", level)
        assert (f"DEBUG tgrag.calls.measure: call of {level}" in capsys.readouterr().err) == shown
    assert len(logger.handlers) == 1
