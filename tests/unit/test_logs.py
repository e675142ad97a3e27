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


@pytest.mark.parametrize("form", logs.FORMATS)
def test_lines_name_the_collection_and_version_that_they_are_about(
    form: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(logs.FORMAT_VARIABLE, form)
    logs.set_up()
    with logs.about("книги", "v1"), logs.about("shelf", "v2"):
        logging.getLogger("tgrag.x").warning("вот")
    logging.getLogger("tgrag.x").warning("позже")
    first, second = capsys.readouterr().err.splitlines()
    if form == "json":
        assert (json.loads(first)["collection"], json.loads(first)["version"]) == ("shelf", "v2")
    else:
        assert first.endswith("WARNING tgrag.x: вот [collection=shelf version=v2]")
        assert second.endswith("WARNING tgrag.x: позже")


def test_an_unknown_form_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(logs.FORMAT_VARIABLE, "xml")
    with pytest.raises(ConfigurationError, match="text, json"):
        logs.set_up()
