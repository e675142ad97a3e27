from pathlib import Path

import pytest
from ray.serve.schema import ServeDeploySchema

from tgrag.errors import ConfigurationError
from tgrag.serve.config import build, render
from tgrag.settings import load_settings

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


def test_it_refuses_to_listen_beyond_loopback() -> None:
    with pytest.raises(ConfigurationError, match=r"0\.0\.0\.0"):
        build(load_settings(serve={"host": "0.0.0.0"}))


def test_the_key_of_a_chat_model_is_never_written() -> None:
    chat = {"backend": "openai", "model": "m", "api_key": "sk-secret"}
    written = build(load_settings(chat=chat))["applications"][1]["args"]["chat"]
    assert written == {"backend": "openai", "model": "m"}
