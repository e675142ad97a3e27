"""The models' deployments on a Ray that believes it has GPUs: every replica finds a place, as the checks say."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tgrag.models.gpu_shares import check_places
from tgrag.serve.config import served_engines
from tgrag.settings import load_settings

REPOSITORY = Path(__file__).parents[2]
Places = dict[str, list[tuple[str, Any]]]


def places(nodes: list[int], **environment: str) -> Places:
    """Return the node and the GPU of each replica, by model."""
    inherited = {k: v for k, v in os.environ.items() if k != "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"}
    done = subprocess.run(
        [sys.executable, "-m", "tests.fake_gpus", *map(str, nodes)],
        capture_output=True,
        text=True,
        cwd=REPOSITORY,
        env=inherited | environment,
        timeout=900,
    )
    assert done.returncode == 0, done.stdout[-1000:] + done.stderr[-2000:]
    told = next(line for line in done.stdout.splitlines() if line.startswith("{"))
    return {name: [(node, gpu) for node, gpu in found] for name, found in json.loads(told).items()}


def numbers(found: Places) -> dict[str, int]:
    return {name: len(replicas) for name, replicas in found.items()}


def test_three_models_share_one_gpu() -> None:
    found = places([1], TGRAG_PROFILE="h100")
    assert numbers(found) == {"embed": 1, "chat": 1, "rerank": 1}
    assert {gpu for replicas in found.values() for _, gpu in replicas} == {"0"}


def variant(name: str, nodes: list[int]) -> Places:
    config = str(REPOSITORY / "deploy" / f"{name}.yaml")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TGRAG_CONFIG", config)
        engines = served_engines(load_settings())
    check_places(engines, nodes)
    found = places(nodes, TGRAG_CONFIG=config)
    assert numbers(found) == {model: engine.replicas for model, engine in engines.items()}
    return found


@pytest.mark.long
def test_four_gpus_hold_three_chat_models_and_the_copies_of_the_others() -> None:
    found = variant("h100x4", [4])
    chat = {gpu for _, gpu in found["chat"]}
    others = {gpu for name in ("embed", "rerank") for _, gpu in found[name]}
    assert len(chat) == 3 and len(others) == 1 and not chat & others


@pytest.mark.long
def test_eight_gpus_hold_a_chat_model_over_four_and_the_copies_of_the_others() -> None:
    found = variant("h100x8", [8])
    assert [gpus for _, gpus in found["chat"]] == [4.0]
    others = Counter(gpu for name in ("embed", "rerank") for _, gpu in found[name])
    assert set(others.values()) == {2} and len(others) == 4


@pytest.mark.long
def test_each_node_of_one_gpu_holds_every_model() -> None:
    found = variant("h100-nodes", [1, 1, 1, 1])
    for replicas in found.values():
        assert len({node for node, _ in replicas}) == 4
