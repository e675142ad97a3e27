import json
import logging

import pytest

from tgrag import logs
from tgrag.errors import ConfigurationError


@pytest.fixture(autouse=True)
def no_handlers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logging.getLogger("tgrag"), "handlers", [])


def test_json_lines_name_the_request_and_hold_the_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(logs.FORMAT_VARIABLE, "json")
    logs.set_up()
    logs.set_up()
    token = logs.request_id.set("r-1")
    try:
        raise ValueError("плохо")
    except ValueError:
        logging.getLogger("tgrag.x").exception("не %s", "вышло")
    logs.request_id.reset(token)
    logging.getLogger("tgrag.x").warning("позже")
    first, second = map(json.loads, capsys.readouterr().err.splitlines())
    assert (first["level"], first["logger"], first["message"]) == ("error", "tgrag.x", "не вышло")
    assert first["request_id"] == "r-1" and "ValueError: плохо" in first["traceback"]
    assert second.keys() == {"time", "level", "logger", "message"}


def test_an_unknown_form_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(logs.FORMAT_VARIABLE, "xml")
    with pytest.raises(ConfigurationError, match="text, json"):
        logs.set_up()
