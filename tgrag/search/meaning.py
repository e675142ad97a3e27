"""How near sentences are in meaning to a question; the vectors of sentences read lately are kept."""

from collections.abc import Sequence

import numpy as np

from tgrag.language import words
from tgrag.models.protocols import Embedder, Vectors
from tgrag.search.remembered import RememberedVectors
from tgrag.search.view import Scores

WORDS = 240  # a question: some 400 tokens, most of a second on two cores
KEPT = 4096  # sentences an engine: 6 MB at 384 dimensions
DIGITS = 4  # of a similarity: what one text scores in two batches is the same

# Least similarity of an answer, for a question in a language of the text and in another. A model's cosines lie
# in a range of its own, so a model that is not listed gives an order and no verdict.
# Set between the best sentences for 24 questions about a Russian novel (0.844 and more; 0.789 in another language)
# and for 20 about other things (mostly below 0.82; 0.77 in another language).
LEAST = {"multilingual-e5-small": (0.835, 0.78)}


class SentenceMeaning:
    """Compares sentences with questions by an embedder. Safe to share between threads."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._passages = RememberedVectors(embedder.embed_passages, KEPT)

    def similarities(self, question: Vectors, texts: Sequence[str]) -> Scores:
        """Return the cosine of each text with the question's vector. Raises what the embedder raises."""
        if not texts:
            return np.empty(0)
        cosines: Scores = np.round(np.stack(self._passages.of(texts)) @ question, DIGITS)
        return cosines.astype(np.float64)

    def least(self, *, same_language: bool) -> float | None:
        """Return the similarity below which a sentence is about something else; None when it is not known."""
        least = LEAST.get(self._embedder.identity.name)
        return None if least is None else least[0 if same_language else 1]


def affordable(texts: Sequence[str]) -> int:
    """Return how many of the texts, from the first, have WORDS words together."""
    total = np.cumsum([len(words(text)) for text in texts])
    return int(np.searchsorted(total, WORDS, side="right"))
