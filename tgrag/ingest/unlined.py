"""Text without lines: a whole book, or a whole chapter, in one enormous line.

Its lines are given back where they can be told: at runs of spaces, and around headings, which are known by a
keyword and a number that goes up through the text, or by a word such as PREFACE in capitals. Time is linear in
the length of the text.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import islice, pairwise

from tgrag.ingest.headings import CLOSING, KEYWORDS, OPENING, keyword_level
from tgrag.ingest.ordinals import ARABIC, ROMAN, WORD, number
from tgrag.ingest.sequences import Mark, in_sequence

ENORMOUS = 4_000  # characters: longer than nearly every paragraph that somebody wrote
_GAP = 300  # characters between two headings; a list of acts or chapters has fewer
_CONTEXT = 200  # characters looked at before and after a place

_SPACES = re.compile(r"[ \t]{2,}(?=(?P<next>.?))")
_NUMBERED = re.compile(
    rf"(?<!\w)(?:(?P<keyword>{KEYWORDS})\.?\s(?:the\s)?(?P<ordinal>{WORD}|{ROMAN}|{ARABIC})"
    rf"|(?:the\s)?(?P<ordinal_before>{WORD})\s(?P<keyword_after>{KEYWORDS}))(?!\w)",
    re.IGNORECASE,
)
_UNNUMBERED = re.compile(
    rf"(?<!\w)(?:{OPENING.upper()}|{CLOSING.upper()})(?:\.(?=\s)|(?=\s+[\"“«„_\[]?[^\W\d_]?[^\W\d_A-ZА-ЯЁІЇЄҐ]))"
)
_CONTENTS = re.compile(
    r"(?<!\w)(?:(?:TABLE OF )?CONTENTS|СОДЕРЖАНИЕ|ОГЛАВЛЕНИЕ|ЗМІСТ|Оглавление|Содержание|Зміст|Contents)(?!\w)(?=\s+\S)[.:]?"
)
_AFTER_A_SENTENCE = re.compile(r"""(?:^|[.!?…:;»”"'\])_*\d]|\s\s)\s*$""")
_ENDS_TITLE = re.compile(r"[.!?]+$")
_ABBREVIATION = re.compile(r"(?:ST|MR|MRS|DR|MT|\w)\.")
_PUNCTUATION = ".:—–-"


@dataclass(frozen=True, slots=True)
class _Place:
    """A keyword with a number. mark: None where it is a mention inside a sentence."""

    start: int
    end: int
    mark: Mark | None


def unfold(line: str) -> str:
    """Return an enormous line with its former line breaks; words stay as they are and in their order."""
    places = _places(line)
    headings = _headings(line, places)
    lines = sorted([*headings, *_contents(line, places, {start for start, _ in headings})])
    pieces, last = [], 0
    for start, end in lines:
        if start >= last:
            pieces += [_break_at_spaces(line[last:start]), "", line[start:end], ""]
            last = end
    pieces.append(_break_at_spaces(line[last:]))
    return "\n".join(pieces)


def _break_at_spaces(text: str) -> str:
    """Break at each run of spaces, but inside a sentence that goes on after it."""
    return _SPACES.sub(lambda run: " " if run["next"].islower() else "\n", text)


def _places(line: str) -> list[_Place]:
    places = []
    for match in _NUMBERED.finditer(line):
        keyword = match["keyword"] or match["keyword_after"]
        value = number(match["ordinal"] or match["ordinal_before"])
        if value is not None and keyword[0].isupper():
            scheme = f"{keyword_level(keyword)} {match[0].isupper()}"
            is_mention = not _follows_a_sentence(line, match.start())
            mark = None if is_mention else Mark(scheme, value, match.start())
            places.append(_Place(match.start(), match.end(), mark))
    return places


def _headings(line: str, places: Sequence[_Place]) -> list[tuple[int, int]]:
    marked = [(place, place.mark) for place in places if place.mark]
    kept = in_sequence([mark for _, mark in marked], gap=_GAP, shortest=2)
    numbered = [marked[index][0] for index in kept]
    return [
        *((place.start, _end_of_title(line, place.end)) for place in numbered),
        *(m.span() for m in _UNNUMBERED.finditer(line) if _follows_a_sentence(line, m.start())),
    ]


def _contents(line: str, places: Sequence[_Place], headings: Set[int]) -> Iterator[tuple[int, int]]:
    """Yield the word that opens a list of contents, and each of its entries that has a number."""
    for word in _CONTENTS.finditer(line):
        if not _follows_a_sentence(line, word.start()):
            continue
        first = bisect_left(places, word.end(), key=lambda place: place.start)
        entries = [word.end()]
        for place in islice(places, first, None):
            if place.start in headings or place.start - entries[-1] > _GAP:
                end = place.start if place.start in headings else entries[-1]
                break
            entries.append(place.start)
        else:
            end = entries[-1]
        yield word.span()
        yield from pairwise([*entries[1:], end])


def _follows_a_sentence(line: str, place: int) -> bool:
    return _AFTER_A_SENTENCE.search(line[max(0, place - 20) : place]) is not None


def _end_of_title(line: str, place: int) -> int:
    """Return where a heading ends whose number ends at a place: after its words in capitals, if it has any."""
    end = place
    while end < len(line) and line[end] in _PUNCTUATION:
        end += 1
    is_followed_by_dot = end > place
    window = line[end : end + _CONTEXT]
    last = 0
    for word in re.finditer(r"(?P<space>\s*)(?P<word>\S+)", window):
        if len(word["space"]) > 1 or not _is_capitals(word["word"]):
            break
        last = word.end()
        if _ENDS_TITLE.search(word["word"]) and not _ABBREVIATION.fullmatch(word["word"]):
            break
    title = window[:last]
    while title and len(re.sub(r"\W", "", title.split()[-1])) < 2 and not _ENDS_TITLE.search(title):
        title = title[: title.rstrip().rfind(" ") + 1].rstrip() if " " in title.strip() else ""
    return end + len(title) if title or is_followed_by_dot else place


def _is_capitals(word: str) -> bool:
    return word.upper() == word and any(c.isalnum() or c in "&—–-" for c in word) and word[0] not in "[_|"
