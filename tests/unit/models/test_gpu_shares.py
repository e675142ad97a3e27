from typing import Any

import pytest

from tgrag.errors import ConfigurationError
from tgrag.models.gpu_shares import check_places, check_shares
from tgrag.settings import EngineSettings, load_settings


def engine(gpus: float, memory_share: float | None = None, **more: Any) -> EngineSettings:
    return EngineSettings(model="m", gpus=gpus, memory_share=memory_share, **more)


H100 = {"chat": engine(0.8, 0.78), "embed": engine(0.1, 0.08), "rerank": engine(0.1, 0.08)}


def test_the_profile_shares_one_gpu() -> None:
    settings = load_settings(profile="h100").models
    engines = {"chat": settings.chat, "embed": settings.embed, "rerank": settings.rerank}
    check_shares(engines)
    check_places(engines, [1])


def test_engines_without_a_gpu_are_left_alone() -> None:
    engines = {"chat": engine(0), "embed": engine(0), "rerank": engine(0)}
    check_shares(engines)
    check_places(engines, [])


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"chat": engine(0.8, 0.86)}, r"take 1\.02 .*1 × chat 0\.86, 1 × embed 0\.08"),
        ({"chat": engine(0.8, 0.82)}, r"take 0\.98 .*0\.94 is there beside their CUDA contexts"),
        ({"embed": engine(0.1, 0.3, replicas=4)}, r"take 1\.38 .*1 × chat 0\.78, 2 × embed 0\.3"),
        ({"embed": engine(0.1)}, r"models\.embed books a part of a GPU.*memory_share below 0\.1"),
        ({"chat": engine(2, 0.9)}, r"books 2 GPUs and uses one"),
        ({"chat": engine(0.8, 0.9, tensor_parallel=4)}, r"set models\.chat\.gpus to 4"),
    ],
)
def test_what_takes_too_much_is_refused_with_its_numbers(changed: Any, told: str) -> None:
    with pytest.raises(ConfigurationError, match=told):
        check_shares(H100 | changed)


def test_what_cannot_meet_on_one_gpu_does_not_count_together() -> None:
    check_shares({"chat": engine(0.6, 0.58, replicas=2), "embed": engine(0.4, 0.36, replicas=2)})
    check_shares({"chat": engine(1, 0.92), "embed": engine(0.5, 0.45)})


@pytest.mark.parametrize(
    ("engines", "nodes"),
    [
        (H100 | {"rerank": engine(0.15, 0.08)}, [1]),  # 1.05: the third would wait for ever
        (H100, []),
        ({"chat": engine(4, 0.9, tensor_parallel=4)}, [2, 2]),  # one copy stays on one node
        # Small fractions that come first fill one GPU and leave no place for the last 0.8.
        ({name: e.model_copy(update={"replicas": 4}) for name, e in H100.items()}, [4]),
        # Spread over the nodes they leave no GPU whole.
        ({"chat": engine(1, 0.9, replicas=3), "embed": engine(0.25, 0.2, replicas=2)}, [1, 1, 1, 1]),
    ],
)
def test_a_replica_that_may_wait_for_ever_is_told(engines: Any, nodes: list[int]) -> None:
    booked = sum(each.gpus * each.replicas for each in engines.values())
    advice = "add GPUs" if booked > sum(nodes) else "replicas_per_node"
    with pytest.raises(ConfigurationError, match=f"may find no place.*{advice}"):
        check_places(engines, nodes)


@pytest.mark.parametrize(
    ("engines", "nodes"),
    [
        (H100, [1]),
        (
            {
                "chat": engine(1, 0.9, replicas=3),
                "embed": engine(0.25, 0.2, replicas=2),
                "rerank": engine(0.25, 0.2, replicas=2),
            },
            [4],
        ),
        (
            {n: e.model_copy(update={"replicas": 4, "replicas_per_node": 1}) for n, e in H100.items()},
            [1, 1, 1, 1],
        ),
        ({"chat": engine(4, 0.9, tensor_parallel=4), "embed": engine(0.5, 0.4, replicas=4)}, [8]),
    ],
)
def test_layouts_that_hold_in_any_order(engines: Any, nodes: list[int]) -> None:
    check_shares(engines)
    check_places(engines, nodes)
