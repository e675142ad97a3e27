"""A text as lines, and what stands around each of them."""

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tgrag.ingest.headings import MAX_BLANKS_BEFORE_TITLE, Heading
from tgrag.ingest.text import ends_sentence

APART = 3  # blank lines before a title that stands apart
_FRONT = 200  # characters at the beginning of a text: its title and author


@dataclass(frozen=True, slots=True)
class LinedText:
    """lines: blank ones are "". offsets: characters of text before each line. strong: lines that are headings."""

    lines: Sequence[str]
    offsets: Sequence[int]
    strong: dict[int, Heading]
    has_no_blanks: bool

    def below(self, candidates: Iterable[int]) -> dict[int, int]:
        """Return the characters of text between each candidate and the next one or the next strong heading."""
        places = sorted({*candidates, *self.strong, len(self.lines)})
        return {a: self.offsets[b] - self.offsets[a + 1] for a, b in pairwise(places)}

    def is_after_a_sentence(self, index: int, others: Container[int] = ()) -> bool:
        """Tell whether what stands before a line is a whole sentence, a strong heading, or one of some others."""
        before = index - 1
        while before >= 0 and not self.lines[before] and index - before <= APART:
            before -= 1
        return (
            before < 0
            or self.offsets[before + 1] <= _FRONT
            or not self.lines[before]
            or before in self.strong
            or before in others
            or ends_sentence(self.lines[before])
        )

    def blanks_before(self, index: int) -> int:
        first = index
        while first > 0 and index - first <= APART and not self.lines[first - 1]:
            first -= 1
        return index - first

    def first_below(self, index: int) -> int | None:
        """Return the line of text next below a line, None where it is far or there is none."""
        near = range(index + 1, min(index + 2 + MAX_BLANKS_BEFORE_TITLE, len(self.lines)))
        return next((below for below in near if self.lines[below]), None)

    def is_blank(self, index: int) -> bool:
        return not 0 <= index < len(self.lines) or not self.lines[index]
