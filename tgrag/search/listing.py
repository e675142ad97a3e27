"""«Какие три карты?»: telling a question that asks for several things, and the sentences that list some."""

import re

_ASKS_WHICH = re.compile(
    r"\b(?:как(?:ие|их|им|ими)|як(?:і|их|им|ими)|перечисли(?:те)?|назови(?:те)?|перелічи|перелічіть|назви|назвіть"
    r"|which (?:\w+ ){0,2}\w+s)\b|\A\s*(?:list|name)\b",
    re.IGNORECASE,
)
_THING = r"\w[\w'’-]*(?: \w[\w'’-]*)?"  # of one or two words
_LIST = re.compile(rf"{_THING}, (?:{_THING}, )*{_THING},? (?:и|или|й|і|та|або|чи|and|or) \w")


def asks_which(question: str) -> bool:
    """Tell whether a question asks for several things by name."""
    return bool(_ASKS_WHICH.search(question))


def lists(sentence: str) -> bool:
    """Tell whether a sentence lists three things or more: «тройка, семерка и туз», "bread, fish and wine"."""
    return bool(_LIST.search(" ".join(sentence.split())))
