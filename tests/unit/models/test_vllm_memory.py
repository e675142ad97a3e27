"""A model's files, and engines that are given little memory."""

import json
from pathlib import Path
from typing import Any

import pytest

from tgrag.errors import ConfigurationError
from tgrag.models.memory_estimate import GIB
from tgrag.models.vllm import memory
from tgrag.models.vllm.memory import MOST_SEQUENCES, read_memory, sequences_that_fit

CONFIG = {
    "model_type": "llama",
    "num_hidden_layers": 32,
    "hidden_size": 4096,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "intermediate_size": 14_336,
    "vocab_size": 128_256,
    "max_position_embeddings": 8192,
    "torch_dtype": "bfloat16",
}


@pytest.fixture
def model(tmp_path: Path) -> str:
    (tmp_path / "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    return str(tmp_path)


@pytest.fixture
def room(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    given = [0]
    monkeypatch.setattr(memory, "_room", lambda _: (given[0], "0.5 of a GPU"))
    return given


def read(**arguments: Any) -> memory.ModelMemory:
    found = read_memory(arguments)
    assert found is not None
    return found


def test_weights_are_told_by_the_index_else_by_the_files_else_by_the_shapes(model: str) -> None:
    assert read(model=model).weights == pytest.approx(16.06e9, rel=0.01)
    Path(model, "model-00001-of-00001.safetensors").write_bytes(b"0" * 1000)
    Path(model, "original.safetensors").write_bytes(b"0" * 1000)
    assert read(model=model).weights == 1000
    assert read(model=model, dtype="float32").weights == 2000
    index = {"metadata": {"total_size": 2000}, "weight_map": {}}
    Path(model, "model.safetensors.index.json").write_text(json.dumps(index), encoding="utf-8")
    assert read(model=model).weights == 2000


def test_as_many_sequences_as_the_cache_holds(model: str, room: list[int]) -> None:
    room[0] = 30 * GIB  # 27 without the workspace, 15 of weights; a sequence takes 1
    assert sequences_that_fit({"model": model}) == 12
    assert sequences_that_fit({"model": model, "max_model_len": 1024}) == 8 * 12
    assert sequences_that_fit({"model": model, "max_model_len": 64}) == MOST_SEQUENCES
    assert sequences_that_fit({"model": model, "kv_cache_memory_bytes": 2 * GIB}) == 2


def test_a_model_that_does_not_fit_is_refused(model: str, room: list[int]) -> None:
    room[0] = 12 * GIB
    with pytest.raises(
        ConfigurationError, match=r"does not fit.*14\.96 GiB of weights.*0\.5 of a GPU gives 12\.00"
    ):
        sequences_that_fit({"model": model})
    assert sequences_that_fit({"model": model, "tensor_parallel_size": 2}) == 6


@pytest.mark.parametrize("config", ["{", "[]", "{}", json.dumps({"model_type": "new"})])
def test_what_says_too_little_is_left_to_vllm(tmp_path: Path, config: str, room: list[int]) -> None:
    (tmp_path / "config.json").write_text(config, encoding="utf-8")
    assert sequences_that_fit({"model": str(tmp_path)}) is None


def test_a_model_that_is_nowhere_is_left_to_vllm(monkeypatch: pytest.MonkeyPatch, room: list[int]) -> None:
    pytest.importorskip("huggingface_hub", reason="comes with vLLM")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    assert sequences_that_fit({"model": "nobody/nothing-at-all"}) is None
    assert sequences_that_fit({"model": "/no/such folder"}) is None
