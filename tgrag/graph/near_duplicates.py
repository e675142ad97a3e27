"""Texts that say again what an earlier one said, found by their word triples in linear time."""

from collections import Counter

from tgrag.language import fold, words

SHINGLE = 3  # words
SAME = 0.85  # share of a text's shingles that one earlier text has


class Said:
    """The texts said so far; the earlier of two near duplicates is the one that stays."""

    def __init__(self) -> None:
        self._first: dict[tuple[str, ...], int] = {}
        self._n_texts = 0

    def is_new(self, text: str) -> bool:
        """Tell whether no earlier text says nearly the same, and remember the text if so."""
        spoken = words(fold(text))
        shingles = {tuple(spoken[i : i + SHINGLE]) for i in range(max(1, len(spoken) - SHINGLE + 1))}
        hits = Counter(self._first[shingle] for shingle in shingles if shingle in self._first)
        if hits and max(hits.values()) >= SAME * len(shingles):
            return False
        for shingle in shingles:
            self._first.setdefault(shingle, self._n_texts)
        self._n_texts += 1
        return True
