"""The workers of the stages that ask a model: how many, and what Ray books for each."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tgrag.errors import InvalidRequest
from tgrag.index.budget import Budget
from tgrag.models.vllm.own import worker_options
from tgrag.settings import EngineSettings, Settings


@dataclass(frozen=True, slots=True)
class Pool:
    """size: None is as many as there are CPUs. options: of Ray, for each worker. engine: that each of them starts."""

    size: int | None
    options: Mapping[str, Any] = field(default_factory=dict)
    engine: EngineSettings | None = None


def embedding_pool(settings: Settings) -> Pool:
    """Return the workers that embed."""
    return _pool(settings, settings.models.embed, settings.embed.backend == "serve")


def asking_pool(settings: Settings, budget: Budget) -> Pool:
    """Return the workers that ask the chat model. Raises InvalidRequest where their engines cannot keep a budget."""
    pool = _pool(settings, settings.models.chat, settings.chat.backend == "serve")
    if pool.engine and budget.is_limited:
        raise InvalidRequest(
            "a run with a limit of calls, tokens or seconds asks from one place: leave --own-engines out"
        )
    return pool


def _pool(settings: Settings, engine: EngineSettings, is_served: bool) -> Pool:
    if not (settings.index.own_engines and is_served):
        return Pool(settings.index.workers)
    return Pool(engine.replicas, worker_options(engine), engine)
