"""Sizes of published models from what their config.json says, against their published sizes."""

import json
from typing import Any

import pytest

from tgrag.errors import ConfigurationError
from tgrag.models.memory_estimate import GIB, ModelMemory, model_memory, require_fit

H100 = 80 * 10**9


def decoder(
    layers: int, width: int, heads: int, cached: int, head: int, inner: int, vocab: int, **more: Any
) -> Any:
    return {
        "model_type": "decoder",
        "num_hidden_layers": layers,
        "hidden_size": width,
        "num_attention_heads": heads,
        "num_key_value_heads": cached,
        "head_dim": head,
        "intermediate_size": inner,
        "vocab_size": vocab,
        "max_position_embeddings": 262_144,
        "torch_dtype": "bfloat16",
    } | more


FP8 = {"quantization_config": {"quant_method": "fp8"}}
QWEN3_30B = decoder(48, 2048, 32, 4, 128, 6144, 151_936, num_experts=128, moe_intermediate_size=768)
QWEN3_235B = decoder(94, 4096, 64, 4, 128, 12_288, 151_936, num_experts=128, moe_intermediate_size=1536)
LLAMA_8B = decoder(32, 4096, 32, 8, 128, 14_336, 128_256)
GEMMA3_270M = decoder(18, 640, 4, 1, 256, 2048, 262_144, tie_word_embeddings=True)
BGE_M3 = {
    "model_type": "xlm-roberta",
    "num_hidden_layers": 24,
    "hidden_size": 1024,
    "num_attention_heads": 16,
    "intermediate_size": 4096,
    "vocab_size": 250_002,
    "max_position_embeddings": 8194,
    "type_vocab_size": 1,
    "torch_dtype": "float32",
}
MINILM = BGE_M3 | {
    "model_type": "bert",
    "num_hidden_layers": 6,
    "hidden_size": 384,
    "num_attention_heads": 12,
    "intermediate_size": 1536,
    "vocab_size": 30_522,
    "max_position_embeddings": 512,
    "type_vocab_size": 2,
}


@pytest.mark.parametrize(
    ("config", "billions"),
    [
        (QWEN3_30B, 30.53),
        (QWEN3_235B, 235.1),
        (LLAMA_8B, 8.03),
        (GEMMA3_270M, 0.268),
        (BGE_M3, 0.568),
        (MINILM, 0.0227),
    ],
)
def test_weights_are_as_many_as_published(config: Any, billions: float) -> None:
    assert model_memory(config, dtype="bfloat16").weights == pytest.approx(2e9 * billions, rel=0.01)


def test_the_cache_is_of_the_heads_that_are_cached() -> None:
    def per_token(config: Any, **more: Any) -> float:
        return model_memory(config, max_model_len=1024, **more).cache / 1024

    assert per_token(LLAMA_8B) == 2 * 32 * 8 * 128 * 2
    assert per_token(LLAMA_8B, cache_dtype="fp8") == 2 * 32 * 8 * 128
    assert per_token(QWEN3_30B) == 96 * 1024
    assert per_token(BGE_M3) == 0
    latent = LLAMA_8B | {"kv_lora_rank": 512, "qk_rope_head_dim": 64}
    assert per_token(latent) == 32 * (512 + 64) * 2


@pytest.mark.parametrize(
    ("said", "whole"),
    [
        ({"layer_types": (["sliding_attention"] * 5 + ["full_attention"]) * 3, "sliding_window": 512}, 3),
        ({"sliding_window": 512, "sliding_window_pattern": 6}, 3),
        ({"sliding_window": 512}, 0),
        ({"sliding_window": 512, "use_sliding_window": False}, 18),
        ({"sliding_window": None}, 18),
    ],
)
def test_sliding_layers_keep_their_window_and_a_batch(said: Any, whole: int) -> None:
    row = 2 * 1 * 256 * 2
    found = model_memory(GEMMA3_270M | said, max_model_len=4096, batched_tokens=1000).cache
    assert found == row * (whole * 4096 + (18 - whole) * (1512 if said["sliding_window"] else 4096))
    assert model_memory(GEMMA3_270M | said, max_model_len=256).cache == row * 18 * 256


def test_the_cache_is_as_vllm_says_of_it() -> None:
    """vLLM 0.32 on a CPU: 10,195 tokens in 256 MiB, 2.49 sequences of 4096, in float32."""
    kinds = {"layer_types": (["sliding_attention"] * 5 + ["full_attention"]) * 3, "sliding_window": 512}
    memory = model_memory(GEMMA3_270M | kinds, dtype="float32", max_model_len=4096)
    assert 256 * 2**20 / memory.cache == pytest.approx(2.49, rel=0.05)


