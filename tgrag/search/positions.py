"""Beginnings and ends that a question names: «в начале романа», «наприкінці», "by the end of the story"."""

import re
from typing import Literal

Part = Literal["beginning", "end"]

SHARE = 5  # a beginning or an end is one part in five of what is read of a book

_WHOLE = (
    "the (?:whole )?(?:book|novel|story|tale)|(?:всей |всего |этой |этого )?(?:книги|романа|повести|рассказа|истории|сказки)"
    "|(?:усієї |усього |цієї |цього )?(?:книги|роману|повісті|оповідання|історії|казки)"
)
_WAYS: dict[Part, str] = {
    "beginning": r"(?:at|in|near) the (?:very )?(?:beginning|start)|в(?: самом)? начале|на(?: самому)? початку",
    "end": (
        r"(?:at|by|in|near|towards?) the (?:very )?end|(?:в(?: самом)?|под) конце?|к(?: самому)? концу"
        r"|наприкінці|(?:в|у) кінці|під(?: самий)? кінець"
    ),
}
_NAMED = {
    part: re.compile(rf"\b(?:{ways})(?:(?: of)? (?:{_WHOLE})\b|(?=\s*(?:[?!.,;:»\"]|$)))", re.IGNORECASE)
    for part, ways in _WAYS.items()
}


def named_parts(question: str) -> list[tuple[Part, str]]:
    """Return the beginning and the end that a question names, with its words.

    Only of a book as a whole or of nothing said: «в начале зимы» and "at the end of the road" are no places in a book.
    """
    found = ((part, pattern.search(question)) for part, pattern in _NAMED.items())
    return [(part, match.group()) for part, match in found if match]


def span(part: Part, first: int, last: int) -> tuple[int, int]:
    """Return the first and last ordinal, both inclusive, of a part of a book that has these."""
    size = max(1, round((last - first + 1) / SHARE))
    return (first, first + size - 1) if part == "beginning" else (last - size + 1, last)
