"""Sentences of text units, and the passages that are quoted around the best of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tgrag.chunk.sentences import sentences
from tgrag.records import TextUnit

LENGTH = 3  # sentences of a passage: an answer stands in a sentence that matches, or follows it


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a text unit. number: in the unit; start, end: in the unit's text, no white space around."""

    unit: TextUnit
    number: int
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.unit.text[self.start : self.end]

    @property
    def place(self) -> tuple[str, int, int]:
        """Where it stands in story order."""
        return self.unit.series_id, self.unit.ordinal, self.start


@dataclass(frozen=True, slots=True)
class Quote:
    """A span of a text unit, letter for letter."""

    text: str
    unit: TextUnit
    start: int


@lru_cache(maxsize=512)
def split(unit: TextUnit) -> tuple[Sentence, ...]:
    """Return the sentences of a text unit that say something, in order."""
    trimmed = []
    for start, end in sentences(unit.text, unit.language):
        raw = unit.text[start:end]
        begin = start + len(raw) - len(raw.lstrip())
        trimmed.append((begin, start + len(raw.rstrip())))
    spans = [(start, end) for start, end in trimmed if start < end]
    return tuple(Sentence(unit, number, *span) for number, span in enumerate(spans))


def passages(best_first: Iterable[Sentence], n: int) -> list[Quote]:
    """Return up to n quotes in story order: each best sentence with those after it, none quoted twice."""
    taken: set[tuple[str, int]] = set()
    texts: set[str] = set()
    runs: list[list[Sentence]] = []
    for first in best_first:
        if len(runs) == n:
            break
        if (first.unit.text_unit_id, first.number) in taken or first.text in texts:
            continue
        run = [first]
        for sentence in split(first.unit)[first.number + 1 : first.number + LENGTH]:
            if (sentence.unit.text_unit_id, sentence.number) in taken:
                break
            run.append(sentence)
        taken.update((sentence.unit.text_unit_id, sentence.number) for sentence in run)
        texts.update(sentence.text for sentence in run)
        runs.append(run)
    return [_quote(run) for run in sorted(runs, key=lambda run: run[0].place)]


def _quote(run: Sequence[Sentence]) -> Quote:
    unit, start = run[0].unit, run[0].start
    return Quote(unit.text[start : run[-1].end], unit, start)
