"""What the doctor says of models and GPUs; which sets of them fit is tested with ``tgrag.models.gpu_shares``."""

from typing import Any

import pytest

from tgrag.doctor.engines import shares
from tgrag.doctor.gpus import Gpu
from tgrag.serve.config import served_engines
from tgrag.settings import load_settings

H100 = Gpu("NVIDIA H100 80GB HBM3", 81559, 81000)
IN_USE = Gpu("NVIDIA H100 80GB HBM3", 81559, 5000)


@pytest.mark.parametrize(
    ("models", "counted", "found", "status", "says"),
    [
        ({}, [1], [H100], "ok", "book 1 of 1 GPUs"),
        ({}, [1], [], "ok", "book 1 of 1 GPUs"),
        ({}, [0, 0], [], "failed", "may find no place"),
        ({"embed": {"gpus": 0.3}}, [1], [H100], "failed", "may find no place"),
        ({"chat": {"memory_share": 0.9}}, [1], [H100], "failed", "of its memory"),
        ({}, [1], [IN_USE], "warning", "75 GiB are in use on 1 of 1"),
    ],
)
def test_the_models_of_a_profile(
    models: dict[str, Any], counted: list[int], found: list[Gpu], status: str, says: str
) -> None:
    """counted: GPUs of each node."""
    engines = served_engines(load_settings(profile="h100", models=models))
    (told,) = shares(engines, counted, found)
    assert told.status == status and says in told.found


def test_engines_without_a_gpu_need_none() -> None:
    assert shares(served_engines(load_settings(profile="cpu")), [0], []) == []
    assert shares(served_engines(load_settings()), [], []) == []
