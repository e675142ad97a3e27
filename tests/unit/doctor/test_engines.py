"""Whether models fit on the GPUs that there are."""

from typing import Any

import pytest

from tgrag.doctor.engines import cards, served_engines, shares
from tgrag.doctor.gpus import Gpu
from tgrag.settings import EngineSettings, load_settings

H100 = Gpu("NVIDIA H100 80GB HBM3", 81559, 81000)


def engines(**changed: dict[str, Any]) -> dict[str, EngineSettings]:
    """The three of the h100 profile, with changes."""
    served = served_engines(load_settings(profile="h100"))
    return {name: engine.model_copy(update=changed.get(name, {})) for name, engine in served.items()}


def test_a_profile_says_what_is_served() -> None:
    assert not served_engines(load_settings())
    assert set(engines()) == {"chat", "embed", "rerank"}


def test_the_three_of_the_profile_fit_on_one_h100() -> None:
    (told,) = shares(engines(), cards("node", 1, [H100]))
    assert told.status == "ok"
    assert "chat and embed and rerank on a GPU of node: 1.00 of it, memory 0.94" in told.found


@pytest.mark.parametrize(
    ("changed", "counted", "status", "says"),
    [
        ({}, [0], "failed", "no GPU is left for chat, embed, rerank"),
        ({"embed": {"gpus": 0.15, "memory_share": 0.1}}, [1], "failed", "no GPU is left for rerank"),
        ({"embed": {"gpus": 0.15, "memory_share": 0.1}}, [2], "ok", "chat and embed"),
        ({"chat": {"replicas": 4}}, [4], "ok", "chat"),
        ({"chat": {"replicas": 5}}, [4], "failed", "no GPU is left for chat"),
        ({"chat": {"replicas": 5}}, [4, 1], "ok", "chat"),
        ({"chat": {"tensor_parallel": 4}}, [4], "failed", "no GPU is left for embed, rerank"),
        ({"chat": {"tensor_parallel": 4}}, [5], "ok", "chat on a GPU"),
        ({"chat": {"tensor_parallel": 4}}, [3, 2], "failed", "no GPU is left for chat"),
        ({"chat": {"gpus": 2, "memory_share": 0.9}}, [1, 1], "failed", "no GPU is left for chat"),
        ({"chat": {"memory_share": 0.85}}, [1], "failed", "memory_share 0.85 is more than gpus 0.8"),
        ({"embed": {"memory_share": None}}, [1], "failed", "gpus 0.1 without memory_share"),
        (
            {"chat": {"memory_share": 0.8}, "embed": {"memory_share": 0.1}},
            [1],
            "failed",
            "memory_share 0.98 together",
        ),
    ],
)
def test_gpus_are_counted_as_ray_and_vllm_do(
    changed: dict[str, Any], counted: list[int], status: str, says: str
) -> None:
    """counted: GPUs of each node."""
    there = [card for number, n in enumerate(counted) for card in cards(f"node {number}", n, [])]
    found = shares(engines(**changed), there)
    assert {finding.status for finding in found} == {status}, found
    assert says in " ".join(finding.found for finding in found)


def test_a_gpu_that_something_else_uses_is_a_warning() -> None:
    (told,) = shares(engines(), cards("node", 1, [Gpu("H100", 81559, 40_000)]))
    assert told.status == "warning" and "39 are free" in told.found


def test_engines_without_a_gpu_need_none() -> None:
    served = served_engines(load_settings(profile="cpu"))
    assert len(served) == 3
    assert shares(served, []) == []


def test_ray_may_give_away_fewer_gpus_than_there_are() -> None:
    assert len(cards("node", 1, [H100, H100])) == 1
    assert [card.gpu for card in cards("node", 2, [H100])] == [H100, None]
