"""Numbers as people write them in headings and questions: digits, Roman numerals, words in three languages."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from tgrag.language import fold, lemma, words
from tgrag.records import LANGUAGES, Language

Kind = Literal["book", "part", "chapter"]

_KIND_WORDS: dict[Kind, str] = {
    "book": "книга том book volume",
    "part": "часть частина part",
    "chapter": "глава раздел розділ chapter section",
}
KINDS: dict[str, Kind] = {word: kind for kind, listed in _KIND_WORDS.items() for word in listed.split()}

_NUMBERS = (
    # value, cardinals, ordinals
    (1, "один one", "первый перший перше first"),
    (2, "два two", "второй другий second"),
    (3, "три three", "третий третій third"),
    (4, "четыре чотири four", "четвертый четвертий fourth"),
    (5, "пять п'ять five", "пятый п'ятий fifth"),
    (6, "шесть шість six", "шестой шостий sixth"),
    (7, "семь сім seven", "седьмой сьомий seventh"),
    (8, "восемь вісім eight", "восьмой восьмий eighth"),
    (9, "девять дев'ять nine", "девятый дев'ятий ninth"),
    (10, "десять ten", "десятый десятий tenth"),
    (11, "одиннадцать одинадцять eleven", "одиннадцатый одинадцятий eleventh"),
    (12, "двенадцать дванадцять twelve", "двенадцатый дванадцятий twelfth"),
    (13, "тринадцать тринадцять thirteen", "тринадцатый тринадцятий thirteenth"),
    (14, "четырнадцать чотирнадцять fourteen", "четырнадцатый чотирнадцятий fourteenth"),
    (15, "пятнадцать п'ятнадцять fifteen", "пятнадцатый п'ятнадцятий fifteenth"),
    (16, "шестнадцать шістнадцять sixteen", "шестнадцатый шістнадцятий sixteenth"),
    (17, "семнадцать сімнадцять seventeen", "семнадцатый сімнадцятий seventeenth"),
    (18, "восемнадцать вісімнадцять eighteen", "восемнадцатый вісімнадцятий eighteenth"),
    (19, "девятнадцать дев'ятнадцять nineteen", "девятнадцатый дев'ятнадцятий nineteenth"),
    (20, "двадцать двадцять twenty", "двадцатый двадцятий twentieth"),
    (30, "тридцать тридцять thirty", "тридцатый тридцятий thirtieth"),
    (40, "сорок forty", "сороковой сороковий fortieth"),
    (50, "пятьдесят п'ятдесят fifty", "пятидесятый п'ятдесятий fiftieth"),
    (60, "шестьдесят шістдесят sixty", "шестидесятый шістдесятий sixtieth"),
    (70, "семьдесят сімдесят seventy", "семидесятый сімдесятий seventieth"),
    (80, "восемьдесят вісімдесят eighty", "восьмидесятый вісімдесятий eightieth"),
    (90, "девяносто дев'яносто ninety", "девяностый дев'яностий ninetieth"),
)
_CARDINALS = {word: value for value, cardinals, _ in _NUMBERS for word in cardinals.split()}
_ORDINALS = {word: value for value, _, ordinals in _NUMBERS for word in ordinals.split()}

_LATIN_LOOKALIKES = str.maketrans("ІХСМ", "IXCM")  # Cyrillic letters that typists use in Roman numerals
_ROMAN = re.compile(r"M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
_LEADING_NUMBER = re.compile(
    r"(?:№\s*)?(?:([0-9]{1,9})|([IVXLCDMІХСМ]+))(\s*[.):—–-](?!\d)|\s*$|\s+)(.*)", re.DOTALL
)
_DIGITS = re.compile(r"([0-9]{1,4})([-‑]?(?:st|nd|rd|th|[а-яіїє]{1,3}))?")
_EDGES = ' \t\n.,:;—–-()[]«»"“”'


def roman(text: str) -> int | None:
    """Return the value of a Roman numeral in capitals (look-alike Cyrillic letters count), or None."""
    numeral = text.translate(_LATIN_LOOKALIKES)
    if not numeral or not _ROMAN.fullmatch(numeral):
        return None
    values = [_ROMAN_VALUES[letter] for letter in numeral]
    return sum(-a if a < b else a for a, b in zip(values, [*values[1:], 0], strict=True))


@dataclass(frozen=True, slots=True)
class Number:
    """is_ordinal: «third», «3rd», III, not «three» or «3»."""

    value: int
    n_words: int
    is_ordinal: bool


def number_at(tokens: Sequence[str], place: int) -> Number | None:
    """Return the number written at a place in a list of words, or None."""
    token = tokens[place]
    digits = _DIGITS.fullmatch(token)
    if digits:
        return Number(int(digits[1]), 1, digits[2] is not None)
    number = _in_words(token)
    if number is not None:
        following = _in_words(tokens[place + 1]) if place + 1 < len(tokens) else None
        if number.value >= 20 and following is not None and following.value < 10:
            return Number(number.value + following.value, 2, following.is_ordinal)
        return number
    numeral = roman(token)
    return None if numeral is None else Number(numeral, 1, True)


def kind_of(word: str) -> Kind | None:
    """Return what a word names: a book, a part or a chapter of it, in any inflection; else None."""
    return next((KINDS[form] for form in _forms(word) if form in KINDS), None)


def _in_words(word: str) -> Number | None:
    tens_word, _, units_word = word.replace("‑", "-").partition("-")
    if units_word:  # twenty-first
        tens, units = _in_words(tens_word), _in_words(units_word)
        if tens and units and tens.value >= 20 and units.value < 10:
            return Number(tens.value + units.value, 1, units.is_ordinal)
        return None
    for form in _forms(word):
        if form in _ORDINALS:
            return Number(_ORDINALS[form], 1, True)
        if form in _CARDINALS:
            return Number(_CARDINALS[form], 1, False)
    return None


@lru_cache(maxsize=20_000)
def _forms(word: str) -> tuple[str, ...]:
    languages: tuple[Language, ...] = LANGUAGES
    return (fold(word), *(lemma(word, language) for language in languages))


@dataclass(frozen=True, slots=True)
class Heading:
    """kind: None when the heading only has a number, or neither. title: what is left without both."""

    kind: Kind | None
    number: int | None
    title: str


@lru_cache(maxsize=20_000)
def read_heading(text: str) -> Heading:
    """Read «Глава III. Обман», «Часть первая», «Third Chapter», «IV», «12. Обов'язки», or a title alone."""
    tokens = words(text)
    found = numbered_place(tokens, 0)
    if found:
        kind, number, n_words = found
        return Heading(kind, number, _after(text, tokens[:n_words]))
    leading = _LEADING_NUMBER.match(text.strip())
    if leading:
        digits, numeral, mark, rest = leading.groups()
        value = int(digits) if digits else roman(numeral)
        is_marked = bool(mark.strip()) or not rest
        if value is not None and (is_marked or (numeral and len(numeral) > 1)):
            return Heading(None, value, rest.strip(_EDGES))
    return Heading(None, None, text.strip(_EDGES))


def numbered_place(tokens: Sequence[str], place: int) -> tuple[Kind, int, int] | None:
    """Return kind, number and length in words of «chapter 5», «Глава пятая» or «fifth chapter» at a place."""
    if place + 1 >= len(tokens):
        return None
    kind = kind_of(tokens[place])
    number = number_at(tokens, place + 1 if kind else place)
    if kind:
        return (kind, number.value, 1 + number.n_words) if number else None
    if number and number.is_ordinal and place + number.n_words < len(tokens):
        kind = kind_of(tokens[place + number.n_words])
        return (kind, number.value, number.n_words + 1) if kind else None
    return None


def numbered_places(tokens: Sequence[str]) -> list[tuple[Kind, int, range]]:
    """Return kind, number and place of every «chapter five» in a list of words."""
    found = [(place, numbered_place(tokens, place)) for place in range(len(tokens))]
    return [(named[0], named[1], range(place, place + named[2])) for place, named in found if named]


def _after(text: str, leading: Sequence[str]) -> str:
    place = 0
    for word in leading:
        place = text.index(word, place) + len(word)
    return text[place:].strip(_EDGES)
