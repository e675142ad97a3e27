from pathlib import Path

import pytest

from tgrag.errors import ConfigurationError
from tgrag.settings import load_settings


@pytest.mark.parametrize(
    "content",
    [
        b"- a list",
        b"a word",
        b"{1: 2}",
        b"\xff\xfe\x00",
        b"a: [",
        b"unknown: 1",
        b"chunk: 3",
        b"chunk: {limit: x}",
    ],
)
def test_a_bad_settings_file_is_named(
    content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tgrag.yaml").write_bytes(content)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigurationError, match="settings"):
        load_settings()


def test_an_empty_settings_file_states_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tgrag.yaml").write_text("# nothing yet\n")
    monkeypatch.chdir(tmp_path)
    assert load_settings().chunk.limit == 480


def test_a_variable_that_is_no_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TGRAG_CHUNK", "{bad")
    with pytest.raises(ConfigurationError, match="chunk"):
        load_settings()


@pytest.mark.parametrize("root", ["s3://", "s3://bucket/prefix/"])
def test_a_bucket_address_stays_one(root: str) -> None:
    assert load_settings(root=root).root.startswith("s3://")


def test_a_profile_sets_what_nothing_else_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert (load_settings().extract.method, load_settings().chat.backend) == ("fast", "none")
    chosen = load_settings(profile="openai", chat={"model": "m"})
    assert (chosen.extract.method, chosen.chat.backend, chosen.chat.model) == ("llm", "openai", "m")
    (tmp_path / "tgrag.yaml").write_text("profile: openai\nextract: {method: fast}\n")
    assert (load_settings().extract.method, load_settings().chat.backend) == ("fast", "openai")
    with pytest.raises(ConfigurationError, match="profile"):
        load_settings(profile="none")


def test_a_fault_of_yaml_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tgrag.yaml").write_text("chat: {model: [\n")
    with pytest.raises(ConfigurationError, match="not valid YAML") as caught:
        load_settings()
    assert "\n" not in str(caught.value)
