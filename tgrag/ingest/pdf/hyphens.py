"""How two printed lines of one text are joined: words that were broken at the line's end become whole."""

import re
from collections.abc import Iterable

from tgrag.ingest.pdf.pieces import SOFT_HYPHEN
from tgrag.ingest.text import join_lines, starts_lower

_BROKEN = re.compile(r"(?P<head>(?:[^\W\d_]|['’ʼ])+(?:[-‐][^\W\d_]+)*)[-‐]$")
_FIRST = re.compile(r"(?:[^\W\d_]|['’ʼ])+")
_WORD = re.compile(r"(?:[^\W\d_]|['’ʼ])+(?:[-‐](?:[^\W\d_]|['’ʼ])+)*")
_NUMBERS = re.compile(r"\d[-–‐]$")
_HYPHENS = ("-", "‐")
_TAIL = 60  # characters: no word is longer


def vocabulary(texts: Iterable[str]) -> frozenset[str]:
    """Return the words of a document as they stand inside lines, those with hyphens whole."""
    return frozenset(word for text in texts for word in _WORD.findall(text.lower().removesuffix(SOFT_HYPHEN)))


def seam(before: str, after: str, words: frozenset[str]) -> tuple[int, str]:
    """Return how many characters fall away at the end of a line and what stands between it and the next one."""
    if before.endswith(SOFT_HYPHEN):
        return 1, ""
    if _NUMBERS.search(before[-2:]) and after[0].isdigit():
        return 0, ""
    if before[-1:] not in _HYPHENS:
        return 0, " "
    broken, first = _BROKEN.search(before[-_TAIL:]), _FIRST.match(after)
    if broken is None or first is None:
        return 0, " "
    head, tail = broken["head"], first[0]
    if not starts_lower(after):
        is_capitals = len(tail) > 1 and head.isupper() and tail.isupper()
        return (1, "") if is_capitals and (head + tail).lower() in words else (0, "")
    if (head + tail).lower() in words:
        return 1, ""
    if f"{head}-{tail}".lower() in words:
        return 0, ""
    return (0, "") if join_lines(f"{head}-", tail).startswith(f"{head}-") else (1, "")
