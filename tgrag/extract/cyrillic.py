"""Names and concepts in a Russian or Ukrainian sentence."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from tgrag.extract.concepts import concepts
from tgrag.extract.lexicon import ORGANIZATION_HEADS, PARTICLES, PLACE_HEADS
from tgrag.extract.mention import Mention, Token, like, tokens
from tgrag.extract.morphology import (
    GOVERNMENT,
    Context,
    Reading,
    is_function_word,
    may_be_noun,
    nominative,
    readings,
)
from tgrag.language import NAME_TAGS, parses
from tgrag.records import Language

_CYRILLIC = re.compile(r"[\u0400-\u04ff]")
_INITIAL_GAP = re.compile(r"\.\s?")
_PERSON_TAGS = frozenset({"Name", "Patr", "Surn"})
_SURNAME_ADJECTIVE = re.compile(r"[сцз]ь?к(?:ий|ая|а)$")
_HYPHEN_PARTICLE = re.compile(r"-(?:то|ка|с|де|таки|же|ж)$")
_CERTAIN_SHARE = 0.5  # of a word's readings that must be names for a capital at a sentence start to count
_SHORTEST_NAME = 3
_NEAR = 2  # words after a name in which its verb is looked for


def mentions(sentence: str, language: Language) -> list[Mention]:
    """Return the names of a sentence and then its concepts, each in order of appearance."""
    words = [_without_particle(token) for token in tokens(sentence)]
    names = list(_names(sentence, words, language))
    taken = {i for i, t in enumerate(words) for m in names if m.start <= t.start < m.end}
    return names + list(concepts(words, taken, language))


def _without_particle(token: Token) -> Token:
    text = _HYPHEN_PARTICLE.sub("", token.text)
    return token if text == token.text else replace(token, text=text)


def _names(sentence: str, words: Sequence[Token], language: Language) -> Iterator[Mention]:
    n_upper = sum(letter.isupper() for letter in sentence)
    if 2 * n_upper > sum(letter.isalpha() for letter in sentence):
        return  # a line in capitals only: they say nothing
    i = 0
    while i < len(words):
        run = _run(words, i, language)
        i = run[-1] + 1 if run else i + 1
        if not run:
            continue
        if not _CYRILLIC.search(words[run[0]].text):
            yield from _latin(words, run)
            continue
        if words[run[0]].at_start and not _is_name_at_start(words, run, language):
            run = run[1:]
        yield from _split(words, run, language)


def _run(words: Sequence[Token], first: int, language: Language) -> list[int]:
    """Return the indexes of consecutive capitalised words of one script, particles between them included."""
    if not _is_capital(words[first], language):
        return []
    latin = not _CYRILLIC.search(words[first].text)
    run, i = [first], first + 1
    while i < len(words) and not words[i].at_start and latin != bool(_CYRILLIC.search(words[i].text)):
        adjacent = words[i].gap.isspace() or (
            len(words[i - 1].text) == 1 and _INITIAL_GAP.fullmatch(words[i].gap)
        )
        if not adjacent:
            break
        particle = words[i].text in PARTICLES and i + 1 < len(words) and _is_capital(words[i + 1], language)
        if not particle and not _is_capital(words[i], language):
            break
        run.append(i)
        i += 1
    return run


def _is_capital(word: Token, language: Language) -> bool:
    """A capital counts unless the word may be a pronoun or the like («Його»), or is an interjection («А-га»)."""
    if not word.capital or word.text[1:2] == "-":
        return False
    return len(word.text) == 1 or not _CYRILLIC.search(word.text) or not is_function_word(word.text, language)


def _latin(words: Sequence[Token], run: list[int]) -> Iterator[Mention]:
    """A Latin name in a Cyrillic sentence, unless it stands in a foreign phrase."""
    first, last = run[0], run[-1]
    around = [words[i].text for i in (first - 1, last + 1) if 0 <= i < len(words)]
    name = " ".join(words[i].text for i in run)
    if len(name) > 1 and all(_CYRILLIC.search(text) for text in around) and not _is_roman(name):
        yield Mention(words[first].start, words[last].end, name, "NAME", not words[first].at_start)


def _is_roman(word: str) -> bool:
    return not set(word) - set("IVXLCDM")


def _is_name_at_start(words: Sequence[Token], run: list[int], language: Language) -> bool:
    """Tell whether the first word of a sentence is a name: by the dictionary, or because that does not know it."""
    word = words[run[0]].text
    if len(word) == 1:
        return len(run) > 1 and bool(words[run[1]].gap.startswith("."))
    found = parses(word, language)
    if not any(parse.is_known for parse in found):
        return len(word) > 2 and found[0].tag.POS == "NOUN"
    share = _name_share(word, language)
    together = len(run) > 1 and any(_is_name_word(words[i].text, language) for i in run[1:])
    return share > _CERTAIN_SHARE or (share > 0 and together)


def _name_share(word: str, language: Language) -> float:
    """Return the share of the word's readings that are names; Ukrainian ones come without frequencies: count words."""
    weights: dict[tuple[str, bool], float] = {}
    for parse in parses(word, language):
        key = (parse.normal_form, bool(NAME_TAGS & parse.tag.grammemes))
        weights[key] = 1.0 if language == "uk" else weights.get(key, 0.0) + parse.score
    return sum(weight for (_, is_name), weight in weights.items() if is_name) / sum(weights.values())


def _is_name_word(word: str, language: Language) -> bool:
    return any(reading.kind in NAME_TAGS for reading in readings(word, language))


