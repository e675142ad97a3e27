"""Headings that only the whole text can tell: bare numbers, titles by their spacing, dates of a diary.

A line's form makes it a candidate; the text decides by what all candidates of that form do together: whether
their numbers go up from 1 with text between them, whether they stand apart, whether they are repeated.
"""

import re
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import accumulate, pairwise

from tgrag.ingest.headings import (
    ANOTHER_BOOK,
    ARTICLE,
    CHAPTER,
    SECTION,
    Heading,
    bare_roman,
    heading_number,
    is_capitals,
    is_contents_line,
    is_title_like,
    is_unnumbered,
    line_heading,
)
from tgrag.ingest.lined import APART, LinedText
from tgrag.ingest.ordinals import ROMAN, WORD, number, roman
from tgrag.ingest.sequences import Mark, in_sequence
from tgrag.ingest.text import starts_lower

_GAP = 200  # characters of text that a heading has below it, at least
_LIST_GAP = 300  # between bare numbers that are a list
_LONG_GAP = 500  # of one that nothing but its look tells
_MOST = 0.8  # of the candidates of one form: the rest may be misprints
_LONGEST = 100  # characters of a line that may be a heading
_REPEATED = 3  # times: a line of capitals that comes so often is a speaker or a sign
_FEWEST = 3  # headings of a form that nothing else confirms
_FEW_BLANKS = 0.01  # of the lines: then blank lines do not part paragraphs

_MONTHS = (
    "январ|феврал|март|апрел|ма[йя]|июн|июл|август|сентябр|октябр|ноябр|декабр|січ|лют|берез|квіт|трав|черв|лип"
    "|серп|верес|жовт|листопад|груд|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
)
_DATE = re.compile(
    rf"(?:\d{{1,2}}(?:-?[а-яі]{{1,3}}|st|nd|rd|th)?\s+(?:{_MONTHS})\w*"
    rf"|(?:{_MONTHS})\w*\s+\d{{1,2}}(?:st|nd|rd|th)?)\b\W*(?:\d{{4}}\W*)?(?:\w+\W*){{0,3}}",
    re.IGNORECASE,
)
_PERIOD = "(?:день|ночь|вечер|утро|ніч|вечір|day|night|evening|рассказ|сказка|казка|story|tale)"
_FORMS = (
    re.compile(r"(?P<ordinal>\d{1,3})[.)]?"),
    re.compile(r"(?P<ordinal>\d{1,3})[.)]\s+(?P<title>\D.*)"),
    re.compile(rf"(?P<ordinal>{ROMAN})\s*[.)—–-]+\s*(?P<title>[^\W\d_].*)"),
    re.compile(rf"(?P<ordinal>{WORD})\.?", re.IGNORECASE),
    re.compile(rf"(?:the\s)?(?P<ordinal>{WORD})\s{_PERIOD}[.:]?", re.IGNORECASE),
    re.compile(rf"{_PERIOD}\s(?P<ordinal>{WORD}|\d{{1,2}})[.:]?", re.IGNORECASE),
)
_BARE_ARABIC = _FORMS[0]
_DECIMAL = re.compile(r"(?P<path>\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+(?P<title>[^\W\d_].*)")


@dataclass(frozen=True, slots=True)
class Votes:
    """found: headings by line. no_chapters: Roman numbers, and repeated «Урок 12», that are none.

    repeated: lines that come again and again, in capitals or below a number, and are no title of it.
    mere_capitals: lines in capitals that are no title.
    """

    found: dict[int, Heading]
    no_chapters: Set[int]
    repeated: Set[int]
    mere_capitals: Set[int]


def vote(lines: Sequence[str]) -> Votes:
    """Return what a whole text says of its lines, blank ones being ""."""
    short = [index for index, line in enumerate(lines) if 0 < len(line) <= _LONGEST]
    strong = {index: heading for index in short if (heading := line_heading(lines[index]))}
    has_no_blanks = lines.count("") <= _FEW_BLANKS * len(lines)
    text = LinedText(lines, [0, *accumulate(map(len, lines))], strong, has_no_blanks)
    candidates = [index for index in short if index not in strong and not is_contents_line(lines[index])]
    found = _decimal(text, candidates) or _numbered(text, candidates)
    capitals = [i for i in candidates if is_capitals(lines[i]) and not is_unnumbered(lines[i])]
    repeated = _repeated(text, capitals)
    titles = [index for index in capitals if index not in repeated]
    stories = _stories(text, titles, found)
    found |= stories or _capitals_only(text, titles, found)
    found |= _apart(text, [index for index in candidates if index not in found])
    mere_capitals = repeated | (set() if stories else _mere_capitals(text, titles, found))
    if not strong and not found:
        found = _dates(text, candidates)
    letters, no_chapters = _romans(text, candidates, len(strong) + len(found))
    no_chapters |= _out_of_any_row(text)
    return Votes(found | letters, no_chapters, repeated | _echoes(text, found), mere_capitals)


