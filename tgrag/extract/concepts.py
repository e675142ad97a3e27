"""Concepts of a Russian or Ukrainian sentence: pairs of content words, and persons by role."""

from collections.abc import Iterator, Sequence

from tgrag.extract.lexicon import GENERAL_ADJECTIVES, GENERAL_NOUNS
from tgrag.extract.mention import Mention, Token
from tgrag.extract.morphology import Context, Form, is_function_word, is_known, may_be_noun, nominative
from tgrag.language import NAME_TAGS, lemma, parses
from tgrag.records import Language


def concepts(words: Sequence[Token], taken: set[int], language: Language) -> Iterator[Mention]:
    """Yield the concepts of a sentence in order; taken: indexes of the words that are parts of names."""
    i = 0
    while i < len(words):
        pair = _pair(words, i, language) if not {i, i + 1} & taken else None
        if pair:
            yield pair
            i += 2
            continue
        single = _role(words[i], language) if i not in taken else None
        if single:
            yield single
        i += 1


def _pair(words: Sequence[Token], i: int, language: Language) -> Mention | None:
    """Adjective and noun, or noun and noun in the genitive."""
    if i + 1 >= len(words) or not words[i + 1].gap.isspace() or words[i + 1].capital:
        return None
    first, second = words[i], words[i + 1]
    if any(
        is_function_word(word.text, language) or not is_known(word.text, language) for word in (first, second)
    ):
        return None
    if not may_be_noun(second.text, language) or lemma(second.text, language) in GENERAL_NOUNS[language]:
        return None
    tag = parses(first.text, language)[0].tag
    if tag.POS == "ADJF" and not {"Apro", "Anum"} & tag.grammemes:
        if lemma(first.text, language) in GENERAL_ADJECTIVES[language]:
            return None
        form = nominative([first.text.lower(), second.text], language, Context())
        name = _singular(form, language) if form else None
    elif tag.POS == "NOUN" and lemma(first.text, language) not in GENERAL_NOUNS[language]:
        is_genitive = parses(second.text, language)[0].tag.case in ("gent", "gen2")
        is_repeated = lemma(first.text, language) == lemma(second.text, language)
        name = f"{lemma(first.text, language)} {second.text}" if is_genitive and not is_repeated else None
    else:
        name = None
    return Mention(first.start, second.end, name.replace("ё", "е"), "CONCEPT", False) if name else None


def _singular(form: Form, language: Language) -> str | None:
    """Return «дорогая вещь» for «дорогие вещи»; None when the pair is not adjective and noun."""
    adjective, noun = form.readings
    if adjective.kind != "ADJF" or noun.kind != "NOUN":
        return None
    if noun.agreement != "plur":
        return " ".join(form.words)
    head = parses(noun.nominative, language)[0].normalized
    gender = head.tag.gender
    modifier = next((p for p in parses(adjective.nominative, language) if p.tag.POS == "ADJF"), None)
    if modifier is None or head.tag.number == "plur" or gender not in ("masc", "femn", "neut"):
        return " ".join(form.words)
    inflected = modifier.inflect({"nomn", gender} | ({"sing"} if language == "ru" else set()))
    return f"{inflected.word} {head.word}" if inflected else " ".join(form.words)


def _role(word: Token, language: Language) -> Mention | None:
    """A person by role: «комендант», «графиня»."""
    if word.capital or len(word.text) < 4:
        return None
    tag = parses(word.text, language)[0].tag
    if tag.POS != "NOUN" or "anim" not in tag.grammemes or NAME_TAGS & tag.grammemes:
        return None
    if is_function_word(word.text, language) or not is_known(word.text, language):
        return None
    name = lemma(word.text, language)
    return None if name in GENERAL_NOUNS[language] else Mention(word.start, word.end, name, "CONCEPT", False)
