"""Small operations on text that every reader shares."""

import re
import unicodedata

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff\u202a-\u202e\x00-\x08\x0e-\x1f\x7f]")
_LATIN = re.compile("[A-Za-z]")
_TWO_ALPHABETS = re.compile("[A-Za-z][\u0400-\u04ff]|[\u0400-\u04ff][A-Za-z]")
_LOOKALIKES = str.maketrans("ABCEHIKMOPTXaceiopxyïÏ", "АВСЕНІКМОРТХасеіорхуїЇ")
_ENDS_SENTENCE = re.compile(r"""[.!?…:][»”"'’)\]]*$""")
_CLOSING_MARKS = 8  # characters at a sentence's end, at most
_STARTS_LOWER = re.compile(r"[^\W\d_]")
_HYPHENS = ("-", "‐")
_BROKEN_WORD = re.compile(r"[^\W\d_]{2,}[-‐]$")
# Particles that Russian and Ukrainian write with a hyphen: the hyphen before one of them belongs to the word.
_HYPHENATED = re.compile(r"(?:то|нибудь|либо|таки|небудь|ка|де|с)\b", re.IGNORECASE)
_PREFIXES = re.compile(r"(?:^|\W)(?:кое|кой|по|во|в|из|self|well|non|ex)-$", re.IGNORECASE)


def clean(text: str) -> str:
    """Bring text to NFC and remove what nobody sees: soft hyphens, zero-width and control characters.

    Latin letters inside a Cyrillic word that look like Cyrillic ones become those («лiкар» typed with a Latin i
    would else never be found).
    """
    text = unicodedata.normalize("NFC", _INVISIBLE.sub("", text))
    pieces, last = [], 0
    for pair in _TWO_ALPHABETS.finditer(text):
        start, end = pair.span()
        while start > last and text[start - 1].isalpha():
            start -= 1
        while end < len(text) and text[end].isalpha():
            end += 1
        if start >= last:
            pieces += [text[last:start], _mended(text[start:end])]
            last = end
    return "".join((*pieces, text[last:]))


def _mended(word: str) -> str:
    mended = word.translate(_LOOKALIKES)
    n_changed = sum(a != b for a, b in zip(word, mended, strict=True))
    return mended if len(word) > 2 and 2 * n_changed < len(word) and not _LATIN.search(mended) else word


def squeeze(text: str) -> str:
    """Make one space of every run of white space."""
    return " ".join(text.split())


def squeeze_lines(text: str) -> str:
    """Squeeze each line and drop the empty ones."""
    return "\n".join(line for line in map(squeeze, text.split("\n")) if line)


def ends_sentence(text: str) -> bool:
    return bool(_ENDS_SENTENCE.search(text[-_CLOSING_MARKS:]))


def starts_lower(text: str) -> bool:
    """Tell whether the first character is a small letter."""
    return bool(_STARTS_LOWER.match(text)) and text[0].islower()


def join_lines(first: str, second: str) -> str:
    """Join two printed lines of one paragraph; a word that was broken at the line's end becomes whole."""
    if first[-1:] not in _HYPHENS or not starts_lower(second) or not _BROKEN_WORD.search(first[-3:]):
        return f"{first} {second}"
    keeps_hyphen = _HYPHENATED.match(second) or _PREFIXES.search(first[-6:])
    return (first if keeps_hyphen else first[:-1]) + second
