"""How strong a relationship is, given the evidence that is known."""

from collections.abc import Iterable

from tgrag.records import Evidence

MAX_STRENGTH = 10  # the source article's scale


def strength(evidence: Iterable[Evidence]) -> int:
    """Return the strength (1 to 10) that a relationship has from its evidence: the sum of strengths, capped."""
    return min(MAX_STRENGTH, sum(item.strength for item in evidence))
