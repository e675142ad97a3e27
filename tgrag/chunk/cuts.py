"""Where text units end: the cheapest way through the pieces of a section.

As in the breaking of paragraphs into lines (Knuth and Plass, Breaking Paragraphs into Lines, 1981) all cuts of a
section are chosen together, each for a price: by what it interrupts, and by a hash of the piece before it. A place
that is cheap by its hash draws the ways from all sides to itself, so that after an edit the cuts soon fall into step
again, as in content-defined chunking. To make sure of it, the cheapest place in its surroundings on both sides is
always a cut (the local maximum of Bjørner, Blass and Gurevich, Content-Dependent Chunking for Differential
Compression, 2010): no edit is felt beyond it unless it stands near it.
"""

import hashlib
from collections import deque
from collections.abc import Sequence
from itertools import accumulate
from math import isqrt

import numpy as np

from tgrag.chunk.pieces import Closed, Piece

_ONE = 1 << 16  # prices are whole numbers, the same on every machine; a hash costs less than one
_BY_WHAT_IT_CLOSES: dict[Closed, int] = {
    "paragraph": 0,
    "sentence": _ONE // 2,
    "clause": 3 * _ONE,
    "word": 6 * _ONE,
}
_FOR_WHAT_IS_SHORT = 3 * _ONE  # of a unit that is short by the whole limit
_FOR_A_CRUMB = 2 * _ONE
_OF_AN_END = -1  # a section's ends are cheaper than any cut, so that no anchor is near them
_DEAREST = 1 << 62
_RADIUS = 1.25  # in limits: what is the cheapest place so far to both sides is always a cut


def unit_edges(
    text: str, pieces: Sequence[Piece], limit: int, earliest_cut: float, join_below: int
) -> list[int]:
    """Return the indexes of the pieces between which to cut, from 0 to len(pieces), both included.

    text: the parsed text. No unit has more than ``limit`` tokens by the sum of its pieces, none of which may have
    more. Units that end before ``earliest_cut`` of the limit, and a last one below ``join_below`` tokens, are
    avoided where the pieces allow it.
    """
    ends = list(accumulate((piece.n_tokens for piece in pieces), initial=0))
    if ends[-1] <= limit:
        return [0, len(pieces)]
    prices = [_OF_AN_END, *(_price(text, piece) for piece in pieces[:-1]), _OF_AN_END]
    anchors = _anchors(ends, prices, int(_RADIUS * limit))
    return _cheapest_way(ends, prices, anchors, limit, int(earliest_cut * limit), join_below)


def _price(text: str, piece: Piece) -> int:
    """The fourth root makes most places about equally dear, and the few cheap ones stand out."""
    digest = hashlib.blake2b(text[piece.start : piece.end].encode(errors="surrogatepass"), digest_size=8)
    return _BY_WHAT_IT_CLOSES[piece.closes] + isqrt(isqrt(int.from_bytes(digest.digest())))


def _anchors(ends: Sequence[int], prices: Sequence[int], radius: int) -> set[int]:
    """Return the places that are cheaper than all that are nearer than ``radius`` tokens."""
    before = _least_before(ends, prices, radius)
    after = _least_before([-end for end in reversed(ends)], prices[::-1], radius)[::-1]
    return {place for place, price in enumerate(prices) if price < before[place] and price < after[place]}


def _least_before(ends: Sequence[int], prices: Sequence[int], radius: int) -> list[int]:
    """Return for each place the least price of those before it and nearer than ``radius`` tokens."""
    least: list[int] = []
    rising: deque[int] = deque()  # places within the radius, each cheaper than all after it
    for place, end in enumerate(ends):
        while rising and end - ends[rising[0]] >= radius:
            rising.popleft()
        least.append(prices[rising[0]] if rising else _DEAREST)
        while rising and prices[rising[-1]] >= prices[place]:
            rising.pop()
        rising.append(place)
    return least


def _cheapest_way(
    ends: Sequence[int],
    prices: Sequence[int],
    anchors: set[int],
    limit: int,
    earliest: int,
    join_below: int,
) -> list[int]:
    last = len(ends) - 1
    totals = np.array(ends, dtype=np.int64)
    farthest = np.searchsorted(totals, totals - limit).tolist()
    cheapest = np.zeros(last + 1, dtype=np.int64)
    before = [0] * (last + 1)
    wall = 0
    for place in range(1, last + 1):
        start = max(wall, farthest[place])
        sizes = totals[place] - totals[start:place]
        ways = cheapest[start:place] + np.maximum(earliest - sizes, 0) * (_FOR_WHAT_IS_SHORT // limit)
        if place == last:
            ways += (sizes < join_below) * _FOR_A_CRUMB
        best = int(ways.argmin())
        before[place] = start + best
        cheapest[place] = ways[best] + prices[place]
        if place in anchors:
            wall = place
    edges = [last]
    while edges[-1]:
        edges.append(before[edges[-1]])
    return edges[::-1]
