"""Walking through a text from one possible end of a sentence to the next."""

import re
from itertools import pairwise

from tgrag.chunk.sentences import cyrillic, english
from tgrag.chunk.sentences.stop import LEFT, Stop
from tgrag.records import Language

Spans = list[tuple[int, int]]

_BLANK_LINES = re.compile(r"\n\s*\n\s*")
_PICTURES = r"[\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff\ufe0f\u200d]"
# Marks that end a sentence and all that clings to them: closing quotes and brackets, the mark of a note, emoji.
# It never fails once it has begun and gives nothing back, so that no run of marks is read twice.
_END = re.compile(
    r"(?P<mark>[.!?…]++(?:[\s\u2060]{1,3}+[.!?…]++(?!\w))*+)"
    r"(?P<closing>(?:\s?»|[”“\"'’)\]}*_`])*+)"
    r"(?:\s?\[(?:\d{1,3}|[a-zа-яёіїєґ][^\[\]\n]{0,30})\]|[¹²³⁰⁴-⁹]|(?<=[^\W\d_]{3}[.!?…])\d{1,2}(?=\s))*+"
    rf"(?:\s++{_PICTURES}+)*"
    r"\s*+"
)
_NEXT = re.compile(r"(?P<opening>[\W_]{0,12})(?P<word>[^\W_](?:[^\W_]|['’ʼ\-‑](?=[^\W_])){0,40})")
_INNER = frozenset(",;:)]}»”")  # what stands inside a sentence, never before one
_WORD = re.compile(r"[^\W_]")
_NOTE = re.compile(r"\d{1,2}\s*\Z")
# A number, a letter or «Глава II» at the head of a sentence belongs to what it counts.
_COUNT = re.compile(
    r"(?:(?:chapter|part|book|section|article|act|scene|figure|table|appendix"
    r"|глава|часть|книга|раздел|статья|действие|явление|рисунок|таблица|приложение|пункт"
    r"|частина|розділ|стаття|дія|ява|малюнок|таблиця|додаток)\s{1,3})?"
    r"(?:\d{1,4}(?:\.\d{1,3}){0,4}|[IVXLC]{1,7}|[ІХV]{1,7}|(?![яЯ])[^\W\d_])",
    re.IGNORECASE,
)


def sentences(text: str, language: Language) -> Spans:
    """Return the spans of the sentences of a text: in order, together the whole text.

    White space after a sentence belongs to it; no sentence crosses a blank line. A text without a word
    character still is one sentence; an empty one has none. What follows a blank line changes nothing before it.
    """
    edges = [0]
    start = 0
    for blank in _BLANK_LINES.finditer(text):
        if blank.start():
            edges += _cuts(text, start, blank.start(), language)
            edges.append(blank.end())
            start = blank.end()
    if start < len(text):
        edges += [*_cuts(text, start, len(text), language), len(text)]
    return list(pairwise(edges))


def _cuts(text: str, start: int, end: int, language: Language) -> list[int]:
    """Return where the sentences of the paragraph from start to end begin, but for the first."""
    full_stop = english.ends_sentence if language == "en" else cyrillic.ends_sentence
    cuts: list[int] = []
    head = -1  # where the first word of the sentence begins, once it is known
    for found in _END.finditer(text, start, end):
        cut = found.end()
        if cut == end or not text[cut - 1].isspace():
            continue
        following = _NEXT.match(text, cut, end)
        if following is None or text[cut] in _INNER or _goes_on(following["word"]):
            continue
        if _NOTE.match(text, following.start("word"), end):
            continue
        at = found.start()
        if head < start:
            head = word.start() if (word := _WORD.search(text, start, end)) else end
        if head >= at:
            continue
        stop = Stop(
            before=text[max(start, at - LEFT) : at],
            mark=found["mark"],
            closing=found["closing"],
            opening=following["opening"],
            word=following["word"],
            after=text[following.end() : min(end, following.end() + LEFT)],
        )
        if found["mark"] == "." and _COUNT.fullmatch(text, head, at):
            continue
        if full_stop(stop, language):
            cuts.append(cut)
            start = cut
    return cuts


def _goes_on(word: str) -> bool:
    """Tell whether a word cannot begin a sentence: a small letter does not («iPhone» has none)."""
    return word[0].islower() and not word[1:2].isupper()
