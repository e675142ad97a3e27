"""Headings in text that has no markup, told from the line itself and its nearest neighbours.

Levels are fixed by kind: a chapter is on the chapter level also in a book without parts. What only the whole
document can tell (bare numbers, spacing, repetition) is the matter of ``votes``.
"""

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass

from tgrag.ingest.ordinals import ARABIC, ROMAN, WORD, number, roman

ANOTHER_BOOK, VOLUME, BOOK, PART, DIVISION, CHAPTER, SECTION, ARTICLE = range(8)

_LEVEL_WORDS = {
    VOLUME: "том volume vol",
    BOOK: "книга book",
    PART: "часть частина part act действие дія приложение додаток appendix annex",
    DIVISION: "раздел розділ",
    CHAPTER: "глава chapter canto песнь пісня stave letter письмо лекция лекція lecture lesson урок",
    SECTION: "section scene сцена картина явление ява параграф §",
    ARTICLE: "статья стаття article",
}
_LEVEL = {word: level for level, words in _LEVEL_WORDS.items() for word in words.split()}

# What opens a book or a part stands beside its sections; what closes a book stands beside its parts.
OPENING = (
    "предисловие|пролог|введение|вступление|от автора|от издателя|от переводчика|от редактора|к читателю|"
    "вместо предисловия|передмова|вступ|від автора|від видавця|від перекладача|до читача|замість передмови|"
    "preface|prologue|induction|introduction|foreword|author'?s note|introductory note|to the reader"
)
CLOSING = (
    "эпилог|заключение|послесловие|приложени[ея]|примечани[ея]|комментари[ий]|"
    "епілог|післямова|висновок|висновки|додаток|додатки|примітк[аи]|коментар|коментарі|"
    "epilogue|conclusion|afterword|postscript|appendix|appendices|notes|endnotes|commentary"
)
KEYWORDS = "|".join(sorted(_LEVEL, key=len, reverse=True))
_KEYWORD = rf"(?P<keyword>{KEYWORDS})(?!\w)\.?"
_ORDINAL = rf"(?P<ordinal>{WORD}|{ROMAN}|{ARABIC})"
_FORWARD = re.compile(rf"{_KEYWORD}\s*(?:the\s+)?{_ORDINAL}(?P<rest>.*)", re.IGNORECASE)
_BACKWARD = re.compile(rf"(?:the\s+)?{_ORDINAL}\s+{_KEYWORD}(?P<rest>\s*(?:[.:—–-].*)?)", re.IGNORECASE)
_UNNUMBERED = re.compile(rf"(?:the )?(?:(?P<opening>{OPENING})|(?P<closing>{CLOSING}))[.:]?", re.IGNORECASE)
_BARE_ROMAN = re.compile(rf"(?P<ordinal>{ROMAN})[.)]?")
_ROMAN_TITLE = re.compile(rf"(?P<ordinal>{ROMAN})[.)]\s+(?P<title>.+)")
_SPACED = re.compile(r"(?:\w ){4,40}\w\.?")  # «Г Л А В А П Е Р В А Я»
_RUN_TOGETHER = re.compile(rf"(?P<keyword>{KEYWORDS})(?:{WORD}|{ROMAN}|{ARABIC})\.?", re.IGNORECASE)
_ABBREVIATED = re.compile(rf"(?:Гл|Ch)\. ?(?:{ROMAN}|\d{{1,3}})\.?")
_LEADING_NUMBER = re.compile(
    rf"(?:{_KEYWORD}\s*(?:the\s+)?{_ORDINAL}[\s.:)—–-]+|(?:{ROMAN}|\d{{1,3}}(?:\.\d{{1,3}})*)(?:[.:)—–-]+\s*|\s+))(?=\S)",
    re.IGNORECASE,
)
_STARTS_WITH_NUMBER = re.compile(rf"(?P<ordinal>{ROMAN}|\d{{1,3}})(?=[\s.)—–-]|$)")

_REFERENCE = re.compile(r"\s*(?:\[\d+\]|\{\d+\}|\*+|(?<=[^\W\d_])\d{1,2})$")  # to a footnote
_CONTENTS_LINE = re.compile(r"(?:\.{3,}|…{2,}|(?:\.\s){3,}|\t)\s*\d*\s*$")
_SEPARATED = re.compile(r"\s*[.:)—–-]+\s*(?P<title>.*)")
_DESCRIPTIVE = re.compile(
    r",?\s+\(?(?P<title>(?:в котор|у як|де\b|о том|про те|in which|wherein|where|of )\S*.*)", re.IGNORECASE
)
CONTENTS_WORD = re.compile(
    r"(?:table of )?contents|оглавление|содержание|зміст|list of (?:chapters|illustrations|plates|figures|tables)"
    r"|список иллюстраций|перелік ілюстрацій|перечень глав",
    re.IGNORECASE,
)
_INITIALS = re.compile(r"(?:\w\.\s*)+\w")
_END_OF_BOOK = re.compile(r"(?:конец|кінець|the end|end of|fin\b|finis)", re.IGNORECASE)
_DIALOGUE = re.compile(r"""[—–\-"„“”*•]""")

