"""Words, lemmas and the language of a text, for Russian, Ukrainian and English.

Lemmas come from pymorphy3 (Russian, Ukrainian) and simplemma (English). Every lemma is folded (NFC, lower
case, ё as е, one form of apostrophe), so that keys compare as plain strings.
"""

import re
import unicodedata
from functools import lru_cache
from typing import Any

import pymorphy3
import simplemma

from tgrag.records import Language

WORD = re.compile(r"[^\W_]+(?:['’ʼ\-‑][^\W_]+)*")
_FOLD = str.maketrans({"ё": "е", "’": "'", "ʼ": "'", "‑": "-"})
_UKRAINIAN_LETTERS = re.compile(r"[іїєґ]", re.IGNORECASE)
_RUSSIAN_LETTERS = re.compile(r"[ыэъё]", re.IGNORECASE)
_OLD_SOFT_YI = re.compile(
    r"(?<=[бвгґджзклмнпрстфхцчшщ])ї", re.IGNORECASE
)  # «тодї», before the reform of 1928
_OLD_NAME_ENDING = re.compile(r"ь(?=(?:я|ю|ем|е)$)", re.IGNORECASE)
_CYRILLIC = re.compile(r"[\u0400-\u04ff]")
_LATIN = re.compile(r"[A-Za-z]")
DETECTION_CHARACTERS = 20_000
NAME_TAGS = frozenset({"Name", "Surn", "Patr", "Geox", "Orgn", "Trad"})  # of pymorphy's dictionaries


def fold(text: str) -> str:
    """Bring a text to the form in which keys are compared: NFC, lower case, ё as е, plain apostrophe."""
    return unicodedata.normalize("NFC", text).lower().translate(_FOLD)


def words(text: str) -> list[str]:
    """Return the words of a text as written, hyphenated and apostrophised ones whole."""
    return WORD.findall(text)


def detect(text: str, default: Language = "en") -> Language:
    """Tell the language of a text from its letters (the first 20,000 characters decide).

    Cyrillic with і, ї, є, ґ more often than ы, э, ъ, ё is Ukrainian, other Cyrillic is Russian; a text with
    neither Cyrillic nor Latin letters is ``default``.
    """
    head = text[:DETECTION_CHARACTERS]
    n_cyrillic, n_latin = len(_CYRILLIC.findall(head)), len(_LATIN.findall(head))
    if not n_cyrillic and not n_latin:
        return default
    if n_latin > n_cyrillic:
        return "en"
    return "uk" if len(_UKRAINIAN_LETTERS.findall(head)) > len(_RUSSIAN_LETTERS.findall(head)) else "ru"


@lru_cache(maxsize=2)
def analyzer(language: Language) -> Any:
    """Return the pymorphy3 analyzer of ``ru`` or ``uk``, loaded once a process."""
    return pymorphy3.MorphAnalyzer(lang=language)


@lru_cache(maxsize=100_000)
def parses(word: str, language: Language) -> tuple[Any, ...]:
    """Return pymorphy3's parses of a Cyrillic word, likeliest first.

    Two old spellings are read as the modern ones: Ukrainian ї after a consonant, and Russian names in -ья
    that the dictionary has in -ия only («Григорья»).
    """
    if language == "uk":
        return tuple(analyzer("uk").parse(_OLD_SOFT_YI.sub("і", word)))
    found = tuple(analyzer("ru").parse(word))
    if not found[0].is_known and _OLD_NAME_ENDING.search(word):
        modern = tuple(analyzer("ru").parse(_OLD_NAME_ENDING.sub("и", word)))
        return modern if modern[0].is_known and NAME_TAGS & modern[0].tag.grammemes else found
    return found


@lru_cache(maxsize=200_000)
def lemma(word: str, language: Language) -> str:
    """Return the folded dictionary form of one word; a word the dictionaries lack is guessed or kept."""
    if _CYRILLIC.search(word):
        return fold(parses(word, language)[0].normal_form)
    return fold(simplemma.lemmatize(word, lang="en"))


def lemmas(text: str, language: Language) -> list[str]:
    """Return the lemmas of all words of a text, in order."""
    return [lemma(word, language) for word in words(text)]


def may_be_name(word: str, language: Language) -> bool:
    """Tell whether a Russian or Ukrainian word is a proper name for the dictionary, or unknown to it."""
    found = parses(word, language)
    return any(NAME_TAGS & parse.tag.grammemes for parse in found) or not any(
        parse.is_known for parse in found
    )
