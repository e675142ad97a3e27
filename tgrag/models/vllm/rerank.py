"""A cross-encoder with one label: how relevant passages are to queries."""

import asyncio
from typing import Any

from tgrag.models.vllm.engine import URGENT, Engine, EngineHost
from tgrag.settings import EngineSettings


class Rerank(EngineHost):
    """What ``tgrag.models.served`` asks."""

    async def __init__(self, settings: dict[str, Any]) -> None:  # type: ignore[misc]  # as Serve allows
        self._engine = Engine(EngineSettings(**settings), "pooling")
        await self.score([("warm", "up")])

    async def score(self, pairs: list[tuple[str, str]]) -> list[float]:
        """Return the relevance of each pair of query and passage, from 0 to 1; what is too long loses of the passage."""
        return list(await asyncio.gather(*(self._score(query, passage) for query, passage in pairs)))

    async def _score(self, query: str, passage: str) -> float:
        from vllm import PoolingParams

        encoded = self._encoded(query, passage)
        types = encoded.get("token_type_ids")
        # vLLM wants the segments of BERT as the place where the second begins; XLM-RoBERTa has none.
        second = {"compressed_token_type_ids": types.index(1)} if types and 1 in types else None
        parameters = PoolingParams(task="classify", extra_kwargs=second)
        (score,) = await self._engine.encode(encoded["input_ids"], parameters, URGENT)
        return score

    def _encoded(self, query: str, passage: str) -> dict[str, list[int]]:
        """Return the tokens of a pair: of what is too long, the passage is cut, and a query to half of the room."""
        tokenizer, most = self._engine.tokenizer, self._engine.max_model_len
        offsets = tokenizer(query, truncation=True, max_length=most // 2, return_offsets_mapping=True)[
            "offset_mapping"
        ]
        shortened = query[: max(end for _, end in offsets)]
        # A batch of one: alone, an empty passage would be none at all.
        pairs = tokenizer([shortened], [passage], truncation="only_second", max_length=most)
        return {name: values[0] for name, values in pairs.items()}