_LONGEST_ROMAN, _LONGEST_UNNUMBERED = 16, 40  # characters
_AROUND_WORDS = ".,:;—–-"
MAX_TITLE_CHARACTERS, MAX_TITLE_WORDS = 70, 9
MAX_INLINE_TITLE_CHARACTERS = 160
MAX_BLANKS_BEFORE_TITLE = 4


@dataclass(frozen=True, slots=True)
class Heading:
    """text: as it stands in the document; level: from 1; is_open: a title may follow on the next line."""

    text: str
    level: int
    is_open: bool = False


def keyword_level(keyword: str) -> int:
    """Return the level of a word of KEYWORDS."""
    return _LEVEL[keyword.lower()]


def line_heading(line: str) -> Heading | None:
    """Return the heading that a line is by its own words, whatever stands around it."""
    if line[:1] == "[" and line[-1] == "]" and len(line) <= MAX_TITLE_CHARACTERS:
        inner = _numbered(line[1:-1], line[1:-1])
        return Heading(line, inner.level, is_open=True) if inner and inner.is_open else None
    if _SPACED.fullmatch(line) and (spaced := _RUN_TOGETHER.fullmatch(line.replace(" ", ""))):
        return Heading(line, _LEVEL[spaced["keyword"].lower()], is_open=True)
    if _ABBREVIATED.fullmatch(line):
        return Heading(line, CHAPTER, is_open=True)
    if (
        not line
        or len(line) > MAX_INLINE_TITLE_CHARACTERS
        or line[0].islower()
        or not _has_keyword_or_is_short(line)
        or _CONTENTS_LINE.search(line)
    ):
        return None
    bare = _REFERENCE.sub("", line)
    return _numbered(line, bare) or (Heading(line, SECTION, is_open=True) if bare_roman(line) else None)


def _has_keyword_or_is_short(line: str) -> bool:
    """Tell cheaply what most lines are not: a keyword among the first words, or no longer than a Roman number."""
    return (
        len(line) <= _LONGEST_ROMAN
        or line[0] == "§"
        or not _LEVEL.keys().isdisjoint(
            word.strip(_AROUND_WORDS) for word in line.lower().split(maxsplit=5)[:5]
        )
    )


def bare_roman(line: str) -> bool:
    """Tell whether a line is a Roman number and nothing else."""
    match = _BARE_ROMAN.fullmatch(_REFERENCE.sub("", line))
    return match is not None and _is_section_number(match["ordinal"])


def without_number(title: str) -> str:
    """Return the title in a heading such as «Глава I. Сержант гвардии», "II.--Muscles"; all of it where it has none."""
    match = _LEADING_NUMBER.match(title)
    return title[match.end() :] if match else title


def is_unnumbered(line: str) -> bool:
    """Tell whether a line is a word such as «Предисловие», "Epilogue"."""
    return _UNNUMBERED.fullmatch(_REFERENCE.sub("", line)) is not None


def heading_number(heading: str) -> int | None:
    """Return the number that a heading says, None if it says none."""
    bare = _REFERENCE.sub("", heading)
    match = _FORWARD.fullmatch(bare) or _BACKWARD.fullmatch(bare) or _STARTS_WITH_NUMBER.match(bare)
    return number(match["ordinal"]) if match else None


def is_bare_number(heading: str) -> bool:
    """Tell whether a heading says a number and no title: «Глава I», "II.", "3"."""
    found = line_heading(heading)
    return bool(found and found.is_open) or re.fullmatch(r"\d{1,3}[.)]?", heading) is not None


def is_contents_line(line: str) -> bool:
    """Tell whether a line ends like one of a table of contents: with dots, or a tab, before a page number."""
    return _CONTENTS_LINE.search(line) is not None


def heading_at(
    lines: Sequence[str], index: int, known: Heading | None = None, no_titles: Container[int] = ()
) -> tuple[Heading, int] | None:
    """Return the heading that begins at a line, and how many lines it takes. Blank lines are "".

    known: the heading that the line is, where the whole text has told so. no_titles: lines that are no title below it.

    The title that follows a numbered heading becomes part of it: «ГЛАВА I. СЕРЖАНТ ГВАРДИИ».
    """
    line = lines[index]
    if len(line) > MAX_INLINE_TITLE_CHARACTERS:
        return None
    heading = known or line_heading(line) or _unnumbered(lines, index) or _roman_with_title(lines, index)
    if heading is None:
        return None
    title, n_lines = _title_after(lines, index, heading, no_titles) if heading.is_open else ("", 1)
    if not title:
        return heading, 1
    separator = " " if title.startswith("(") else ". "
    return Heading(heading.text.rstrip(" .:") + separator + title, heading.level), n_lines


