"""Engines inside the workers of an index run (``--own-engines``): all of a GPU for throughput, then it is free again.

The same engines as those of the deployments, and so the same answers and vectors. vLLM's asynchronous engine batches
what is in flight as its offline one does, and hands each answer over as soon as it is there, to be stored.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from pydantic import TypeAdapter

from tgrag.calls.loop import CallLoop
from tgrag.errors import ConfigurationError
from tgrag.models.chat import CallFailed, ChatReply, ChatRequest
from tgrag.models.chat_wire import identity_of
from tgrag.models.protocols import EmbedderIdentity, Vectors
from tgrag.models.vllm.chat import Chat
from tgrag.models.vllm.embed import Embed, identity
from tgrag.settings import ChatSettings, EmbedEngineSettings, EngineSettings

_REPLY = TypeAdapter(ChatReply)


def worker_options(settings: EngineSettings) -> dict[str, Any]:
    """Return what Ray books for a worker with such an engine. Raises ConfigurationError for one over several GPUs."""
    if settings.tensor_parallel > 1:
        raise ConfigurationError(
            f"{settings.model} is spread over {settings.tensor_parallel} GPUs, and an index run's own engines have one "
            "each; leave --own-engines out and deploy it"
        )
    return {"num_gpus": settings.gpus, "runtime_env": {"env_vars": settings.environment}}


class OwnChat:
    """A ChatModel; its engine starts with the first request, in the event loop of that."""

    def __init__(self, settings: ChatSettings, engine: EngineSettings) -> None:
        self.identity = identity_of(settings)
        self._settings = engine.model_dump(mode="json")
        self._started: asyncio.Task[Chat] | None = None

    async def complete(self, request: ChatRequest) -> ChatReply:
        try:
            return _REPLY.validate_python(await (await self._chat()).complete(asdict(request)))
        except ValueError as error:
            raise CallFailed(f"the request is refused: {error}", transient=False) from None
        except RuntimeError as error:
            raise CallFailed(f"the engine failed: {error}", transient=True) from None

    async def stream(self, request: ChatRequest, heard: Callable[[str], None]) -> ChatReply:
        reply = await self.complete(request)
        heard(reply.text)
        return reply

    async def close(self) -> None:
        if self._started is not None:
            (await self._started).shutdown()

    async def _chat(self) -> Chat:
        if self._started is None:
            self._started = asyncio.create_task(_started(Chat, self._settings))
        return await asyncio.shield(self._started)


class OwnEmbedder:
    """An Embedder; its engine starts with the first text. A copy for another process starts its own.

    Raises ConfigurationError when the settings do not say how long a text the model reads.
    """

    def __init__(self, settings: EmbedEngineSettings) -> None:
        self._settings = settings
        self._loop: CallLoop | None = None
        self._embed: Embed | None = None

    @property
    def identity(self) -> EmbedderIdentity:
        """That of the deployment with the same settings, told without starting an engine."""
        from transformers import AutoConfig

        if self._settings.max_model_len is None:
            raise ConfigurationError("models.embed.max_model_len has to be set for --own-engines")
        where = {"revision": self._settings.revision} if self._settings.revision else {}
        config = AutoConfig.from_pretrained(self._settings.model, **where)
        return identity(self._settings, config.hidden_size, self._settings.max_model_len)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self._ask("embed_queries", texts)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return self._ask("embed_passages", texts)

    def close(self) -> None:
        if self._embed is not None:
            self._embed.shutdown()

    def _ask(self, method: str, texts: Sequence[str]) -> Vectors:
        if self._loop is None or self._embed is None:
            self._loop = CallLoop("embed")
            starting = _started(Embed, self._settings.model_dump(mode="json"))
            self._embed = self._loop.submit(starting).result()
        answer = self._loop.submit(getattr(self._embed, method)(list(texts))).result()
        return np.asarray(answer["vectors"], dtype=np.float32)

    def __getstate__(self) -> dict[str, Any]:
        return {"_settings": self._settings, "_loop": None, "_embed": None}


async def _started(engine: Any, settings: dict[str, Any]) -> Any:
    """Make one of the deployments' classes, whose constructor is a coroutine."""
    made = engine.__new__(engine)
    await made.__init__(settings)
    return made
