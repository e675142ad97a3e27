"""Bytes to text: byte order marks, UTF-8, the Cyrillic code pages, and charset-normalizer for the rest."""

import codecs
import re

from charset_normalizer import from_bytes

from tgrag.ingest.refusal import Refused

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CYRILLIC_PAGES = ("cp1251", "koi8_u", "koi8_r", "cp866", "cp1125", "iso8859_5", "mac_cyrillic")
_DECLARED = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([A-Za-z0-9_\-:.]+)""", re.IGNORECASE)
_DECLARATION_BYTES = 4096
_SAMPLE_BYTES = 50_000

# The letters that make up four fifths of Russian and of Ukrainian text.
_FREQUENT = frozenset("оеаинтсрвлкмдпуіяь")
_KNOWN = frozenset("абвгдежзийклмнопрстуфхцчшщъыьэюяёіїєґ")
_TYPOGRAPHY = frozenset("«»—–„“”‘’…№§°\u00a0©")
_PLAUSIBLE = (
    0.55  # Cyrillic text in its own code page scores above 0.6, Western text in any of them below 0.2
)
_MOSTLY_ASCII = 0.8
_DAMAGE = 0.002  # share of broken characters up to which UTF-8 is still UTF-8

NOT_TEXT = "this is not text: it holds binary data; convert it to a document format such as DOCX, PDF or TXT"
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def decode(data: bytes) -> str:
    """Decode a text whose encoding nobody states. Raises Refused when it is not text at all."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            return data.decode(name, errors="replace")
    if b"\x00" in data[:_SAMPLE_BYTES]:
        raise Refused(NOT_TEXT)
    text = _utf8(data) or _cyrillic(data) or _other(data)
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
    return text if text.count("\ufffd") <= len(text) * _DAMAGE else None


def _cyrillic(data: bytes) -> str | None:
    sample = data[:_SAMPLE_BYTES]
    scores = {page: _plausibility(sample.decode(page, errors="replace")) for page in _CYRILLIC_PAGES}
    best = max(_CYRILLIC_PAGES, key=lambda page: scores[page])
    return data.decode(best, errors="replace") if scores[best] >= _PLAUSIBLE else None


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


def _other(data: bytes) -> str | None:
    sample = data[:_SAMPLE_BYTES]
    if sum(byte < 0x80 for byte in sample) >= _MOSTLY_ASCII * len(sample):
        return data.decode(
            "cp1252", errors="replace"
        )  # so short of evidence, the detector guesses Baltic pages
    best = from_bytes(sample).best()
    return data.decode(best.encoding, errors="replace") if best else None
