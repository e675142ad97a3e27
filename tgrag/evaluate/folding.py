"""Text as letters and digits alone, so that texts meet whatever a parser did to spaces, marks and line ends."""

import unicodedata
from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache


@lru_cache(maxsize=8192)
def _folded(character: str) -> str:
    decomposed = unicodedata.normalize("NFKC", character).casefold().replace("ё", "е")
    return "".join(c for c in decomposed if c.isalnum())


def fold(text: str) -> str:
    """Return the letters and digits of a text, case folded."""
    return "".join(map(_folded, text))


@dataclass(frozen=True, slots=True)
class Folded:
    """offsets[i]: which character of the text the i-th letter of ``letters`` comes from, ascending."""

    letters: str
    offsets: list[int]

    @classmethod
    def of(cls, text: str) -> "Folded":
        letters: list[str] = []
        offsets: list[int] = []
        for place, character in enumerate(text):
            for letter in _folded(character):
                letters.append(letter)
                offsets.append(place)
        return cls("".join(letters), offsets)

    def find(self, wanted: str, near: int) -> tuple[int, int] | None:
        """Return the span, in letters, of the occurrence of folded text that begins nearest to a place."""
        if not wanted:
            return None
        before = self.letters.rfind(wanted, 0, max(0, near) + len(wanted))
        after = self.letters.find(wanted, max(0, near))
        found = [start for start in (before, after) if start >= 0]
        if not found:
            return None
        start = min(found, key=lambda place: (abs(place - near), place))
        return start, start + len(wanted)

    def letters_before(self, offset: int) -> int:
        """Return how many letters stand before a character of the text."""
        return bisect_left(self.offsets, offset)
