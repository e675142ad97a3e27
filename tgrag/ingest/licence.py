"""The licence that Project Gutenberg, the largest publisher of plain-text books, puts around every text."""

import re
from collections.abc import Sequence
from dataclasses import replace

from tgrag.records import Drop, Element

LICENCE_END = re.compile(
    r"(?:\*{3}\s*END OF (?:THE|THIS) PROJECT GUTENBERG|End of (?:the |this )?Project Gutenberg)(?=['’s]*\s)",
    re.IGNORECASE,
)
_START = re.compile(r"\*{3}\s*START OF (?:THE|THIS) PROJECT GUTENBERG\b", re.IGNORECASE)
_BEGINNING, _END = (
    0.2,
    0.5,
)  # of the text: where the first may stand at the latest, the second at the earliest


def without_licence(elements: Sequence[Element]) -> tuple[Element, ...]:
    """Drop what stands up to the line that starts the text, and from the line that ends it."""
    length = sum(len(element.text) for element in elements)
    first, last, place = 0, len(elements), 0
    for index, element in enumerate(elements):
        if place <= _BEGINNING * length and _START.match(element.text):
            first = index + 1
        elif place >= _END * length and last == len(elements) and LICENCE_END.match(element.text):
            last = index
        place += len(element.text)
    drop = Drop("boilerplate", "the publisher's licence")
    return tuple(
        element if first <= index < last or element.drop else replace(element, drop=drop)
        for index, element in enumerate(elements)
    )
