"""What the ingress wants before it starts, where Serve's proxies listen on a given host."""

import json
from types import SimpleNamespace

import pytest

from tests.roots import free_port
from tgrag.errors import ConfigurationError
from tgrag.serve import app
from tgrag.serve.access import KeyDigest, digest
from tgrag.serve.app import Ingress
from tgrag.serve.local import serve_until_interrupted
from tgrag.settings import load_settings

KEY = "a-random-key-of-this-environment-012"


def start(monkeypatch: pytest.MonkeyPatch, host: str, *digests: KeyDigest, token: bool = True) -> None:
    listening = SimpleNamespace(http_config=SimpleNamespace(host=host))
    monkeypatch.setattr(app, "_get_global_client", lambda: listening)
    monkeypatch.setattr(app, "is_token_auth_enabled", lambda: token)
    Ingress(None, 1.0, [known.model_dump(mode="json") for known in digests])  # type: ignore[arg-type]


def test_on_loopback_it_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    start(monkeypatch, "127.0.0.1", token=False)


def test_beyond_it_wants_a_key_and_ray_a_token(monkeypatch: pytest.MonkeyPatch) -> None:
    known = KeyDigest(digest=digest(KEY), collections=("library",))
    start(monkeypatch, "0.0.0.0", known)
    with pytest.raises(RuntimeError, match="API key"):
        start(monkeypatch, "0.0.0.0")
    with pytest.raises(RuntimeError, match="RAY_AUTH_MODE"):
        start(monkeypatch, "0.0.0.0", known, token=False)


def test_a_key_of_the_environment_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TGRAG_SERVE__API_KEYS", json.dumps([{"key": KEY, "collections": ["library"]}]))
    start(monkeypatch, "0.0.0.0")


def test_the_command_refuses_before_it_starts_anything() -> None:
    settings = load_settings(serve={"host": "0.0.0.0", "port": free_port()})
    said: list[str] = []
    with pytest.raises(ConfigurationError, match="API key"):
        serve_until_interrupted(settings, None, said.append)
    assert not said
