"""Headings in text that has no markup, told from the line itself and its nearest neighbours.

A decision never looks further, so that the beginning of a text is parsed in the same way whether or not
its end is there. Levels are fixed by kind, for the same reason: a chapter is on the chapter level also in
a book without parts.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

VOLUME, BOOK, PART, DIVISION, CHAPTER, SECTION, ARTICLE = range(1, 8)

_KEYWORDS = {
    VOLUME: "том volume vol",
    BOOK: "книга book",
    PART: "часть частина part act действие дія приложение додаток appendix annex",
    DIVISION: "раздел розділ",
    CHAPTER: "глава chapter canto песнь",
    SECTION: "section scene сцена явление ява §",
    ARTICLE: "статья стаття article",
}
_LEVEL = {word: level for level, words in _KEYWORDS.items() for word in words.split()}

# What opens a book or a part stands beside its sections; what closes a book stands beside its parts.
_OPENING = (
    "предисловие|пролог|введение|вступление|от автора|от издателя|от переводчика|от редактора|к читателю|"
    "вместо предисловия|передмова|вступ|від автора|від видавця|від перекладача|до читача|замість передмови|"
    "preface|prologue|introduction|foreword|author'?s note|introductory note|to the reader"
)
_CLOSING = (
    "эпилог|заключение|послесловие|приложени[ея]|примечани[ея]|комментари[ий]|"
    "епілог|післямова|висновок|висновки|додаток|додатки|примітк[аи]|коментар|коментарі|"
    "epilogue|conclusion|afterword|postscript|appendix|appendices|notes|endnotes|commentary"
)
_RU = (
    "перв втор трет четв[её]рт пят шест седьм восьм девят десят одиннадцат двенадцат тринадцат четырнадцат пятнадцат"
    " шестнадцат семнадцат восемнадцат девятнадцат двадцат тридцат сороков пятидесят последн"
)
_UK = (
    "перш друг трет четверт п['’ʼ]ят шост сьом восьм дев['’ʼ]ят десят одинадцят дванадцят тринадцят чотирнадцят"
    " п['’ʼ]ятнадцят шістнадцят сімнадцят вісімнадцят дев['’ʼ]ятнадцят двадцят тридцят сороков останн"
)
_EN = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen twenty thirty forty fifty first second third fourth fifth sixth seventh eighth ninth tenth"
    " eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth thirtieth"
    " last final"
)
_TENS = "двадцать|тридцать|сорок|пятьдесят|двадцять|тридцять|п['’ʼ]ятдесят|twenty|thirty|forty|fifty"
_ENDINGS = "ый|ий|ой|ій|ая|яя|ое|ее|ья|ье|а|я|е|є"
_WORD = rf"(?:(?:{_TENS})[\s-]+)?(?:(?:{'|'.join((_RU + ' ' + _UK).split())})(?:{_ENDINGS})|(?:{'|'.join(_EN.split())}))\b"
_ARABIC = r"(?:№|No?\.?|#)?\s?\d{1,3}(?:\.\d{1,3})*(?:-?(?:[а-яі]{1,2}|st|nd|rd|th)\b)?"
_ROMAN = r"(?-i:[IVXLCDMІХСМ]{1,9}|[ivxlc]{1,9})(?![\w])"
_LATIN_LOOKALIKES = str.maketrans("ІХСМ", "IXCM")
_ROMAN_NUMBER = re.compile(
    r"(?=.)M{0,3}(?:C[MD]|D?C{0,3})(?:X[CL]|L?X{0,3})(?:I[XV]|V?I{0,3})", re.IGNORECASE
)

_KEYWORD = r"(?P<keyword>" + "|".join(sorted(_LEVEL, key=len, reverse=True)) + r")(?!\w)\.?"
_ORDINAL = rf"(?P<ordinal>{_WORD}|{_ROMAN}|{_ARABIC})"
_FORWARD = re.compile(rf"{_KEYWORD}\s*(?:the\s+)?{_ORDINAL}(?P<rest>.*)", re.IGNORECASE)
_BACKWARD = re.compile(rf"(?:the\s+)?{_ORDINAL}\s+{_KEYWORD}(?P<rest>\s*(?:[.:—–-].*)?)", re.IGNORECASE)
_UNNUMBERED = re.compile(rf"(?:(?P<opening>{_OPENING})|(?P<closing>{_CLOSING}))[.:]?", re.IGNORECASE)
_BARE_ROMAN = re.compile(rf"(?P<ordinal>{_ROMAN})[.)]?")
_ROMAN_TITLE = re.compile(rf"(?P<ordinal>{_ROMAN})[.)]\s+(?P<title>.+)")

_REFERENCE = re.compile(r"\s*(?:\[\d+\]|\{\d+\}|\*+|(?<=[^\W\d_])\d{1,2})$")  # to a footnote
_CONTENTS_LINE = re.compile(r"(?:\.{3,}|…{2,}|(?:\.\s){3,}|\t)\s*\d*\s*$")
_SEPARATED = re.compile(r"\s*[.:)—–-]+\s*(?P<title>.*)")
_DESCRIPTIVE = re.compile(
    r",?\s+\(?(?P<title>(?:в котор|у як|де\b|о том|про те|in which|wherein|where|of )\S*.*)", re.IGNORECASE
)
_INITIALS = re.compile(r"(?:\w\.\s*)+\w")
_END_OF_BOOK = re.compile(r"(?:конец|кінець|the end|end of|fin\b|finis)", re.IGNORECASE)
_DIALOGUE = re.compile(r"""[—–\-"„“”*•]""")

