"""How strong a relationship is, given the evidence that is known."""

from collections.abc import Iterable
from math import prod

from tgrag.records import Evidence

MAX_STRENGTH = 10  # the source article's scale


def strength(evidence: Iterable[Evidence]) -> int:
    """Return the strength (1 to 10) that a relationship has from its evidence, taken as independent.

    Noisy OR (Pearl, "Probabilistic Reasoning in Intelligent Systems", 1988): each piece leaves so much of doubt.
    So a second mention adds less than the first, whether a model gave it 7 or fast extraction 1.
    """
    doubt = prod(1 - item.strength / MAX_STRENGTH for item in evidence)
    return max(1, round(MAX_STRENGTH * (1 - doubt)))