def _split(words: Sequence[Token], run: list[int], language: Language) -> Iterator[Mention]:
    """Cut a run into the longest parts that agree («увидел Иван Марью» has two names) and name each."""
    while run:
        for length in range(len(run), 0, -1):
            part = run[:length]
            mention = _name(words, part, language)
            if mention:
                yield mention
                break
        run = run[length:]


def _name(words: Sequence[Token], part: list[int], language: Language) -> Mention | None:
    texts = [words[i].text for i in part]
    inflected = [i for i in part if len(words[i].text) > 1 and words[i].capital]
    if not inflected or not words[part[0]].capital or not words[part[-1]].capital:
        return None
    if all(words[i].text.isupper() for i in inflected):
        return Mention(words[part[0]].start, words[part[-1]].end, " ".join(texts), "NAME", True)
    context = _context(words, part, language)
    if len(part) == 1 and (phrase := _with_common_noun(words, part[0], context, language)):
        return phrase
    form = nominative([words[i].text for i in inflected], language, context)
    if form is None or (
        len(inflected) == 1 and not _is_nameable(words, inflected[0], form.readings[0], language)
    ):
        return None
    shown = dict(zip(inflected, form.words, strict=True))
    name = " ".join(
        like(words[i].text, shown[i]) if i in shown else words[i].text + "." * (words[i].capital)
        for i in part
    )
    certain = not words[part[0]].at_start or any(r.known and r.kind in NAME_TAGS for r in form.readings)
    return Mention(words[part[0]].start, words[part[-1]].end, name, _type(form.readings, language), certain)


def _is_nameable(words: Sequence[Token], i: int, reading: Reading, language: Language) -> bool:
    """A single capitalised word is a name unless the dictionary has it as something else altogether."""
    if len(words[i].text) < _SHORTEST_NAME:
        return False
    if reading.kind == "ADJF":
        beside = [t.text for t in words[i + 1 : i + 2] if t.gap.isspace() and may_be_noun(t.text, language)]
        return not words[i].at_start and not beside and bool(_SURNAME_ADJECTIVE.search(reading.nominative))
    best = parses(words[i].text, language)[0]
    return reading.kind in NAME_TAGS or best.tag.POS in ("NOUN", "ADJF") or not best.is_known


def _context(words: Sequence[Token], part: Sequence[int], language: Language) -> Context:
    first, last = part[0], part[-1]
    before = [words[i] for i in range(max(0, first - 2), first)]
    noun = None
    if before and words[first].gap.isspace() and not before[-1].capital:
        animate = [r for r in readings(before[-1].text, language) if r.kind == "NOUN" and r.animate]
        if animate and may_be_noun(before[-1].text, language):
            noun = before.pop().text
    preposition = before[-1].text.lower() if before and words[first].gap.isspace() else None
    if preposition not in GOVERNMENT[language]:
        preposition = None
    woman = len(part) == 1 and preposition is None and _speaks_of_a_woman(words, first, last, language)
    return Context(preposition, noun, woman)


def _speaks_of_a_woman(words: Sequence[Token], first: int, last: int, language: Language) -> bool:
    """A feminine verb in the past tense follows («Одинцова встала», but not «рана Одинцова зажила») or «— сказала»."""
    before = words[first - 1] if first and words[first].gap.isspace() else None
    if before and before.at_start and _past_gender(before, language):
        return _past_gender(before, language) == "femn"
    if before and may_be_noun(before.text, language):
        return False
    for token in words[last + 1 : last + 1 + _NEAR]:
        if not token.gap.isspace() or token.capital:
            return False
        if gender := _past_gender(token, language):
            return gender == "femn"
    return False


def _past_gender(token: Token, language: Language) -> str | None:
    tag = parses(token.text, language)[0].tag
    return str(tag.gender) if tag.POS == "VERB" and "past" in tag.grammemes and tag.gender else None


def _with_common_noun(words: Sequence[Token], i: int, context: Context, language: Language) -> Mention | None:
    """«Белогорской крепости»: a capitalised adjective and the noun that it agrees with."""
    if words[i].at_start or i + 1 >= len(words) or words[i + 1].capital or not words[i + 1].gap.isspace():
        return None
    kinds = {reading.kind for reading in readings(words[i].text, language)}
    if "ADJF" not in kinds or kinds & NAME_TAGS or not may_be_noun(words[i + 1].text, language):
        return None
    form = nominative([words[i].text, words[i + 1].text], language, context)
    if form is None or [r.kind for r in form.readings] != ["ADJF", "NOUN"] or form.readings[1].animate:
        return None
    name = f"{like(words[i].text, form.words[0])} {like(words[i + 1].text, form.words[1])}"
    return Mention(
        words[i].start, words[i + 1].end, name, _head_type(form.words[1], language) or "NAME", True
    )


def _type(chosen: Sequence[Reading], language: Language) -> str:
    tags = {reading.kind for reading in chosen if reading.known or reading.kind in ("Surn", "Patr")}
    if tags & _PERSON_TAGS or [reading.kind for reading in chosen] == ["ADJF"]:
        return "PERSON"
    head = _head_type(chosen[-1].nominative, language)
    if head:
        return head
    if "Geox" in tags:
        return "PLACE"
    return "ORGANIZATION" if "Orgn" in tags else "NAME"


def _head_type(noun: str, language: Language) -> str | None:
    if noun in PLACE_HEADS[language]:
        return "PLACE"
    return "ORGANIZATION" if noun in ORGANIZATION_HEADS[language] else None
