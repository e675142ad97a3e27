import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from ray.serve.schema import ServeDeploySchema

from tgrag.errors import ConfigurationError
from tgrag.models.gpu_shares import check_places
from tgrag.serve.access import digest
from tgrag.serve.config import RagArguments, build, render, served_engines
from tgrag.settings import load_settings

KEY = {"key": "a-long-and-random-key-of-a-test-0123", "collections": ["library"]}
REPOSITORY = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("name", "profile", "root"),
    [("serve_config", "lite", "/srv/tgrag"), ("serve_config.h100", "h100", "s3://bucket/indexes")],
)
def test_the_files_in_the_repository_are_what_the_builder_writes(name: str, profile: str, root: str) -> None:
    settings = load_settings(root=root, profile=profile)
    assert (REPOSITORY / f"{name}.yaml").read_text(encoding="utf-8") == render(settings)


def test_each_served_model_is_an_application_of_its_own() -> None:
    schema = ServeDeploySchema.model_validate(build(load_settings(profile="h100")))
    assert [application.name for application in schema.applications] == ["embed", "chat", "rerank", "rag"]
    assert schema.applications[3].args["chat"]["model"] == "Qwen/Qwen3-30B-A3B-Instruct-2507-FP8"
    booked = sum(application.args["engine"]["gpus"] for application in schema.applications[:3])
    assert booked <= 1


@pytest.mark.parametrize(
    ("name", "nodes"),
    [("h100x4", [4]), ("h100x8", [8]), ("h100-nodes", [1, 1, 1, 1]), ("h100-russian", [1])],
)
def test_the_variants_are_valid_and_their_models_find_a_place(
    name: str, nodes: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TGRAG_CONFIG", str(REPOSITORY / "deploy" / f"{name}.yaml"))
    settings = load_settings(root="s3://bucket/indexes")
    schema = ServeDeploySchema.model_validate(build(settings))
    check_places(served_engines(settings), nodes)
    assert [application.name for application in schema.applications] == ["embed", "chat", "rerank", "rag"]
    assert settings.chat.model == settings.models.chat.model
    assert settings.models.chat.max_model_len == 16_384  # of the profile


def test_models_that_take_too_much_of_a_gpu_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TGRAG_MODELS__CHAT__MEMORY_SHARE", "0.9")
    with pytest.raises(ConfigurationError, match=r"models on one GPU take 1\.06 of its memory"):
        build(load_settings(profile="h100"))


def test_a_model_that_is_to_be_served_needs_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigurationError, match="TGRAG_MODELS__EMBED__MODEL"):
        build(load_settings(profile="cpu"))
    for name in ("EMBED", "CHAT", "RERANK"):
        monkeypatch.setenv(f"TGRAG_MODELS__{name}__MODEL", f"/models/{name}")
    engines = [a["args"]["engine"] for a in build(load_settings(profile="cpu"))["applications"][:3]]
    assert [engine["model"] for engine in engines] == ["/models/EMBED", "/models/CHAT", "/models/RERANK"]
    assert all(engine["engine"]["enforce_eager"] for engine in engines)
    assert load_settings(profile="cpu").chat.model == "/models/CHAT"


def test_a_profile_is_overridden_value_by_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TGRAG_MODELS__CHAT__MAX_SEQUENCES", "8")
    engine = load_settings(profile="h100").models.chat
    assert (engine.max_sequences, engine.gpus, engine.max_model_len) == (8, 0.8, 16_384)
    assert load_settings(profile="h100", chat={"model": "called otherwise"}).chat.model == "called otherwise"


def test_it_is_valid_for_serve_and_follows_the_settings() -> None:
    settings = load_settings(
        root="s3://bucket/x", serve={"port": 8123, "retrievers": 3}, search={"entities": 7}
    )
    schema = ServeDeploySchema.model_validate(build(settings, revision="r"))
    models, rag = schema.applications
    assert (schema.http_options.host, schema.http_options.port) == ("127.0.0.1", 8123)
    assert (models.name, models.route_prefix, models.args["revision"]) == ("embed", None, "r")
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


def test_the_command_says_what_is_wrong_without_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TGRAG_SERVE__HOST", "0.0.0.0")
    done = subprocess.run([sys.executable, "-m", "tgrag.serve.config"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error[configuration_error]: serve.host 0.0.0.0")


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
