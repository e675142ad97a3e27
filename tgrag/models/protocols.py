"""The model interfaces that the rest of tgrag sees."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
Relevance = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class EmbedderIdentity:
    """Everything that makes two embedders' vectors comparable. An index is read only with its own."""

    name: str
    revision: str
    dimension: int
    normalized: bool
    query_prefix: str
    passage_prefix: str
    max_tokens: int


class Embedder(Protocol):
    @property
    def identity(self) -> EmbedderIdentity: ...

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return one normalised row a text, shape (len(texts), dimension)."""

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return one normalised row a text, shape (len(texts), dimension). Raises ValueError on a text over max_tokens."""


class Reranker(Protocol):
    def score(self, pairs: Sequence[tuple[str, str]]) -> Relevance:
        """Return how relevant each passage is to its query, from 0 to 1, shape (len(pairs),).

        pairs: query and passage; of what is too long the passage is cut.
        """


class Tokenizer(Protocol):
    name: str

    def count(self, text: str) -> int:
        """Return how many tokens the text has, special tokens not counted."""