def _out_of_any_row(text: LinedText) -> set[int]:
    """Return the lines that say the same number again and again where none says the number before it."""
    n_equal = Counter(heading.text for heading in text.strong.values())
    numbers = {heading_number(title) for title in n_equal}
    return {
        index
        for index, heading in text.strong.items()
        if n_equal[heading.text] >= _REPEATED
        and (value := heading_number(heading.text) or 1) > 1
        and value - 1 not in numbers
    }


def _echoes(text: LinedText, found: dict[int, Heading]) -> set[int]:
    """Return the lines below numbers that are the same below several: what somebody says, and no title."""
    first = [text.first_below(index) for index, heading in (text.strong | found).items() if heading.is_open]
    n_equal = Counter(text.lines[index] for index in first if index is not None)
    return {index for index in first if index is not None and n_equal[text.lines[index]] >= _REPEATED}


def _numbered(text: LinedText, candidates: Sequence[int]) -> dict[int, Heading]:
    """Return the headings of the forms whose numbers go up from 1 with text between them."""
    found: dict[int, Heading] = {}
    has_roman = any(bare_roman(heading.text) for heading in text.strong.values())
    for form in _FORMS:
        numbers: dict[int, int] = {}
        for index in candidates:
            match = form.fullmatch(text.lines[index])
            value = (
                number(match["ordinal"]) if match and _may_be_title(match.groupdict().get("title")) else None
            )
            if value is not None:
                numbers[index] = value
        level = ARTICLE if has_roman and form is _BARE_ARABIC else SECTION
        found |= {
            index: Heading(text.lines[index], level, is_open="title" not in form.groupindex)
            for index in _sequence(text, numbers)
        }
    return found


def _may_be_title(title: str | None) -> bool:
    return title is None or (not starts_lower(title) and title[-1] not in ",;:" and len(title.split()) <= 12)


def _sequence(text: LinedText, numbers: dict[int, int]) -> list[int]:
    """Return the lines of one form that number its text, or none where most of the others do not fit in."""
    below = text.below(numbers)
    lines = list(numbers)
    marks = [Mark("", numbers[line], text.offsets[line]) for line in lines]
    kept = {lines[index] for index in in_sequence(marks, gap=_GAP, shortest=_FEWEST)}
    with_text = {line for line in lines if below[line] >= _GAP}
    is_numbering = len(kept & with_text) >= _MOST * max(len(kept), len(with_text)) and sum(
        map(text.is_after_a_sentence, kept)
    ) >= 0.9 * len(kept)
    return sorted(kept) if is_numbering else []


def _decimal(text: LinedText, candidates: Sequence[int]) -> dict[int, Heading]:
    """Return headings such as «1.2.3 Title», with those of the level above, where their numbers keep in step."""
    paths: dict[int, tuple[int, ...]] = {}
    for index in candidates:
        match = _DECIMAL.fullmatch(text.lines[index])
        stands_apart = text.is_blank(index - 1) or text.is_after_a_sentence(index, paths)
        if match and stands_apart and is_title_like(match["title"]):
            paths[index] = tuple(map(int, match["path"].split(".")))
    seen: set[tuple[int, ...]] = {()}
    in_step = []
    for index, path in paths.items():
        if path[-1] == 1 or (*path[:-1], path[-1] - 1) in seen:
            in_step.append(index)
        seen.add(path)
    n_deep = sum(len(paths[index]) > 1 for index in in_step)
    n_characters = sum(text.below(in_step)[index] for index in in_step) if in_step else 0
    if n_deep < _FEWEST or len(in_step) < _MOST * len(paths) or n_characters < _GAP / 2 * len(in_step):
        return {}
    return {index: Heading(text.lines[index], CHAPTER - 1 + len(paths[index])) for index in in_step}


def _apart(text: LinedText, candidates: Sequence[int]) -> dict[int, Heading]:
    """Return titles that nothing but the blank lines around them tells, where that is the rule of the text."""
    apart = [
        index
        for index in candidates
        if text.blanks_before(index) >= APART and text.is_after_a_sentence(index)
    ]
    titles = [
        index
        for index in apart
        if text.is_blank(index + 1) and is_title_like(text.lines[index]) and index > 0
    ]
    n_equal = Counter(text.lines[index] for index in titles)
    below = text.below(titles)
    titles = [i for i in titles if below[i] >= _LONG_GAP and n_equal[text.lines[i]] < _REPEATED]
    if len(titles) < _FEWEST or len(titles) < _MOST * len(apart):
        return {}
    return {index: Heading(text.lines[index], CHAPTER) for index in titles}


