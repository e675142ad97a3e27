"""Sets of defaults: what a profile sets, where no flag, variable or file says otherwise (design, section 10)."""

from typing import Any, Literal

Profile = Literal["lite", "openai", "cpu", "h100"]

# vLLM on few cores: one thread an engine, no core of its own, nothing asked of a hub.
_CPU_ENVIRONMENT = {
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "OMP_NUM_THREADS": "1",
    "HF_HUB_OFFLINE": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "DO_NOT_TRACK": "1",
}
# Without an explicit size each engine would take nearly all of the memory. On AVX2, float32 is faster than bfloat16.
_CPU_ENGINE = {"enforce_eager": True, "dtype": "float32", "kv_cache_memory_bytes": 256 * 2**20}
_CPU = {"engine": _CPU_ENGINE, "environment": _CPU_ENVIRONMENT}

_GPU_ENVIRONMENT = {"VLLM_NO_USAGE_STATS": "1", "DO_NOT_TRACK": "1"}

_SERVED = {
    "extract": {"method": "llm"},
    "chat": {"backend": "serve"},
    "embed": {"backend": "serve"},
    "rerank": {"backend": "serve"},
}

PROFILES: dict[Profile, dict[str, Any]] = {
    "lite": {},
    "openai": {"extract": {"method": "llm"}, "chat": {"backend": "openai"}},
    "cpu": _SERVED
    | {
        "models": {
            "chat": _CPU | {"max_model_len": 4096, "max_sequences": 4},
            "embed": _CPU | {"max_sequences": 8},
            "rerank": _CPU | {"max_sequences": 8},
        }
    },
    # One GPU of 80 GB. The shares leave 5 GB to the contexts of three processes.
    "h100": _SERVED
    | {
        "models": {
            "chat": {
                "model": "Qwen/Qwen3-30B-A3B-Instruct-2507-FP8",
                "gpus": 0.8,
                "memory_share": 0.78,
                "max_model_len": 16_384,
                "environment": _GPU_ENVIRONMENT,
            },
            "embed": {
                "model": "BAAI/bge-m3",  # for Russian alone: deepvk/USER-bge-m3 (source article)
                "gpus": 0.1,
                "memory_share": 0.08,
                "max_model_len": 2048,
                "environment": _GPU_ENVIRONMENT,
            },
            "rerank": {
                "model": "BAAI/bge-reranker-v2-m3",
                "gpus": 0.1,
                "memory_share": 0.08,
                "max_model_len": 1024,
                "environment": _GPU_ENVIRONMENT,
            },
        }
    },
}
