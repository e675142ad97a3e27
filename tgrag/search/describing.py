"""«Кто такой X?»: telling such a question, and the sentences that say what X is rather than what X does."""

import re
from collections.abc import Set

from tgrag.language import WORD, lemma, parses
from tgrag.records import Language

_ASKS_WHO = re.compile(
    r"\b(?:кто|что)\s+(?:же\s+)?так(?:ой|ая|ое|ие)\b|\b(?:хто|що)\s+(?:ж\s+)?так(?:ий|а|е|і)\b"
    r"|\bwho(?:\s+(?:is|was|are|were)\b|['’]s\b)",
    re.IGNORECASE,
)
_COPULAS = frozenset(("быть", "являться", "это", "бути", "є", "це", "be"))
_BREAK = re.compile(r"[^\s,—–-]")  # between a name and what it is said to be stand a comma or a dash at most
_ARTICLES = frozenset(("a", "an", "the"))
_ATTRIBUTES = frozenset(("ADJF", "PRTF", "ADVB", "NUMR"))
MAX_ATTRIBUTES = 3


def asks_who(question: str) -> bool:
    """Tell whether a question asks who or what someone is."""
    return bool(_ASKS_WHO.search(question))


def describes(sentence: str, names: Set[str], language: Language) -> bool:
    """Tell whether a name (its lemmas) is followed by a noun in apposition or as a predicate.

    «Германн — немец», «Германн был сын немца», "Ahab, the captain"; not «Германн увидел», «Германн, Томский».
    """
    tokens = list(WORD.finditer(sentence))
    keys = [lemma(token.group(), language) for token in tokens]
    for place in range(len(tokens) - 1):
        if keys[place] in names and keys[place + 1] not in names:
            gap = sentence[tokens[place].end() : tokens[place + 1].start()]
            if not _BREAK.search(gap) and _is_predicate(
                keys[place + 1 :], tokens[place + 1 :], gap, language
            ):
                return True
    return False


def _is_predicate(keys: list[str], tokens: list[re.Match[str]], gap: str, language: Language) -> bool:
    copula = keys[0] in _COPULAS
    after = [token.group() for token in tokens[copula:]]
    if language == "en":
        return (copula or "," in gap) and bool(after) and after[0].lower() in _ARTICLES
    for word in after[: MAX_ATTRIBUTES + 1]:
        tag = parses(word, language)[0].tag
        if "NOUN" in tag:
            return word[0].islower() and ("nomn" in tag or (copula and "ablt" in tag))
        if not _ATTRIBUTES & tag.grammemes:
            return False
    return False
