"""Numbers as headings and file names write them: Arabic, Roman, and words in Russian, Ukrainian and English."""

import re

_RU = (
    "перв втор трет четв[её]рт пят шест седьм восьм девят десят одиннадцат двенадцат тринадцат четырнадцат"
    " пятнадцат шестнадцат семнадцат восемнадцат девятнадцат двадцат тридцат сороков пятидесят"
)
_UK = (
    "перш друг трет четверт п['’ʼ]ят шост сьом восьм дев['’ʼ]ят десят одинадцят дванадцят тринадцят чотирнадцят"
    " п['’ʼ]ятнадцят шістнадцят сімнадцят вісімнадцят дев['’ʼ]ятнадцят двадцят тридцят сороков п['’ʼ]ятдесят"
)
_EN = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen twenty thirty forty fifty"
)
_EN_ORDINAL = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth"
    " fifteenth sixteenth seventeenth eighteenth nineteenth twentieth thirtieth fortieth fiftieth"
)
_RU_TENS, _UK_TENS = "двадцать тридцать сорок пятьдесят", "двадцять тридцять сорок п['’ʼ]ятдесят"
_EN_TENS = "twenty thirty forty fifty"
_VALUES = (*range(1, 21), 30, 40, 50)
_ENDINGS = "ый|ий|ой|ій|ая|яя|ое|ее|ья|ье|а|я|е|є"
_LAST = rf"(?:последн|останн)(?:{_ENDINGS})|last|final"

_CYRILLIC_STEMS = [*zip(_RU.split(), _VALUES, strict=True), *zip(_UK.split(), _VALUES, strict=True)]
_ENGLISH_WORDS = [*zip(_EN.split(), _VALUES, strict=True), *zip(_EN_ORDINAL.split(), _VALUES, strict=True)]
_TENS = [
    (word, value)
    for words in (_RU_TENS, _UK_TENS, _EN_TENS)
    for word, value in zip(words.split(), (20, 30, 40, 50), strict=True)
]
_UNITS = [
    *((rf"{stem}(?:{_ENDINGS})", value) for stem, value in _CYRILLIC_STEMS),
    *_ENGLISH_WORDS,
]

WORD = rf"(?:(?:{'|'.join(word for word, _ in _TENS)})[\s-]+)?(?:{'|'.join(word for word, _ in _UNITS)}|{_LAST})\b"
ARABIC = r"(?:№|No?\.?|#)?\s?\d{1,3}(?:\.\d{1,3})*(?:-?(?:[а-яі]{1,2}|st|nd|rd|th)\b)?"
ROMAN = r"(?-i:[IVXLCDMІХСМ]{1,9}|[ivxlc]{1,9})(?![\w])"
"""Patterns for re.IGNORECASE. Roman numbers may be typed with Cyrillic letters that look alike."""

_LATIN_LOOKALIKES = str.maketrans("ІХСМ", "IXCM")
_ROMAN_NUMBER = re.compile(
    r"(?=.)M{0,3}(?:C[MD]|D?C{0,3})(?:X[CL]|L?X{0,3})(?:I[XV]|V?I{0,3})", re.IGNORECASE
)
_ROMAN_DIGITS = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
_TENS_PATTERN = [(re.compile(rf"{word}[\s-]+", re.IGNORECASE), value) for word, value in _TENS]
_UNITS_PATTERN = [(re.compile(word, re.IGNORECASE), value) for word, value in _UNITS]
_ARABIC_NUMBER = re.compile(r"\D{0,4}(\d{1,3})(?:-?\w{1,2})?")


def number(ordinal: str) -> int | None:
    """Return the number that an ordinal says: «III», «3-я», «No. 3», «третья», "twenty-one"; None if it says none."""
    ordinal = ordinal.strip()
    arabic = _ARABIC_NUMBER.fullmatch(ordinal)
    if arabic:
        return int(arabic[1])
    return roman(ordinal) or _word_number(ordinal)


def roman(text: str) -> int | None:
    """Return the value of a Roman number in letters of one case, also in look-alike Cyrillic ones; else None."""
    latin = text.translate(_LATIN_LOOKALIKES)
    if not (latin.isupper() or latin.islower()) or not _ROMAN_NUMBER.fullmatch(latin):
        return None
    digits = [_ROMAN_DIGITS[digit] for digit in latin.upper()]
    return sum(-a if a < b else a for a, b in zip(digits, [*digits[1:], 0], strict=True))


def _word_number(text: str) -> int | None:
    for pattern, tens in _TENS_PATTERN:
        match = pattern.match(text)
        if match:
            unit = _word_number(text[match.end() :])
            return tens + unit if unit and unit < 10 else None
    return next((value for pattern, value in _UNITS_PATTERN if pattern.fullmatch(text)), None)
