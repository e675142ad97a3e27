"""Whether a model fits the memory that its engine is given: asked before vLLM reads a weight."""

import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tgrag.errors import ConfigurationError
from tgrag.models.memory_estimate import BATCHED_TOKENS, ModelMemory, model_memory, require_fit

MOST_SEQUENCES = 256  # at once, as vLLM has it on most GPUs: more gain nothing

logger = logging.getLogger(__name__)


def sequences_that_fit(arguments: Mapping[str, Any]) -> int | None:
    """Return how many sequences of full length an engine can hold at once, at most MOST_SEQUENCES.

    arguments: vLLM's engine arguments. None where the model's config is not to be had or says too little: then vLLM
    finds out. Raises ConfigurationError when the model does not fit.
    """
    memory = read_memory(arguments)
    if memory is None:
        return None
    room, where = _room(arguments)
    n_gpus = int(arguments.get("tensor_parallel_size") or 1)
    cache_room = arguments.get("kv_cache_memory_bytes")
    return min(MOST_SEQUENCES, require_fit(str(arguments["model"]), memory, room, where, n_gpus, cache_room))


def read_memory(arguments: Mapping[str, Any]) -> ModelMemory | None:
    """Return what a model takes by its files, from a folder or from the hub, of which only two small ones are read."""
    model, revision = str(arguments["model"]), arguments.get("revision")
    try:
        config = _read_json(model, revision, "config.json")
        return model_memory(
            config or {},
            file_bytes=_weight_bytes(model, revision),
            dtype=str(arguments.get("dtype") or "auto"),
            cache_dtype=str(arguments.get("kv_cache_dtype") or "auto"),
            max_model_len=arguments.get("max_model_len"),
            batched_tokens=int(arguments.get("max_num_batched_tokens") or BATCHED_TOKENS),
        )
    except (OSError, ValueError, ConfigurationError) as error:
        logger.warning("no estimate of the memory of %s: %s", model, error)
        return None


def _weight_bytes(model: str, revision: str | None) -> int | None:
    """Return the size of the weights as they are stored, None where it is not told."""
    index = _read_json(model, revision, "model.safetensors.index.json")
    if index:
        return int(index["metadata"]["total_size"])
    return sum(path.stat().st_size for path in Path(model).glob("model*.safetensors")) or None


def _read_json(model: str, revision: str | None, name: str) -> Any:
    """Return a file of a model, None when there is none. Raises OSError when the hub cannot be asked."""
    if Path(model).is_dir():
        path = Path(model, name)
        return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import EntryNotFoundError, LocalEntryNotFoundError

    try:
        return json.loads(Path(hf_hub_download(model, name, revision=revision)).read_text(encoding="utf-8"))
    except LocalEntryNotFoundError:
        raise
    except EntryNotFoundError:
        return None


def _room(arguments: Mapping[str, Any]) -> tuple[int, str]:
    """Return the bytes that an engine may take of each of its GPUs, or of this machine, and what to call them."""
    from vllm.engine.arg_utils import EngineArgs
    from vllm.platforms import current_platform

    if current_platform.is_cpu():
        import psutil

        return int(psutil.virtual_memory().available), "what is free on this machine"
    share = float(arguments.get("gpu_memory_utilization") or EngineArgs.gpu_memory_utilization)
    return int(share * current_platform.get_device_total_memory()), f"{share:g} of a GPU"