def test_layers_without_a_cache_have_none() -> None:
    kinds = ["linear_attention", "linear_attention", "linear_attention", "full_attention"] * 8
    assert model_memory(LLAMA_8B | {"layer_types": kinds}).cache == model_memory(LLAMA_8B).cache / 4


def test_types_count() -> None:
    plain = model_memory(LLAMA_8B).weights
    assert model_memory(LLAMA_8B, dtype="float32").weights == 2 * plain
    assert model_memory(BGE_M3).weights == model_memory(BGE_M3, dtype="half").weights
    # Its published files hold 31.2 GB: the experts in 8 bits, what is looked up in 16.
    assert model_memory(QWEN3_30B | FP8).weights == pytest.approx(31.2e9, rel=0.02)


def test_the_size_of_the_files_goes_before_the_count() -> None:
    assert model_memory(LLAMA_8B, file_bytes=16 * GIB).weights == 16 * GIB
    assert model_memory(BGE_M3, file_bytes=4 * GIB).weights == 2 * GIB
    assert model_memory(BGE_M3, file_bytes=4 * GIB, dtype="float32").weights == 4 * GIB
    assert model_memory(QWEN3_30B | FP8, file_bytes=31 * GIB).weights == 31 * GIB


def test_sequences_are_what_is_left_beside_weights_and_workspace() -> None:
    memory = ModelMemory(weights=10 * GIB, cache=GIB, context=1024)
    assert memory.sequences(20 * GIB) == 8
    assert memory.sequences(9 * GIB, n_gpus=2) == 6
    assert memory.sequences(11 * GIB) == 0
    assert ModelMemory(GIB, 0, 512).sequences(3 * GIB) == 1
    assert ModelMemory(GIB, 0, 512).sequences(GIB) == 0


def test_a_cache_of_a_stated_size_holds_what_it_holds() -> None:
    memory = ModelMemory(weights=10 * GIB, cache=GIB, context=1024)
    assert memory.sequences(20 * GIB, cache_room=2 * GIB) == 2
    assert memory.sequences(20 * GIB, cache_room=GIB // 2) == 0
    assert memory.sequences(20 * GIB, cache_room=9 * GIB) == 0, "it is not there"
    with pytest.raises(ConfigurationError, match=r"of which the cache is given 9\.00"):
        require_fit("m", memory, 20 * GIB, "the machine", cache_room=9 * GIB)


def test_a_model_inside_another_config_and_without_head_dim() -> None:
    nested = {"model_type": "seeing", "text_config": LLAMA_8B}
    assert model_memory(nested) == model_memory(LLAMA_8B)
    without = {name: value for name, value in LLAMA_8B.items() if name != "head_dim"}
    assert model_memory(without) == model_memory(LLAMA_8B)


@pytest.mark.parametrize("config", [{}, {"hidden_size": None}, LLAMA_8B | {"num_attention_heads": "many"}])
def test_no_shapes_no_estimate(config: Any) -> None:
    with pytest.raises(ConfigurationError, match=r"config\.json"):
        model_memory(json.loads(json.dumps(config)))


def test_a_model_that_does_not_fit_is_told_with_its_numbers() -> None:
    memory = model_memory(LLAMA_8B, dtype="float32", max_model_len=16_384)
    with pytest.raises(
        ConfigurationError,
        match=r"29\.91 GiB of weights, 4\.00 GiB.*16384 tokens.*0\.25 of a GPU gives 20\.00",
    ):
        require_fit("llama", memory, 20 * GIB, "0.25 of a GPU")
    assert require_fit("llama", memory, 40 * GIB, "0.5 of a GPU") == 1


def test_the_models_of_the_profile_fit_their_shares() -> None:
    chat = model_memory(QWEN3_30B | FP8, max_model_len=16_384)
    assert require_fit("chat", chat, int(0.78 * H100), "") >= 8  # the source article's number
    assert require_fit("embed", model_memory(BGE_M3, max_model_len=2048), int(0.08 * H100), "") == 1
    larger = model_memory(QWEN3_235B | FP8, max_model_len=16_384)
    assert require_fit("chat", larger, int(0.9 * H100), "", n_gpus=4) >= 4
    assert not larger.sequences(int(0.9 * H100), n_gpus=2)
