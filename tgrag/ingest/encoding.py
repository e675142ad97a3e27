"""Bytes to text: byte order marks, UTF-8 also when it is damaged, chardet for everything else.

docs/parsing.md has what was measured. chardet 7 is right more often than charset-normalizer; only where it is unsure
(a heading in capitals, a line of Windows-1251 that it takes for Mac Cyrillic) a judge of Cyrillic pages does better.
"""

import codecs
import re

import chardet

from tgrag.ingest.refusal import Refused

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARED = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([A-Za-z0-9_\-:.]+)""", re.IGNORECASE)
_DECLARATION_BYTES = 4096
_SAMPLE_BYTES = 50_000
_WIDE = ("utf-16", "utf-32")
_MOSTLY_ASCII = 0.8  # then there is too little of it to tell, and Western is the likeliest
_GOOD_FOR_A_BROKEN = 4  # so many whole characters beyond ASCII a broken one show that it is UTF-8

_SURE = 0.6  # chardet's confidence; below it the judge of Cyrillic pages is right more often
_CYRILLIC_PAGES = ("cp1251", "koi8_u", "koi8_r", "cp866", "cp1125", "iso8859_5", "mac_cyrillic")
_SUPERSETS = {"iso8859-1": "cp1252", "ascii": "cp1252"}  # chardet's own turn ISO 8859-5 into Windows-1251

# The letters that make up four fifths of Russian and of Ukrainian text.
_FREQUENT = frozenset("оеаинтсрвлкмдпуіяь")
_KNOWN = frozenset("абвгдежзийклмнопрстуфхцчшщъыьэюяёіїєґ")
_TYPOGRAPHY = frozenset("«»—–„“”‘’…№§°\u00a0©")
_PLAUSIBLE = (
    0.55  # Cyrillic text in its own code page scores above 0.6, Western text in any of them below 0.2
)

NOT_TEXT = "this is not text: it holds binary data; convert it to a document format such as DOCX, PDF or TXT"
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def decode(data: bytes) -> str:
    """Decode a text whose encoding nobody states. Raises Refused when it is not text at all."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            return data.decode(name, errors="replace")
    has_zeros = b"\x00" in data[:_SAMPLE_BYTES]
    text = None if has_zeros else _utf8(data)
    if text is None:
        text = _detected(data, has_zeros)
    if text is None or len(_CONTROL.findall(text[:_SAMPLE_BYTES])) > len(text[:_SAMPLE_BYTES]) / 100:
        raise Refused(NOT_TEXT)
    return text


def decode_markup(data: bytes) -> str:
    """Decode HTML or XML: byte order mark, then UTF-8 when it is nothing else, then what it declares."""
    marked = any(data.startswith(mark) for mark, _ in _MARKS)
    declared = _DECLARED.search(data[:_DECLARATION_BYTES])
    if marked or not declared or _is_utf8(data):
        return decode(data)
    try:
        return data.decode(declared[1].decode("ascii"))
    except (UnicodeDecodeError, LookupError):
        return decode(data)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _utf8(data: bytes) -> str | None:
    text = data.decode("utf-8", errors="replace")
    n_broken = text.count("\ufffd")
    if not n_broken:
        return text
    n_whole = len(text) - sum(byte < 0x80 for byte in data) - n_broken
    return text if n_broken * _GOOD_FOR_A_BROKEN <= n_whole else None


def _detected(data: bytes, is_wide: bool) -> str | None:
    """Decode by what the beginning looks like. is_wide: nothing but UTF-16 and UTF-32 will do."""
    sample = data[:_SAMPLE_BYTES]
    found = chardet.detect(sample, compat_names=False)
    encoding = found["encoding"]
    if is_wide:
        return data.decode(encoding, errors="replace") if encoding and encoding.startswith(_WIDE) else None
    if encoding is None or encoding == "mac-cyrillic" or found["confidence"] < _SURE:
        is_western = sum(byte < 0x80 for byte in sample) >= _MOSTLY_ASCII * len(sample)
        encoding = _cyrillic_page(sample) or ("cp1252" if is_western else encoding)
    return data.decode(_SUPERSETS.get(encoding, encoding), errors="replace") if encoding else None


def _cyrillic_page(sample: bytes) -> str | None:
    scores = {page: _plausibility(sample.decode(page, errors="replace")) for page in _CYRILLIC_PAGES}
    best = max(_CYRILLIC_PAGES, key=lambda page: scores[page])
    return best if scores[best] >= _PLAUSIBLE else None


def _plausibility(text: str) -> float:
    """Return how much the non-ASCII characters look like Russian or Ukrainian words, at most 1."""
    score, n_characters = 0.0, 0
    for before, character, after in zip(" " + text, text, text[1:] + " ", strict=False):
        if character.isascii():
            continue
        n_characters += 1
        small = character.lower()
        if small in _KNOWN:
            score += 1 if small in _FREQUENT else 0.6
            is_amid_latin = (before.isascii() and before.isalpha()) or (after.isascii() and after.isalpha())
            score -= 0.8 if is_amid_latin or (character.isupper() and before.islower()) else 0
        elif character not in _TYPOGRAPHY:
            score -= 1
    return score / n_characters if n_characters else 0