def is_capitals_heading(lines: Sequence[str], index: int) -> bool:
    """Tell whether a line is a title in capitals that stands alone between blank lines."""
    line = lines[index]
    return (
        is_capitals(line)
        and sum(character.isalpha() for character in line) >= 4
        and line[-1] not in ".!?…,;:"
        and _is_edge(lines, index - 1)
        and _is_edge(lines, index + 1)
    )


def is_capitals(line: str) -> bool:
    """Tell whether a line has the form of a title in capitals."""
    return (
        line.isupper()
        and len(line) <= MAX_TITLE_CHARACTERS
        and len(line.split()) <= MAX_TITLE_WORDS
        and not _DIALOGUE.match(line)
        and not _INITIALS.match(line)
        and not _END_OF_BOOK.match(line)
        and not CONTENTS_WORD.fullmatch(line.rstrip(". "))
        and line[-1] not in ",;:"
    )


def is_title_like(line: str) -> bool:
    """Tell whether a line has the form of a title: short, a capital first, no end of a sentence last."""
    return (
        0 < len(line) <= MAX_TITLE_CHARACTERS
        and len(line.split()) <= MAX_TITLE_WORDS
        and not line[0].islower()
        and any(character.isalpha() for character in line)
        and line[-1] not in ".!?…,;:"
        and not _DIALOGUE.match(line)
        and not _INITIALS.match(line)
        and not _END_OF_BOOK.match(line)
    )


def _numbered(line: str, bare: str) -> Heading | None:
    match = _FORWARD.fullmatch(bare) or _BACKWARD.fullmatch(bare)
    if match is None or not _is_ordinal(match["ordinal"]):
        return None
    level, rest = _LEVEL[match["keyword"].lower()], match["rest"].strip()
    if not rest.strip(".:—–- "):
        return Heading(line, level, is_open=True)
    separated = _SEPARATED.fullmatch(rest)
    if separated:
        return Heading(line, level) if _is_inline_title(separated["title"]) else None
    if _DESCRIPTIVE.fullmatch(match["rest"]):
        return Heading(line, level)
    return Heading(line, level) if rest[0] != "," and is_title_like(rest.lstrip("(«")) else None


def _unnumbered(lines: Sequence[str], index: int) -> Heading | None:
    line = lines[index]
    if len(line) > _LONGEST_UNNUMBERED:
        return None
    match = _UNNUMBERED.fullmatch(_REFERENCE.sub("", line))
    if match is None or not (line.isupper() or (line[0].isupper() and _is_edge(lines, index - 1))):
        return None
    return Heading(line, SECTION if match["opening"] else PART, is_open=True)


def _roman_with_title(lines: Sequence[str], index: int) -> Heading | None:
    line = lines[index]
    match = _ROMAN_TITLE.fullmatch(line)
    if match is None or not _is_section_number(match["ordinal"]) or not _is_edge(lines, index - 1):
        return None
    title = match["title"]
    is_a_name = len(match["ordinal"]) == 1 and len(title.split()) < 2 and not title.isupper()
    return Heading(line, SECTION) if is_title_like(title) and not is_a_name else None


def _title_after(
    lines: Sequence[str], index: int, heading: Heading, no_titles: Container[int]
) -> tuple[str, int]:
    """Return the title below an open heading and the number of lines that both take together."""
    first = index + 1
    while first < len(lines) and not lines[first] and first - index <= MAX_BLANKS_BEFORE_TITLE:
        first += 1
    if first >= len(lines) or not lines[first] or first in no_titles or _opens_heading(lines, first):
        return "", 1
    if is_capitals(lines[first]):
        last = first
        while last + 1 < min(len(lines), first + 3) and lines[last + 1] and is_capitals(lines[last + 1]):
            if _opens_heading(lines, last + 1):
                break
            last += 1
        return " ".join(lines[first : last + 1]), last + 1 - index
    is_numbered = _UNNUMBERED.fullmatch(heading.text) is None
    if is_numbered and is_title_like(lines[first].strip("()")) and _is_edge(lines, first + 1):
        return lines[first], first + 1 - index
    return "", 1


def _opens_heading(lines: Sequence[str], index: int) -> bool:
    return bool(line_heading(lines[index]) or _unnumbered(lines, index))


def _is_edge(lines: Sequence[str], index: int) -> bool:
    """Tell whether a place is blank, outside the text, or a heading by its own words."""
    return not 0 <= index < len(lines) or not lines[index] or line_heading(lines[index]) is not None


def _is_inline_title(title: str) -> bool:
    ends_like_text = title[-1:] in ",;…" or (title[-1:] in ".?!" and len(title.split()) > 12)
    return not ends_like_text and any(character.isalpha() for character in title)


def _is_ordinal(ordinal: str) -> bool:
    return not re.fullmatch(ROMAN, ordinal) or roman(ordinal) is not None


def _is_section_number(ordinal: str) -> bool:
    """A Roman number in capitals; a single C, D, L or M is an initial."""
    return ordinal.isupper() and roman(ordinal) is not None and ordinal not in "CDLMСМ"
