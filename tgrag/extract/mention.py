"""What both languages' extractors share: tokens with their surroundings, and mentions."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tgrag.language import WORD

_SENTENCE_START = re.compile(r"[?!…:]|\.\.|\.\s+[^\w\s]|[«“„\"‘(\[|#*•>]|[—–]|(?:^|\s)-\s|\n")

_ELISION = re.compile(r"[dl]['’][A-ZÀ-Ý]")  # «d'Urville»


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a sentence. gap: what stands between it and the word before.

    at_start: a capital says nothing here: the sentence's first word, or one after a dash, a colon or an
    opening quote.
    """

    start: int
    end: int
    text: str
    gap: str
    at_start: bool

    @property
    def capital(self) -> bool:
        return self.text[0].isupper() or bool(_ELISION.match(self.text))


@dataclass(frozen=True, slots=True)
class Mention:
    """A name or a concept in a sentence, with its span there."""

    start: int
    end: int
    name: str
    type: str
    certain: bool


def tokens(sentence: str) -> list[Token]:
    """Return the words of a sentence, in order."""
    return list(_tokens(sentence))


def _tokens(sentence: str) -> Iterator[Token]:
    end = 0
    for match in WORD.finditer(sentence):
        gap = sentence[end : match.start()]
        yield Token(
            match.start(), match.end(), match.group(), gap, not end or bool(_SENTENCE_START.search(gap))
        )
        end = match.end()


def like(pattern: str, word: str) -> str:
    """Give a lower-case word the capitals of the pattern, part by part of a hyphenated word.

    A ё is kept only where the pattern has one: texts write е.
    """
    if "ё" not in pattern.lower():
        word = word.replace("ё", "е")
    originals, parts = pattern.split("-"), word.split("-")
    if len(originals) != len(parts):
        return _like_part(pattern, word)
    return "-".join(_like_part(original, part) for original, part in zip(originals, parts, strict=True))


def _like_part(pattern: str, word: str) -> str:
    if word == pattern.lower():
        return pattern
    if pattern.isupper() and len(pattern) > 1:
        return word.upper()
    return word[:1].upper() + word[1:] if pattern[:1].isupper() else word
