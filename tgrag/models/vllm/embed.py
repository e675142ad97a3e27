"""An embedding model: normalised vectors of texts of any length."""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from tgrag.models.protocols import EmbedderIdentity
from tgrag.models.vllm.engine import BY_PRIORITY, PATIENT, URGENT, Engine, EngineHost
from tgrag.models.vllm.windows import averaged, windows
from tgrag.settings import EmbedEngineSettings


class Embed(EngineHost):
    """What ``tgrag.models.served`` asks. Each answer says whose vectors they are: {"identity": …, "vectors": lists}."""

    async def __init__(self, settings: dict[str, Any]) -> None:  # type: ignore[misc]  # as Serve allows
        self._settings = EmbedEngineSettings(**settings)
        self._engine = Engine(self._settings, "pooling", BY_PRIORITY)
        self._before, self._after = self._special_tokens()
        await self.embed_queries(["warm up"])

    async def identity(self) -> dict[str, Any]:
        return asdict(identity(self._settings, self._engine.dimension, self._engine.max_model_len))

    async def embed_queries(self, texts: list[str]) -> dict[str, Any]:
        return await self._embed([self._settings.query_prefix + text for text in texts], URGENT)

    async def embed_passages(self, texts: list[str]) -> dict[str, Any]:
        return await self._embed([self._settings.passage_prefix + text for text in texts], PATIENT)

    async def _embed(self, texts: Sequence[str], priority: int) -> dict[str, Any]:
        vectors = await asyncio.gather(*(self._embed_one(text, priority) for text in texts))
        return {"identity": await self.identity(), "vectors": list(vectors)}

    async def _embed_one(self, text: str, priority: int) -> list[float]:
        """Return the mean of the vectors of a text's windows, by their tokens (source article's client)."""
        from vllm import PoolingParams

        tokens = self._engine.tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        runs = windows(tokens, self._engine.max_model_len - len(self._before) - len(self._after))
        prompts = [[*self._before, *run, *self._after] for run in runs]
        vectors = await asyncio.gather(
            *(self._engine.encode(prompt, PoolingParams(task="embed"), priority) for prompt in prompts)
        )
        unit: list[float] = averaged(np.array(vectors), [len(run) for run in runs]).tolist()
        return unit

    def _special_tokens(self) -> tuple[list[int], list[int]]:
        """Return the tokens that the model wants before and after a text."""
        encoded = self._engine.tokenizer("a", return_special_tokens_mask=True)
        ids, special = encoded["input_ids"], encoded["special_tokens_mask"]
        own = special.index(0)
        return ids[:own], ids[len(special) - special[::-1].index(0) :]


def identity(settings: EmbedEngineSettings, dimension: int, max_model_len: int) -> EmbedderIdentity:
    """Return whose vectors they are."""
    return EmbedderIdentity(
        name=settings.model,
        revision=settings.revision,
        dimension=dimension,
        normalized=True,
        query_prefix=settings.query_prefix,
        passage_prefix=settings.passage_prefix,
        max_tokens=max_model_len,
    )
