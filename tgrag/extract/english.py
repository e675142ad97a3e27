"""Names and concepts in an English sentence: by capitals and closed word lists, as there are no inflections to go by."""

import re
from collections.abc import Iterator, Sequence

import simplemma

from tgrag.extract.lexicon import (
    EN_DETERMINERS,
    EN_NAME_OPENERS,
    EN_NOT_NAMES,
    EN_PARTICLES,
    EN_STOP,
    EN_TITLES,
    ORGANIZATION_HEADS,
    PLACE_HEADS,
)
from tgrag.extract.mention import Mention, Token, tokens

_POSSESSIVE = re.compile(r"['’]s?$")
_CONTRACTION = re.compile(r"(?:n['’]t|['’](?:m|ll|ve|re|d))$", re.IGNORECASE)
_DOT = re.compile(r"\.\s?|\s")
_NO_NOUN = re.compile(r"(?:ed|ing|ly)$")
_WORD = re.compile(r"[a-z][a-z\-]{2,}")
_MAX_CONCEPT_WORDS = 3


def mentions(sentence: str) -> list[Mention]:
    """Return the names of a sentence and then its concepts, each in order of appearance."""
    words = tokens(sentence)
    names = list(_names(sentence, words))
    taken = {i for i, t in enumerate(words) for m in names if m.start <= t.start < m.end}
    return names + list(_concepts(words, taken))


def _names(sentence: str, words: Sequence[Token]) -> Iterator[Mention]:
    n_upper = sum(letter.isupper() for letter in sentence)
    if 2 * n_upper > sum(letter.isalpha() for letter in sentence):
        return  # a line in capitals only: they say nothing
    i = 0
    while i < len(words):
        run = _run(words, i)
        i = run[-1] + 1 if run else i + 1
        run = _without_opening(words, run)
        if run and (mention := _name(sentence, words, run)):
            yield mention


def _run(words: Sequence[Token], first: int) -> list[int]:
    """Return the indexes of consecutive capitalised words, with «of», «de», … between two of them."""
    if not words[first].capital or _CONTRACTION.search(words[first].text):
        return []
    run, i = [first], first + 1
    while i < len(words) and not words[i].at_start and _joins(words[i - 1], words[i]):
        if _CONTRACTION.search(words[i].text):
            break
        if words[i].capital:
            run.append(i)
            i += 1
        elif (
            words[i].text in EN_PARTICLES
            and i + 1 < len(words)
            and words[i + 1].capital
            and words[i + 1].gap.isspace()
        ):
            run += [i, i + 1]
            i += 2
        else:
            break
    return run


def _joins(before: Token, word: Token) -> bool:
    """A possessive ends a name; a dot is inside one only after an initial or a title."""
    if _POSSESSIVE.search(before.text):
        return False
    dotted = len(before.text) == 1 or before.text.lower() in EN_TITLES
    return word.gap.isspace() or (dotted and bool(_DOT.fullmatch(word.gap)))


def _without_opening(words: Sequence[Token], run: list[int]) -> list[int]:
    """Drop from the front what is capitalised for its place or in itself is no name («When Ned Land», «I»)."""
    while run and not words[run[0]].capital:
        run = run[1:]
    while run:
        word = _bare(words[run[0]].text).lower()
        if len(run) > 1 and (word in EN_TITLES or word in EN_NAME_OPENERS):
            return run
        common = words[run[0]].at_start and _is_common(word)
        if (
            not common
            and word not in EN_STOP
            and (word not in EN_NOT_NAMES or len(run) > 1)
            and word not in EN_TITLES
        ):
            return run
        run = run[1:]
        while run and not words[run[0]].capital:
            run = run[1:]
    return run


def _is_common(word: str) -> bool:
    """Tell whether the dictionary has the word in lower case («captain», but not «nemo» nor «paris»)."""
    return bool(simplemma.is_known(word, lang="en")) and simplemma.lemmatize(word, lang="en")[0].islower()


def _bare(word: str) -> str:
    return _POSSESSIVE.sub("", word)


def _name(sentence: str, words: Sequence[Token], run: list[int]) -> Mention | None:
    first, last = words[run[0]], words[run[-1]]
    name = _bare(" ".join(sentence[first.start : last.end].split()))
    if len(name) < 2 or name.lower() in EN_NOT_NAMES or (len(name) < 4 and not set(name) - set("IVXLCDM")):
        return None
    return Mention(
        first.start,
        first.start + len(sentence[first.start : last.end]),
        name,
        _type(name),
        _certain(words, run),
    )


def _certain(words: Sequence[Token], run: list[int]) -> bool:
    first = words[run[0]]
    if not first.at_start:
        return True
    return len(run) > 1 or simplemma.lemmatize(_bare(first.text).lower(), lang="en")[0].isupper()


def _type(name: str) -> str:
    parts = [part.strip(".").lower() for part in name.split()]
    if len(parts) > 1 and parts[0] in EN_TITLES:
        return "PERSON"
    heads = {parts[0], parts[-1]} if len(parts) > 1 else set()
    if heads & PLACE_HEADS["en"]:
        return "PLACE"
    return "ORGANIZATION" if heads & ORGANIZATION_HEADS["en"] else "NAME"


def _concepts(words: Sequence[Token], taken: set[int]) -> Iterator[Mention]:
    """Two or three plain words after a determiner or a preposition, up to the next stop word or sign."""
    i = 1
    while i < len(words):
        if words[i - 1].text.lower() not in EN_DETERMINERS or i in taken:
            i += 1
            continue
        run: list[Token] = []
        for j in range(i, len(words)):
            if j in taken or not words[j].gap.isspace() or not _is_plain(words[j].text):
                break
            run.append(words[j])
        if 2 <= len(run) <= _MAX_CONCEPT_WORDS and not _NO_NOUN.search(run[-1].text):
            name = " ".join(
                [*(t.text for t in run[:-1]), simplemma.lemmatize(run[-1].text, lang="en").lower()]
            )
            yield Mention(run[0].start, run[-1].end, name, "CONCEPT", False)
        i += max(1, len(run))


def _is_plain(word: str) -> bool:
    if not _WORD.fullmatch(word) or word in EN_STOP or word.endswith("ly"):
        return False
    base = simplemma.lemmatize(word, lang="en")
    return word in (base, base + "s", base + "es", base[:-1] + "ies") or bool(_NO_NOUN.search(word))
