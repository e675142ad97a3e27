"""Images and compose file: linters, what they pin, who they run as, what they need, what they open."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

REPOSITORY = Path(__file__).parents[3]
DOCKER = REPOSITORY / "docker"
DOCKERFILES = ("Dockerfile.cpu", "Dockerfile.gpu")
LINTED = (
    "cluster.yaml",
    "cluster-aws.yaml",
    "serve_config*.yaml",
    "deploy/*.yaml",
    "docker/compose.yaml",
    "docker/k8s/*.yaml",
)
BIN = Path(sys.executable).parent


def lint(*command: str | Path) -> None:
    done = subprocess.run(command, capture_output=True, text=True, cwd=REPOSITORY)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", DOCKERFILES)
def test_hadolint_is_content(name: str) -> None:
    lint(BIN / "hadolint", "--config", REPOSITORY / ".hadolint.yaml", DOCKER / name)


def test_yamllint_is_content() -> None:
    files = [path for pattern in LINTED for path in sorted(REPOSITORY.glob(pattern))]
    assert len(files) >= len(LINTED)
    lint(BIN / "yamllint", "--strict", "--config-file", REPOSITORY / ".yamllint.yaml", *files)


def instructions(name: str) -> list[tuple[str, str]]:
    text = (DOCKER / name).read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in lines)]


@pytest.mark.parametrize("name", DOCKERFILES)
def test_an_image_is_pinned_built_in_stages_healthy_and_not_root(name: str) -> None:
    found = instructions(name)
    bases = [rest for word, rest in found if word == "FROM"]
    assert len(bases) == 2 and all(re.fullmatch(r"\S+:\d+\.\d+\.\d+-\S+( AS build)?", base) for base in bases)
    words = [word for word, _ in found]
    assert "HEALTHCHECK" in words
    assert [rest for word, rest in found if word == "USER"] == ["1000:1000"]
    assert not [rest for word, rest in found[words.index("USER") :] if word in ("RUN", "COPY")]
    assert any("RAY_AUTH_MODE=token" in rest for word, rest in found if word == "ENV")


@pytest.mark.parametrize("name", DOCKERFILES)
def test_everything_that_is_copied_is_there_and_let_through(name: str) -> None:
    let_through = [
        line[1:] for line in (REPOSITORY / ".dockerignore").read_text().splitlines() if line.startswith("!")
    ]
    for word, rest in instructions(name):
        if word == "COPY" and not rest.startswith("--from"):
            for source in rest.split()[:-1]:
                assert (REPOSITORY / source).exists()
                assert source in let_through


def test_the_requirements_are_those_of_the_project() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]

    def told(extras: str) -> list[str]:
        command = [sys.executable, DOCKER / "requirements.py", extras]
        done = subprocess.run(command, capture_output=True, text=True, cwd=REPOSITORY, check=True)
        return done.stdout.splitlines()

    assert told("") == project["dependencies"]
    assert told("rerank,ocr") == [
        *project["dependencies"],
        *project["optional-dependencies"]["rerank"],
        *project["optional-dependencies"]["ocr"],
    ]


def compose() -> Any:
    return yaml.safe_load((DOCKER / "compose.yaml").read_text(encoding="utf-8"))


def test_compose_starts_nothing_without_its_secrets() -> None:
    text = (DOCKER / "compose.yaml").read_text(encoding="utf-8")
    example = (DOCKER / ".env.example").read_text(encoding="utf-8")
    for name in ("RAY_AUTH_TOKEN", "S3_USER", "S3_PASSWORD", "TGRAG_SERVE__API_KEYS"):
        assert f"\n{name}=" in example
        assert re.search(rf"\$\{{{name}:\?", text), f"{name} is not required"


def test_compose_pins_its_images_and_asks_for_health() -> None:
    services = compose()["services"]
    for name, service in services.items():
        image = service["image"]
        if not image.startswith("${TGRAG_IMAGE"):
            assert re.search(r":RELEASE\.\d{4}-", image), image
        assert "healthcheck" in service or name in ("bucket", "deploy")  # which do their work and end
    assert set(services) == {"s3", "bucket", "head", "worker", "deploy"}


def test_compose_opens_the_api_on_the_hosts_loopback_and_nothing_else() -> None:
    opened = {name: service.get("ports", []) for name, service in compose()["services"].items()}
    assert [port for ports in opened.values() for port in ports] == ["127.0.0.1:8000:8000"]


def test_only_what_deploys_has_the_api_keys() -> None:
    have = [
        name
        for name, service in compose()["services"].items()
        if "TGRAG_SERVE__API_KEYS" in service.get("environment", {})
    ]
    assert have == ["deploy"]


def test_the_example_environment_is_not_accepted_as_it_is() -> None:
    """Its empty token fails in compose, its empty key in tgrag."""
    lines = (DOCKER / ".env.example").read_text(encoding="utf-8").splitlines()
    assert "RAY_AUTH_TOKEN=" in lines and "S3_PASSWORD=" in lines
    (keys,) = [line for line in lines if line.startswith("TGRAG_SERVE__API_KEYS=")]
    assert yaml.safe_load(keys.partition("=")[2].strip("'"))[0]["key"] == ""
