"""The key under which the inflected forms of one name meet."""

import re
from functools import lru_cache

from tgrag.extract.morphology import Context, nominative, readings
from tgrag.language import fold, lemma, words
from tgrag.records import Language

NAME_TYPES = frozenset({"PERSON", "PLACE", "ORGANIZATION", "NAME"})
_KEEP_NUMBER = NAME_TYPES | {"OBJECT"}  # one letter is not the letters
_CYRILLIC = re.compile(r"[\u0400-\u04ff]")
_POSSESSIVE = re.compile(r"'s?$")
_AS_NAME = Context(as_name=True)


@lru_cache(maxsize=100_000)
def lemma_key(name: str, type: str, language: Language) -> str:
    """Return the key of a name: its words in the nominative (names, things) or as lemmas (all else), folded.

    A word that can be a nominative is taken for one, so «Одинцов» and «Одинцова» stay apart, while
    «Одинцовым» joins the one and «Одинцовой» the other. Men's patronymics lose their colloquial form
    («Кузмич» and «Кузьмич» as the dictionary has them). The key does not hold the type: PERSON, PLACE,
    ORGANIZATION and NAME give equal keys, as one name may be told to be a person in one sentence and not
    in the next.
    """
    parts = words(name)
    if type not in _KEEP_NUMBER:
        return " ".join(lemma(part, language) for part in parts) or fold(name).strip()
    if language == "en" or not any(_CYRILLIC.search(part) for part in parts):
        return " ".join(_POSSESSIVE.sub("", fold(part)) for part in parts) or fold(name).strip()
    return " ".join(fold(part) for part in _nominatives(parts, language))


def _nominatives(parts: list[str], language: Language) -> list[str]:
    inflected = [part for part in parts if len(part) > 1 and readings(part, language)]
    together = nominative(inflected, language, _AS_NAME) if inflected else None
    if together:
        forms = dict(zip(inflected, together.words, strict=True))
        patronymics = {
            p
            for p, r in zip(inflected, together.readings, strict=True)
            if r.kind == "Patr" and r.agreement == "masc"
        }
    else:
        forms, patronymics = {}, set()
    result = []
    for part in parts:
        single = None if part in forms else nominative([part], language, _AS_NAME)
        word = forms.get(part) or (single.words[0] if single else part)
        result.append(lemma(word, language) if part in patronymics else word)
    return result
