"""Keys under which the spellings of one name meet: old and new, in two scripts, with one letter wrong."""

import re
import unicodedata
from collections.abc import Iterator

from tgrag.language import lemma, parses

_OLD = str.maketrans({"ї": "и", "і": "и", "ѣ": "е", "э": "е", "ь": None, "ъ": None, "ґ": "г", "ы": "и", "є": "е",
                      "æ": "ae", "œ": "oe", "ø": "o", "ß": "ss", "ł": "l", "'": None, "-": " "})  # fmt: skip
_IOTATED = re.compile(r"\bи(?=[оеа])")
_SHORT_I = re.compile(r"й\b")
_DOUBLED = re.compile(r"([^\W\d_])\1")
_LATIN = str.maketrans("абвгдежзийклмнопрстуфхцчшщыэюя", "abvgdezziiklmnoprstufhccssieua")
_SOUNDS = (
    ("shch", "s"), ("sch", "s"), ("tch", "c"), ("ch", "c"), ("sh", "s"), ("zh", "z"), ("kh", "h"), ("ts", "c"),
    ("tz", "c"), ("ph", "f"), ("th", "t"), ("ya", "a"), ("ia", "a"), ("ja", "a"), ("yu", "u"), ("iu", "u"),
    ("ju", "u"), ("yo", "e"), ("jo", "e"), ("ye", "e"), ("ie", "e"), ("ks", "x"), ("w", "v"), ("y", "i"), ("j", "i"),
)  # fmt: skip
_CYRILLIC = re.compile(r"[\u0400-\u04ff]")
_SHORTEST_SPELLING = 4
_SHORTEST_SOUND = 5
_SHORTEST_TYPO = 8
_EDGE = 2  # letters at either end that must be right: endings tell wives from husbands, beginnings families


def spelling(name: str) -> str:
    """Return a folded name without what old and new orthography write differently."""
    plain = "".join(map(_without_accent, name))
    if len(plain) < _SHORTEST_SPELLING:
        return plain
    plain = _SHORT_I.sub("", _IOTATED.sub("й", plain.translate(_OLD)))
    return _DOUBLED.sub(r"\1", plain)


def _without_accent(letter: str) -> str:
    return letter if is_cyrillic(letter) else unicodedata.normalize("NFKD", letter)[:1]


def sound(name: str) -> str | None:
    """Return how a name sounds in Latin letters, marked by nothing of its script; None for short ones."""
    heard = spelling(name).translate(_LATIN)
    for letters, one in _SOUNDS:
        heard = heard.replace(letters, one)
    heard = _DOUBLED.sub(r"\1", heard.replace("ii", "i"))
    return heard if len(heard) >= _SHORTEST_SOUND else None


def is_cyrillic(name: str) -> bool:
    """Tell whether a name has Cyrillic letters."""
    return bool(_CYRILLIC.search(name))


def may_be_slip(name: str, other: str) -> bool:
    """Tell, without knowing any words, whether two different names may be one with a letter wrong."""
    return (
        name != other
        and min(len(name), len(other)) >= _SHORTEST_TYPO - 1
        and abs(len(name) - len(other)) <= 1
        and name[:_EDGE] == other[:_EDGE]
        and name[-_EDGE:] == other[-_EDGE:]
    )


def typo_keys(name: str) -> Iterator[str]:
    """Yield keys that names share which differ in one inner letter; none for short and for dictionary words."""
    if " " in name or "-" in name or len(name) < _SHORTEST_TYPO or _is_in_dictionary(name):
        return
    for i in range(_EDGE, len(name) - _EDGE):
        yield f"{name[:i]}*{name[i + 1 :]}"
    for i in range(_EDGE, len(name) - _EDGE + 1):
        yield f"{name[:i]}*{name[i:]}"


def _is_in_dictionary(word: str) -> bool:
    if is_cyrillic(word):
        found = [parses(word, language)[0] for language in ("ru", "uk")]
        return any(parse.is_known or parse.tag.POS == "ADJF" for parse in found)
    return lemma(word, "en") != word