def _repeated(text: LinedText, capitals: Sequence[int]) -> set[int]:
    """Return the lines in capitals that come again and again: speakers of a play, signs."""
    n_equal = Counter(text.lines[index] for index in capitals)
    return {index for index in capitals if n_equal[text.lines[index]] >= _REPEATED}


def _stories(text: LinedText, titles: Sequence[int], found: dict[int, Heading]) -> dict[int, Heading]:
    """Return the titles of several books in one text: in capitals, above numbers that begin anew."""
    headings = text.strong | found
    places = sorted({*titles, *headings})
    below = text.below(places)
    above_first = [
        a
        for a, b in pairwise(places)
        if a not in headings and b in headings and heading_number(text.lines[b]) == 1
        if below[a] < _LONG_GAP and _is_alone(text, a)
    ]
    if len(above_first) < 2:
        return {}
    others = [i for i in titles if below[i] >= _LONG_GAP and i > above_first[0] and _is_alone(text, i)]
    return {index: Heading(text.lines[index], ANOTHER_BOOK) for index in (*above_first, *others)}


def _capitals_only(text: LinedText, titles: Sequence[int], found: dict[int, Heading]) -> dict[int, Heading]:
    """Return the titles of a text in which nothing but capitals tells them."""
    if len(text.strong) + len(found) >= _FEWEST:
        return {}
    below = text.below(titles)
    alone = [index for index in titles if below[index] >= _LONG_GAP and _is_alone(text, index)]
    return {i: Heading(text.lines[i], CHAPTER) for i in alone} if len(alone) >= _FEWEST else {}


def _is_alone(text: LinedText, index: int) -> bool:
    """Tell whether a line stands between blank lines, or where a text has none, between sentences."""
    line = text.lines[index]
    if line[-1] in ".!?…" or sum(character.isalpha() for character in line) < 4:
        return False
    if text.has_no_blanks:
        return text.is_after_a_sentence(index) or is_capitals(text.lines[index - 1])
    return text.is_blank(index - 1) and text.is_blank(index + 1)


def _mere_capitals(text: LinedText, titles: Sequence[int], found: dict[int, Heading]) -> set[int]:
    """Return the lines in capitals that stand like any paragraph in a text whose headings are numbered."""
    if len(text.strong) + len(found) < _FEWEST:
        return set()
    headings = text.strong.keys() | found.keys()
    pairs = pairwise(sorted({*titles, *headings}))
    above_another = {a for a, b in pairs if b in headings and text.offsets[b] == text.offsets[a + 1]}
    return {i for i in titles if i not in headings and i not in above_another and text.blanks_before(i) < 2}


def _romans(text: LinedText, candidates: Sequence[int], n_others: int) -> tuple[dict[int, Heading], set[int]]:
    """Return the single letters that are Roman numbers in a row of such, and the Roman numbers that are no headings.

    These follow one another with no text between, or stand alone in a text whose headings are of another form.
    """
    romans = {i: heading for i, heading in text.strong.items() if bare_roman(heading.text)}
    letters = [
        i for i in candidates if len(text.lines[i].rstrip(".)")) == 1 and roman(text.lines[i].rstrip(".)"))
    ]
    lines = sorted({*romans, *letters})
    marks = [Mark("", number(text.lines[i].strip(".) ")) or 0, text.offsets[i]) for i in lines]
    kept = {lines[index] for index in in_sequence(marks, gap=_LIST_GAP, shortest=2)}
    crowded: set[int] = set()
    for (a, first), (b, second) in pairwise(zip(lines, marks, strict=True)):
        if second.number == first.number + 1 and text.offsets[b] - text.offsets[a + 1] < _LIST_GAP:
            crowded |= {a, b}
    is_alone = n_others - len(romans) >= _FEWEST
    found = {i: Heading(text.lines[i], SECTION, is_open=True) for i in letters if i in kept}
    return found, {i for i in romans if i in crowded or (is_alone and i not in kept)}


def _dates(text: LinedText, candidates: Sequence[int]) -> dict[int, Heading]:
    """Return the dates of a diary: lines of their own in a text that has no other headings."""
    dates = [
        index
        for index in candidates
        if _DATE.fullmatch(text.lines[index])
        and (text.is_blank(index - 1) or text.is_blank(index + 1))
        and text.is_after_a_sentence(index)
    ]
    below = text.below(dates)
    dates = [index for index in dates if below[index] >= _GAP]
    return {index: Heading(text.lines[index], SECTION) for index in dates} if len(dates) > _FEWEST else {}
