"""Is a text language at all? Told for pages with a broken text layer, files read in a wrong encoding, bad scans.

Four signs, none of which needs to know the language: characters that stand for a missing one; characters that no
text is made of; Latin letters with marks in place of plain ones (Cyrillic bytes read as Western ones); and letters
that follow each other as they do in no language (``letter_pairs``). Numbers, prices, code and formulas are no
evidence against a text, and a text with few letters is not judged by them.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise

from tgrag.ingest.letter_pairs import CYRILLIC, GREEK, LATIN, bits, without_accents

_MIN_CHARACTERS = 40  # visible ones: fewer are no evidence
_MIN_LETTERS = 30
_MIN_SIGNS = 100
_LONGEST_WORD = 40  # more letters of one word are no more evidence
_MIN_WORDS = 15

_PLACEHOLDERS = frozenset("\ufffd\u25a1\u25af\ufffc")
_MAX_PLACEHOLDERS = 0.3  # of the visible characters; forms have boxes to tick, wrong fonts nothing else
_MAX_STRANGE = 0.25
_MIN_MEANING = 0.3  # share of letters and digits; source code has 0.6 and more
_MAX_MARKED = (
    0.5  # share of Latin letters outside of ASCII; Vietnamese has 0.32, more than any other language
)
_PLAUSIBLE_BITS = 4.75  # a pair of letters: languages have 3.5 to 4.7 on average, permuted letters 4.9 to 9
_ENOUGH_BITS = 130  # above that, in all different words: less may be chance, or a few odd words
_MIXED_BITS = 8  # what a pair of a Latin and a Cyrillic letter costs, and a sign between letters
_CAPITAL_BITS = 3  # what a capital letter after a small one costs on top
_MAX_RARE = 0.02  # share of letters of Cyrillic alphabets that the pairs do not cover (Kazakh, Mongolian, …)
_MAX_MIXED = 0.3  # share of words of both scripts
_EXCERPT_CHARACTERS = 40
_PART_CHARACTERS = 3_000  # about a page
_N_PARTS = 30

_WORD = re.compile(r"[^\W\d_]{2,}")
_RUN = re.compile(r"(\S)\1{2,}")  # leaders and rules: «......», «______»
_SIGN_BETWEEN_LETTERS = re.compile(r"(?<=[^\W\d_])[\[\]\\^`{|}~<>@#$%&*+=;:!?¤¦§©«¬®°±](?=[^\W\d_])")
_IS_CYRILLIC = re.compile("[\u0400-\u04ff]")
_IS_GREEK = re.compile("[\u0370-\u03ff]")
_IS_LATIN = re.compile("[A-Za-zÀ-ɏ]")
_FOREIGN = re.compile("[a-z\u0452-\u045f]")
_RARE_CYRILLIC = re.compile("[\u0460-\u048f\u0492-\u052f]")
# What texts hold besides letters, digits and ASCII: typographic signs, arrows, mathematics, shapes, emoji.
_USUAL = re.compile(
    "[\xa0«»§°±·×÷№€²³¹½¼¾©®\u2010-\u205e\u2070-\u209c\u20a0-\u20bf\u2100-\u22ff\u25a0-\u27bf\U0001f000-\U0001faff]"
)


def fault(text: str) -> str | None:
    """Return why a page's text is not language, for a person, or None. Time grows with the text's length."""
    visible = "".join(text.split())
    characters = Counter(visible)
    if characters.total() < _MIN_CHARACTERS:
        return None
    if n_unknown := _n_unknown(characters):
        share = n_unknown / characters.total()
        return f"{share:.0%} of its characters are unknown ones, shown as boxes or question marks"
    signs = Counter(_RUN.sub(r"\1", visible))
    if _count(signs, _is_strange) > _MAX_STRANGE * signs.total():
        return f"it is no text but signs, such as «{_excerpt(text)}»: a wrong encoding or wrong fonts"
    if signs.total() >= _MIN_SIGNS and _count(signs, _has_meaning) < _MIN_MEANING * signs.total():
        return f"there are hardly any words in it, only stray characters such as «{_excerpt(text)}»"
    n_latin = _count(characters, _is_latin)
    n_marked = _count(characters, lambda character: _is_latin(character) and not character.isascii())
    if n_latin >= _MIN_LETTERS and n_marked > _MAX_MARKED * n_latin:
        return f"it was read in a wrong encoding: it shows «{_excerpt(text)}»"
    return _fault_of_words(text)


def fault_of_document(texts: Sequence[str]) -> str | None:
    """Return why a document is not language, or None: a long one is judged by parts all over it, most of them."""
    text = "\n".join(texts)
    step = max(_PART_CHARACTERS, len(text) // _N_PARTS)
    faults = [fault(text[start : start + _PART_CHARACTERS]) for start in range(0, len(text), step)]
    found = list(filter(None, faults))
    return found[0] if 2 * len(found) > len(faults) else None


def _fault_of_words(text: str) -> str | None:
    words = {word[:_LONGEST_WORD] for word in _WORD.findall(_RUN.sub(r"\1", text))}
    letters = "".join(words)
    if len(_RARE_CYRILLIC.findall(letters)) > _MAX_RARE * len(letters):
        return None
    if len(words) >= _MIN_WORDS and sum(map(_is_mixed, words)) > _MAX_MIXED * len(words):
        return f"Latin letters stand for Cyrillic ones that look like them, as in «{_excerpt(text)}»"
    n_signs = len(_SIGN_BETWEEN_LETTERS.findall(text))
    costs = [_cost(word) for word in words]
    n_pairs = n_signs + sum(n for _, n in costs)
    total = _MIXED_BITS * n_signs + sum(cost for cost, _ in costs)
    if total - _PLAUSIBLE_BITS * n_pairs < _ENOUGH_BITS:
        return None
    return f"its letters spell no words, such as «{_excerpt(text)}»: the fonts or the encoding are wrong"


def _cost(word: str) -> tuple[int, int]:
    """Return what a word costs in bits and the number of its pairs. Words of other scripts cost nothing."""
    n_capitals = sum(first.islower() and second.isupper() for first, second in pairwise(word))
    extra = _CAPITAL_BITS * n_capitals
    small = word.lower()
    if _IS_CYRILLIC.search(word):
        cost, n_pairs = bits(small, CYRILLIC)
        n_foreign = sum(map(_is_foreign_pair, pairwise(small)))
        return cost + _MIXED_BITS * n_foreign + extra, n_pairs + n_foreign
    if _IS_GREEK.search(word):
        return bits(without_accents(small), GREEK)
    cost, n_pairs = bits(small, LATIN)
    return cost + extra, n_pairs


def _is_foreign_pair(pair: tuple[str, str]) -> bool:
    """Tell a Latin letter in a Cyrillic word, and the Serbian and Macedonian letters that mojibake is full of."""
    return pair not in CYRILLIC and any(map(_FOREIGN.match, pair))


def _is_mixed(word: str) -> bool:
    return bool(_IS_CYRILLIC.search(word) and _IS_LATIN.search(word))


def _count(characters: Counter[str], has_property: Callable[[str], bool]) -> int:
    return sum(n for character, n in characters.items() if has_property(character))


def _n_unknown(characters: Counter[str]) -> int:
    """Count what stands for a missing character, when that is more than forms, lists and questions have of it."""
    n_unknown = _count(characters, _is_placeholder)
    if characters["?"] > _MAX_STRANGE * characters.total():
        n_unknown += characters["?"]
    return n_unknown if n_unknown > _MAX_PLACEHOLDERS * characters.total() else 0


def _is_placeholder(character: str) -> bool:
    return character in _PLACEHOLDERS or unicodedata.category(character) in ("Co", "Cn")


def _has_meaning(character: str) -> bool:
    return unicodedata.category(character)[0] in "LMN"


def _is_latin(character: str) -> bool:
    return bool(_IS_LATIN.match(character))


def _is_strange(character: str) -> bool:
    return not (character.isascii() and character.isprintable()) and not (
        _has_meaning(character) or _USUAL.match(character)
    )


def _excerpt(text: str) -> str:
    """Return some characters from the middle, where a page has its text rather than its head."""
    words = text.split()
    middle = " ".join(words[len(words) // 2 :][:_EXCERPT_CHARACTERS])
    return "".join(filter(str.isprintable, middle))[:_EXCERPT_CHARACTERS]
