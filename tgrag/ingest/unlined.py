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
from tgrag.ingest.licence import LICENCE_END
from tgrag.ingest.ordinals import ARABIC, ROMAN, WORD, number
from tgrag.ingest.sequences import Mark, in_sequence

ENORMOUS = 4_000  # characters: longer than nearly every paragraph that somebody wrote
_GAP, _LONG_GAP = 300, 1000  # characters between two headings with a keyword, and without; a list has fewer
_CONTEXT = 200  # characters looked at before and after a place

_SPACES = re.compile(r"[ \t]{2,}(?=(?P<next>.?))")
_NUMBERED = re.compile(
    rf"(?<!\w)(?=\w)(?:(?P<keyword>{KEYWORDS})\.?\s(?:the\s)?(?P<ordinal>{WORD}|{ROMAN}|{ARABIC})"
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
_PAGE = re.compile(r"[\s.…]*\d*\s*$")
_KEY = 12  # characters by which a heading and its entry in the contents are matched
_PUNCTUATION = ".:—–-"
# Words before the mention of a chapter.
_POINTS_AT = frozenset(
    ("see", "in", "of", "to", "from", "and", "the", "cf", "см", "в", "к", "из", "у", "и", "по", "див", "з")
)
_ROMAN = re.compile(
    r"(?<!\w)(?<![A-ZА-ЯІЇЄҐ]\. )(?P<ordinal>[IVXL]{1,7})(?:\.|(?=\s))(?=\s+[\"«“„—–]?\s?[^\W\d_a-zа-яёіїєґ])"
)


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
    contents = list(_contents(line, places, {start for start, _ in headings}))
    lines = sorted([*_with_titles(line, headings, contents), *contents])
    pieces, last = [], 0
    for start, end in lines:
        if start >= last and start < end:
            pieces += [_break_at_spaces(line[last:start]), "", line[start:end], ""]
            last = end
    pieces.append(_break_at_spaces(line[last:]))
    return "\n".join(pieces)


def _break_at_spaces(text: str) -> str:
    """Break at each run of spaces, but inside a sentence that goes on after it, and before a licence."""
    text = _SPACES.sub(lambda run: " " if run["next"].islower() else "\n", text)
    return LICENCE_END.sub(r"\n\n\g<0>", text)


def _places(line: str) -> list[_Place]:
    places: list[_Place] = []
    for match in _NUMBERED.finditer(line):
        keyword = match["keyword"] or match["keyword_after"]
        value = number(match["ordinal"] or match["ordinal_before"])
        if value is not None and keyword[0].isupper():
            start, end = match.span()
            follows_another = bool(places) and not line[places[-1].end : start].strip(_PUNCTUATION + " ")
            may_open = (
                follows_another or _follows_a_sentence(line, start) or _stands_by_itself(line, start, end)
            )
            mark = Mark(f"{keyword_level(keyword)} {match[0].isupper()}", value, start)
            places.append(_Place(start, end, mark if may_open else None))
    return places


def _headings(line: str, places: Sequence[_Place]) -> list[tuple[int, int]]:
    marked = [(place, place.mark) for place in places if place.mark]
    kept = in_sequence([mark for _, mark in marked], gap=_GAP, shortest=2)
    limits = [*(place.start for place in places), len(line)][1:]
    ends = {p.start: _end_of_title(line, p.end, limit) for p, limit in zip(places, limits, strict=False)}
    numbered = {marked[index][0].start for index in kept}
    schemes = {marked[index][1].scheme for index in kept}
    numbered |= {
        place.start  # the only chapter of a part
        for (before, _), (place, mark) in pairwise(marked)
        if mark.number == 1
        and mark.scheme in schemes
        and before.start in numbered
        and ends[before.start] >= place.start - 2
    }
    return [
        *((start, ends[start]) for start in numbered),
        *_romans(line),
        *(m.span() for m in _UNNUMBERED.finditer(line) if _follows_a_sentence(line, m.start())),
    ]


def _romans(line: str) -> Iterator[tuple[int, int]]:
    """Yield the bare Roman numbers that go up through the text: «… he said. II. The next day …»."""
    places = [m for m in _ROMAN.finditer(line) if _follows_a_sentence(line, m.start(), or_capitals=True)]
    marks = [Mark("", number(place["ordinal"]) or 0, place.start()) for place in places]
    yield from (places[index].span() for index in in_sequence(marks, gap=_LONG_GAP, shortest=3))


def _with_titles(
    line: str, headings: Sequence[tuple[int, int]], contents: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """Yield the headings, those with their titles that the contents name with one."""
    entries = [_PAGE.sub("", line[start:end]) for start, end in contents]
    titles = {entry[:_KEY]: entry for entry in entries if len(entry) > _KEY}
    for start, end in headings:
        entry = titles.get(line[start : start + _KEY], "")
        yield start, max(end, start + len(entry)) if line.startswith(entry, start) else end


def _contents(line: str, places: Sequence[_Place], headings: Set[int]) -> Iterator[tuple[int, int]]:
    """Yield the word that opens a list of contents, and each of its entries that has a number."""
    for word in _CONTENTS.finditer(line):
        if not _follows_a_sentence(line, word.start(), or_capitals=True):
            continue
        first = bisect_left(places, word.end(), key=lambda place: place.start)
        entries = [word.end()]
        for place in islice(places, first, None):
            if place.start in headings or place.start - entries[-1] > _GAP:
                end = place.start if place.start in headings else entries[-1]
                break
            entries.append(place.start)
        else:
            end = len(line) if len(line) - entries[-1] <= _GAP else entries[-1]
        yield word.span()
        yield from pairwise([*entries[1:], end])


def _follows_a_sentence(line: str, place: int, *, or_capitals: bool = False) -> bool:
    before = line[max(0, place - 20) : place]
    last = before.split()[-1:]
    is_after_capitals = or_capitals and bool(last) and last[0].isupper() and len(last[0]) > 2
    return is_after_capitals or _AFTER_A_SENTENCE.search(before) is not None


def _stands_by_itself(line: str, start: int, end: int) -> bool:
    """Tell whether no sentence goes on through a place: a name or a capital before it, a capital after it."""
    before = line[max(0, start - _CONTEXT) : start].split()
    after = line[end : end + _CONTEXT].lstrip(_PUNCTUATION + " ")
    is_mentioned = not before or not before[-1][0].isupper() or before[-1].lower() in _POINTS_AT
    return not is_mentioned and after[:1].isupper()


def _end_of_title(line: str, place: int, limit: int) -> int:
    """Return where a heading ends whose number ends at a place: after its words in capitals, if it has any."""
    end = place
    while end < limit and line[end] in _PUNCTUATION:
        end += 1
    is_followed_by_dot = end > place
    window = line[end : min(limit, end + _CONTEXT)]
    last = 0
    for word in re.finditer(r"(?P<space>\s*)(?P<word>\S+)", window):
        if len(word["space"]) > 1 or not _is_capitals(word["word"]):
            break
        last = word.end()
        if _ENDS_TITLE.search(word["word"]) and not _ABBREVIATION.fullmatch(word["word"]):
            break
    title = window[:last] if any(character.isalpha() for character in window[:last]) else ""
    while title and len(re.sub(r"\W", "", title.split()[-1])) < 2 and not _ENDS_TITLE.search(title):
        title = title[: title.rstrip().rfind(" ") + 1].rstrip() if " " in title.strip() else ""
    return end + len(title) if title or is_followed_by_dot else place


def _is_capitals(word: str) -> bool:
    return word.upper() == word and any(c.isalnum() or c in "&—–-" for c in word) and word[0] not in "[_|"
