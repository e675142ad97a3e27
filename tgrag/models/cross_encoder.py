"""A reranker in this process: any cross-encoder with one label that transformers can load."""

import threading
from collections.abc import Sequence

import numpy as np

from tgrag.errors import ConfigurationError
from tgrag.models.protocols import Relevance
from tgrag.settings import RerankSettings


class CrossEncoder:
    """Thread-safe; one batch at a time. Raises ConfigurationError when the model cannot be loaded."""

    def __init__(self, settings: RerankSettings) -> None:
        try:
            import torch
            from transformers import AutoModelForSequenceClassification, AutoTokenizer
        except ImportError:
            raise ConfigurationError(
                "rerank.model needs transformers and torch: pip install -e '.[rerank]'"
            ) from None
        where = {"revision": settings.revision} if settings.revision else {}
        try:
            self._tokenizer = AutoTokenizer.from_pretrained(settings.model, **where)
            self._model = AutoModelForSequenceClassification.from_pretrained(settings.model, **where).eval()
        except (OSError, ValueError) as error:
            raise ConfigurationError(f"rerank.model {settings.model} cannot be loaded: {error}") from None
        if self._model.config.num_labels != 1:
            raise ConfigurationError(f"rerank.model {settings.model} has several labels and is no reranker")
        self._torch, self._settings, self._lock = torch, settings, threading.Lock()

    def score(self, pairs: Sequence[tuple[str, str]]) -> Relevance:
        asked = {query: self._shortened(query) for query in dict.fromkeys(query for query, _ in pairs)}
        scores = np.zeros(len(pairs))
        by_length = sorted(range(len(pairs)), key=lambda place: len(pairs[place][1]))
        with self._lock, self._torch.inference_mode():
            for start in range(0, len(pairs), self._settings.batch):
                places = by_length[start : start + self._settings.batch]
                batch = self._tokenizer(
                    [asked[pairs[place][0]] for place in places],
                    [pairs[place][1] for place in places],
                    truncation="only_second",
                    max_length=self._settings.max_tokens,
                    padding=True,
                    return_tensors="pt",
                )
                scores[places] = self._model(**batch).logits[:, 0].float().sigmoid().numpy()
        return scores

    def _shortened(self, query: str) -> str:
        """Return a query that leaves half of the tokens to the passage."""
        most = self._settings.max_tokens // 2
        offsets = self._tokenizer(query, truncation=True, max_length=most, return_offsets_mapping=True)[
            "offset_mapping"
        ]
        return query[: max(end for _, end in offsets)]
