"""Which of many numbered places are the headings of one numbering, and which only look like it.

A numbering begins at 1, goes on by ones, may begin again (in the next part), and has text between its numbers.
Notes, page numbers, years and references do not keep to that.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mark:
    """A place that may be a heading. scheme: how its number is written; position: characters of text before it."""

    scheme: str
    number: int
    position: int


def in_sequence(marks: Sequence[Mark], *, gap: int, shortest: int) -> set[int]:
    """Return the indices of the marks, given in order, that stand in a numbering of their scheme.

    gap: characters at least between two numbers. shortest: numbers at least in a numbering. One number may be
    missing in a row: it was misprinted, or its text is very short.
    """
    chains: list[list[int]] = []
    latest: dict[tuple[str, int], list[int]] = {}  # the chain whose last number that is
    for index, mark in enumerate(marks):
        for step in (1, 2):
            key = (mark.scheme, mark.number - step)
            chain = latest.get(key)
            if chain and mark.position - marks[chain[-1]].position >= gap:
                del latest[key]
                break
        else:
            if mark.number != 1:
                continue
            chain = []
            chains.append(chain)
        chain.append(index)
        latest[mark.scheme, mark.number] = chain
    return {index for chain in chains if len(chain) >= shortest for index in chain}