MAX_TITLE_CHARACTERS, MAX_TITLE_WORDS = 70, 9
MAX_INLINE_TITLE_CHARACTERS = 160
MAX_BLANKS_BEFORE_TITLE = 4


@dataclass(frozen=True, slots=True)
class Heading:
    """text: as it stands in the document; level: from 1; is_open: a title may follow on the next line."""

    text: str
    level: int
    is_open: bool = False


def line_heading(line: str) -> Heading | None:
    """Return the heading that a line is by its own words, whatever stands around it."""
    if (
        not line
        or len(line) > MAX_INLINE_TITLE_CHARACTERS
        or line[0].islower()
        or _CONTENTS_LINE.search(line)
    ):
        return None
    bare = _REFERENCE.sub("", line)
    return _numbered(line, bare) or _bare_roman(line, bare)


def heading_at(lines: Sequence[str], index: int) -> tuple[Heading, int] | None:
    """Return the heading that begins at a line, and how many lines it takes. Blank lines are "".

    The title that follows a numbered heading becomes part of it: «ГЛАВА I. СЕРЖАНТ ГВАРДИИ».
    """
    line = lines[index]
    heading = line_heading(line) or _unnumbered(lines, index) or _roman_with_title(lines, index)
    if heading is None:
        return None
    title, n_lines = _title_after(lines, index, heading) if heading.is_open else ("", 1)
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


def _bare_roman(line: str, bare: str) -> Heading | None:
    match = _BARE_ROMAN.fullmatch(bare)
    return Heading(line, SECTION, is_open=True) if match and _is_section_number(match["ordinal"]) else None


def _unnumbered(lines: Sequence[str], index: int) -> Heading | None:
    line = lines[index]
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


def _title_after(lines: Sequence[str], index: int, heading: Heading) -> tuple[str, int]:
    """Return the title below an open heading and the number of lines that both take together."""
    first = index + 1
    while first < len(lines) and not lines[first] and first - index <= MAX_BLANKS_BEFORE_TITLE:
        first += 1
    if first >= len(lines) or not lines[first] or _opens_heading(lines, first):
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
    if not re.fullmatch(_ROMAN, ordinal):
        return True
    return _ROMAN_NUMBER.fullmatch(ordinal.translate(_LATIN_LOOKALIKES)) is not None


def _is_section_number(ordinal: str) -> bool:
    """A Roman number in capitals; a single C, D, L or M is an initial."""
    latin = ordinal.translate(_LATIN_LOOKALIKES)
    return latin.isupper() and _ROMAN_NUMBER.fullmatch(latin) is not None and latin not in "CDLM"
