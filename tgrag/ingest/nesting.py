"""How the kinds of headings of a text nest: books in parts, or parts in books.

The levels of the kinds are fixed; where a text shows plainly that two of them are the other way round (every part
has several books, and no book has several parts), the two change places.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from tgrag.ingest.headings import BOOK, CHAPTER, DIVISION, PART, VOLUME
from tgrag.records import Element

_PAIRS = ((VOLUME, BOOK), (BOOK, PART), (VOLUME, PART), (DIVISION, CHAPTER))


def nested(elements: Sequence[Element]) -> tuple[Element, ...]:
    """Return the elements with the levels of their headings in the order in which the text nests them."""
    levels = {level: level for level in range(VOLUME, CHAPTER + 1)}
    present = [element.level for element in elements if element.kind == "heading" and not element.drop]
    for outer, inner in _PAIRS:
        kinds = [level for level in present if level in (outer, inner)]
        if kinds[:1] == [inner] and _is_within(kinds, outer, inner):
            levels[outer], levels[inner] = levels[inner], levels[outer]
    return tuple(
        replace(element, level=levels.get(element.level, element.level))
        if element.kind == "heading" and element.level is not None
        else element
        for element in elements
    )


def _is_within(kinds: Sequence[int], lower: int, upper: int) -> bool:
    """Tell whether the lower kind always stands in rows of several below one of the upper kind."""
    rows = [(kind, len(list(row))) for kind, row in groupby(kinds)]
    uppers = [length for kind, length in rows if kind == upper]
    lowers = [length for kind, length in rows if kind == lower]
    return len(uppers) > 1 and max(uppers) == 1 and len(lowers) > 1 and min(lowers) > 1
