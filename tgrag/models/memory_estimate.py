"""How much memory a model takes, told from its config.json before any weight is read.

Weights: the size of the files where it is known, else counted from the shapes of the layers, to a few per cent. The cache
of keys and values: of the heads that are cached, over the whole context or a layer's sliding window.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any

from tgrag.errors import ConfigurationError

GIB = 2**30
WORKSPACE_SHARE = 0.1  # of an engine's memory, for activations and CUDA graphs
MIN_WORKSPACE = GIB
BATCHED_TOKENS = 2048  # vLLM's least default of what one step reads

_BYTES = {"float32": 4.0, "float": 4.0, "float16": 2.0, "half": 2.0, "bfloat16": 2.0}
_CACHE_BYTES = _BYTES | {"fp8": 1.0, "fp8_e4m3": 1.0, "fp8_e5m2": 1.0, "fp8_inc": 1.0}
_HALF = 2.0  # what vLLM computes in where nothing else is said, and loads float32 as
# Of a weight of a linear layer; scales of the blocks are counted in.
_QUANTIZED_BYTES = {
    "fp8": 1.0,
    "compressed-tensors": 1.0,
    "awq": 0.56,
    "gptq": 0.56,
    "bitsandbytes": 0.56,
    "mxfp4": 0.54,
}
_EXPERTS = ("num_experts", "num_local_experts", "n_routed_experts")
_ENCODERS = frozenset({"bert", "roberta", "xlm-roberta", "camembert", "distilbert", "mpnet", "electra"})


@dataclass(frozen=True, slots=True)
class ModelMemory:
    """Bytes of a whole copy: weights, and the cache of one sequence as long as the context (0 for an encoder)."""

    weights: int
    cache: int
    context: int

    def sequences(self, room: int, n_gpus: int = 1, cache_room: int | None = None) -> int:
        """Return how many sequences as long as the context fit beside the weights, 0 when not even one does.

        room: memory of the engine on each of its GPUs, which share weights and cache evenly. cache_room: what of it the
        cache is given; all that weights and workspace leave without it. An encoder holds nothing of a sequence: 1 is
        that it fits.
        """
        left = n_gpus * (room - max(MIN_WORKSPACE, int(WORKSPACE_SHARE * room))) - self.weights
        if cache_room is not None:
            left = n_gpus * cache_room if left >= n_gpus * cache_room else -1
        return max(0, left // self.cache) if self.cache else int(left >= 0)


def model_memory(
    config: Mapping[str, Any],
    *,
    file_bytes: int | None = None,
    dtype: str = "auto",
    cache_dtype: str = "auto",
    max_model_len: int | None = None,
    batched_tokens: int = BATCHED_TOKENS,
) -> ModelMemory:
    """Return what a model takes.

    config: its config.json. file_bytes: of its weights as they are stored, when known. The others are vLLM's engine
    arguments dtype, kv_cache_dtype, max_model_len and max_num_batched_tokens. Raises ConfigurationError on a config that
    names no shapes.
    """
    model = {**config, **config.get("text_config", {})}  # of a model that also sees
    try:
        counted = _weight_bytes(model, dtype)
        context = max_model_len or int(model["max_position_embeddings"])
        cache = 0 if _is_encoder(model) else _cache_bytes(model, dtype, cache_dtype, context, batched_tokens)
    except (KeyError, TypeError, ValueError) as error:
        raise ConfigurationError(f"config.json says nothing of {error}; no estimate of the memory") from None
    return ModelMemory(counted if file_bytes is None else _loaded(model, file_bytes, dtype), cache, context)


def require_fit(
    name: str, memory: ModelMemory, room: int, where: str, n_gpus: int = 1, cache_room: int | None = None
) -> int:
    """Return how many sequences fit. Raises ConfigurationError, with the numbers, when none does.

    name: of the model. where: whose memory the room is. The others: see ``ModelMemory.sequences``.
    """
    fitting = memory.sequences(room, n_gpus, cache_room)
    if fitting:
        return fitting
    given = "" if cache_room is None else f", of which the cache is given {n_gpus * cache_room / GIB:.2f}"
    raise ConfigurationError(
        f"{name} does not fit: by its config it takes {memory.weights / GIB:.2f} GiB of weights, "
        f"{memory.cache / GIB:.2f} GiB for one sequence of {memory.context} tokens and a workspace; {where} gives "
        f"{n_gpus * room / GIB:.2f} GiB{given}. Give it more memory, a smaller max_model_len, or take a smaller or "
        "quantized model"
    )


def _is_encoder(model: Mapping[str, Any]) -> bool:
    return model.get("model_type") in _ENCODERS


def _weight_bytes(model: Mapping[str, Any], dtype: str) -> int:
    looked_up, multiplied = _parameters(model)
    own = _computed_bytes(model, dtype)
    return ceil(looked_up * own + multiplied * _linear_bytes(model, own))


def _parameters(model: Mapping[str, Any]) -> tuple[int, int]:
    """Return the numbers of parameters of the embeddings and of the layers. Biases and norms are left out."""
    width, layers = int(model["hidden_size"]), int(model["num_hidden_layers"])
    heads = int(model["num_attention_heads"])
    head = int(model.get("head_dim") or width // heads)
    cached = int(model.get("num_key_value_heads") or heads)
    attention = width * head * (2 * heads + 2 * cached)
    if _is_encoder(model):
        positions = int(model["max_position_embeddings"]) + int(model.get("type_vocab_size") or 0)
        rows = int(model["vocab_size"]) + positions
        return rows * width, layers * (attention + 2 * width * int(model["intermediate_size"]))
    tables = 1 if model.get("tie_word_embeddings") else 2
    return tables * int(model["vocab_size"]) * width, layers * (attention + _feed_forward(model, width))


def _feed_forward(model: Mapping[str, Any], width: int) -> int:
    """Return the parameters of a gated feed-forward layer: of all experts and their router where there are some."""
    experts = int(next((model[name] for name in _EXPERTS if model.get(name)), 0))
    if not experts:
        return 3 * width * int(model["intermediate_size"])
    each = int(model.get("moe_intermediate_size") or model["intermediate_size"])
    shared = int(model.get("shared_expert_intermediate_size") or 0)
    return width * (3 * (experts * each + shared) + experts)


def _cache_bytes(
    model: Mapping[str, Any], dtype: str, cache_dtype: str, context: int, batched_tokens: int
) -> int:
    """Return the bytes of keys and values of one sequence, of which sliding layers keep their window and a batch."""
    size = _CACHE_BYTES.get(cache_dtype, _computed_bytes(model, dtype))
    if latent := model.get(
        "kv_lora_rank"
    ):  # multi-head latent attention: one row for keys and values of all heads
        row = int(latent) + int(model["qk_rope_head_dim"])
    else:
        heads = int(model["num_attention_heads"])
        head = int(model.get("head_dim") or int(model["hidden_size"]) // heads)
        row = 2 * int(model.get("num_key_value_heads") or heads) * head
    whole, sliding = _layers(model)
    window = min(context, int(model.get("sliding_window") or context) + batched_tokens)
    return ceil(row * size * (whole * context + sliding * window))


def _layers(model: Mapping[str, Any]) -> tuple[int, int]:
    """Return the numbers of layers that attend to the whole context and of those with a sliding window."""
    kinds = model.get("layer_types")
    if kinds:  # there are also kinds without a cache
        return kinds.count("full_attention"), kinds.count("sliding_attention")
    layers = int(model["num_hidden_layers"])
    if not model.get("sliding_window") or model.get("use_sliding_window") is False:
        return layers, 0
    whole = layers // int(model.get("sliding_window_pattern") or layers + 1)
    return whole, layers - whole


def _loaded(model: Mapping[str, Any], file_bytes: int, dtype: str) -> int:
    """Return the size of stored weights once they are loaded in the type that is computed in."""
    if model.get("quantization_config"):
        return file_bytes
    return ceil(file_bytes * _computed_bytes(model, dtype) / _BYTES.get(_stored(model), _HALF))


def _linear_bytes(model: Mapping[str, Any], own: float) -> float:
    method = (model.get("quantization_config") or {}).get("quant_method")
    return _QUANTIZED_BYTES.get(str(method), own)


def _computed_bytes(model: Mapping[str, Any], dtype: str) -> float:
    """Return the size of a number in the type that a model is computed in; "auto" takes float32 as half precision."""
    return _BYTES.get(dtype) or min(_HALF, _BYTES.get(_stored(model), _HALF))


def _stored(model: Mapping[str, Any]) -> str:
    return str(model.get("dtype") or model.get("torch_dtype") or "")
