import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from ray.serve.schema import ServeDeploySchema

from tgrag.errors import ConfigurationError
from tgrag.serve.access import digest
from tgrag.serve.config import RagArguments, build, render
from tgrag.settings import load_settings

KEY = {"key": "a-long-and-random-key-of-a-test-0123", "collections": ["library"]}
REPOSITORY = Path(__file__).parents[3]


def test_the_file_in_the_repository_is_what_the_builder_writes() -> None:
    settings = load_settings(root="/srv/tgrag")
    assert (REPOSITORY / "serve_config.yaml").read_text(encoding="utf-8") == render(settings)


def test_it_is_valid_for_serve_and_follows_the_settings() -> None:
    settings = load_settings(
        root="s3://bucket/x", serve={"port": 8123, "retrievers": 3}, search={"entities": 7}
    )
    schema = ServeDeploySchema.model_validate(build(settings, revision="r"))
    models, rag = schema.applications
    assert (schema.http_options.host, schema.http_options.port) == ("127.0.0.1", 8123)
    assert (models.name, models.route_prefix, models.args["revision"]) == ("models", None, "r")
    assert (rag.name, rag.route_prefix, rag.args["root"]) == ("rag", "/", "s3://bucket/x")
    assert (rag.args["serve"]["retrievers"], rag.args["search"]["entities"]) == (3, 7)


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "::", "example.org"])
def test_beyond_loopback_it_wants_a_key(host: str) -> None:
    with pytest.raises(ConfigurationError, match=r"beyond loopback.*API key.*127\.0\.0\.1"):
        build(load_settings(serve={"host": host}))
    assert build(load_settings(serve={"host": host, "api_keys": [KEY]}))["http_options"]["host"] == host


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
def test_on_loopback_it_wants_none(host: str) -> None:
    assert build(load_settings(serve={"host": host}))["http_options"]["host"] == host


def test_keys_are_written_as_digests_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TGRAG_SERVE__API_KEYS", json.dumps([KEY]))
    settings = load_settings()
    (written,) = RagArguments.model_validate(build(settings)["applications"][1]["args"]).api_keys
    assert (written.digest, written.collections) == (digest(KEY["key"]), ("library",))
    assert KEY["key"] not in render(settings) + repr(settings) + settings.model_dump_json()


def test_keys_in_a_config_are_refused_and_not_shown() -> None:
    arguments = build(load_settings())["applications"][1]["args"]
    arguments["serve"]["api_keys"] = [KEY]
    with pytest.raises(ValidationError, match="digests of keys") as caught:
        RagArguments.model_validate(arguments)
    assert KEY["key"] not in str(caught.value)


@pytest.mark.parametrize(
    "fault", [{"key": "short"}, {"key": "spaced " * 8}, {"key": "к" * 40}, {"collections": []}, {"more": 1}]
)
def test_a_bad_key_is_refused_and_not_shown(fault: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    stated = KEY | fault
    monkeypatch.setenv("TGRAG_SERVE__API_KEYS", json.dumps([stated]))
    with pytest.raises(ConfigurationError, match=r"serve\.api_keys\.0") as caught:
        load_settings()
    assert stated["key"] not in str(caught.value)


def test_the_key_of_a_chat_model_is_never_written() -> None:
    chat = {"backend": "openai", "model": "m", "api_key": "sk-secret"}
    written = build(load_settings(chat=chat))["applications"][1]["args"]["chat"]
    assert written == {"backend": "openai", "model": "m"}
