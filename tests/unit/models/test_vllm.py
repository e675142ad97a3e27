"""What of the vLLM deployments needs no vLLM: windows, arguments, options."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tgrag.models.vllm.engine import builtin_errors, engine_arguments
from tgrag.models.vllm.windows import averaged, windows
from tgrag.serve.models import deployment_options
from tgrag.settings import EngineSettings


@given(st.lists(st.integers(0, 9), max_size=200), st.integers(1, 30))
def test_windows_give_the_tokens_back_and_are_even(tokens, size):
    runs = windows(tokens, size)
    assert [token for run in runs for token in run] == tokens
    lengths = [len(run) for run in runs]
    assert max(lengths) <= size and max(lengths) - min(lengths) <= 1
    assert len(runs) == max(1, -(-len(tokens) // size))


def test_windows_count_by_their_tokens():
    mean = averaged(np.array([[1.0, 0.0], [0.0, 1.0]]), [3, 1])
    assert mean == pytest.approx(np.array([3, 1]) / np.sqrt(10))
    assert averaged(np.array([[0.6, 0.8]]), [0]) == pytest.approx([0.6, 0.8])


def test_engine_arguments_are_vllms_and_what_is_stated_goes_first():
    settings = EngineSettings(
        model="m", memory_share=0.5, max_sequences=8, engine={"max_num_seqs": 4, "dtype": "float32"}
    )
    assert engine_arguments(settings) == {
        "model": "m",
        "gpu_memory_utilization": 0.5,
        "max_num_seqs": 4,
        "tensor_parallel_size": 1,
        "dtype": "float32",
    }


def test_a_fraction_is_booked_and_an_engine_over_several_gpus_has_a_bundle_each():
    part = deployment_options(EngineSettings(model="m", gpus=0.1, environment={"A": "1"}))
    assert part["ray_actor_options"]["num_gpus"] == 0.1
    assert part["ray_actor_options"]["runtime_env"] == {"env_vars": {"A": "1"}}
    whole = deployment_options(EngineSettings(model="m", gpus=1, tensor_parallel=4))
    assert [bundle["GPU"] for bundle in whole["placement_group_bundles"]] == [1.0] * 4
    assert "num_gpus" not in whole["ray_actor_options"]
    assert (
        engine_arguments(EngineSettings(model="m", tensor_parallel=4))["distributed_executor_backend"]
        == "ray"
    )


class ForeignError(Exception):
    pass


@pytest.mark.parametrize(
    ("raised", "told"), [(ForeignError("x"), RuntimeError), (ValueError("x"), ValueError)]
)
def test_what_crosses_processes_is_builtin(raised, told):
    with pytest.raises(told) as caught, builtin_errors():
        raise raised
    assert type(caught.value) is told
