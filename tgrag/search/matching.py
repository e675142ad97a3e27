"""An embedder that is sure to be the one that an index was built with."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from tgrag.errors import EmbedderMismatch
from tgrag.models.protocols import Embedder, EmbedderIdentity, Vectors

logger = logging.getLogger(__name__)


class MatchingEmbedder:
    """Asks an embedder who it is before its first vector, at once where it answers, and again when it was replaced.

    One that is down is asked when it is needed: the index can be searched by words meanwhile.
    built_with: the identity in the manifest of the index. Raises EmbedderMismatch, here and in every method.
    """

    def __init__(self, embedder: Embedder, built_with: Mapping[str, Any], collection: str) -> None:
        self._embedder, self._built_with, self._collection = embedder, dict(built_with), collection
        self._matches = False
        try:
            self._match()
        except EmbedderMismatch:
            raise
        except Exception as error:  # whatever a model server raises
            logger.warning("collection %s is opened without its embedder: %s", collection, error)

    @property
    def identity(self) -> EmbedderIdentity:
        return EmbedderIdentity(**self._built_with)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self._vectors(self._embedder.embed_queries, texts)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return self._vectors(self._embedder.embed_passages, texts)

    def _vectors(self, embed: Callable[[Sequence[str]], Vectors], texts: Sequence[str]) -> Vectors:
        self._match()
        try:
            return embed(texts)
        except EmbedderMismatch:  # it was replaced since
            self._matches = False
            self._match()
            raise

    def _match(self) -> None:
        if self._matches:
            return
        built_with, present = self._built_with, asdict(self._embedder.identity)
        changed = sorted(key for key in {*built_with, *present} if built_with.get(key) != present.get(key))
        if changed:
            raise EmbedderMismatch(
                f"collection «{self._collection}» was indexed with embedder {built_with.get('name')!r}, and the one in "
                f"use is {present['name']!r} (they differ in: {', '.join(changed)}); use that embedder or index the "
                "collection again"
            )
        self._matches = True
