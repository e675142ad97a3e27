"""Sentences: razdel for Russian and Ukrainian, sentencex for English, corrected where they are known to fail.

On 30 lines of English dialogue, titles and initials razdel made 14 mistakes, pysbd 7, sentencex 2 (once it was
kept from taking a whole quoted speech for one sentence). The corrections for Russian and Ukrainian answer
razdel's mistakes on real books.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

import razdel
import sentencex

from tgrag.language import may_be_name
from tgrag.records import Language

Spans = list[tuple[int, int]]

_PARAGRAPH = re.compile(r".+?(?:\n\s*\n\s*|\Z)", re.DOTALL)
_BEFORE_NUMBER = re.compile(r"\b(?:Lat|Long|Nos?|Figs?|Ch|Vol|pp?|vols?|chs?|figs?)\.\s*$", re.IGNORECASE)
_NEXT = r"\s+(?=([А-ЯЁІЇЄҐ][\w'’ʼ]*))"
# Ends that razdel takes for abbreviations or initials: certain ones, and those that no name follows.
_ENDS = (
    re.compile(r"\w-с[.!?…]\s+(?=[—–«\"]?\s*[А-ЯЁІЇЄҐ])"),  # «никогда-с. Вот»
    re.compile(r"[а-яёіїєґ]{2}\.\s+(?=[—–]\s*[А-ЯЁІЇЄҐ])"),  # «в нем. — Сколько»
)
_ENDS_UNLESS_NAME = (
    re.compile(r"\d\s*[гр]\." + _NEXT),  # «1799 г. Умер», but not «1799 г. Пушкин»
    re.compile(r"\b(?:им|нем|нём)\." + _NEXT),  # «овладело им. Карета»
    re.compile(r"°\s*[СCF]\." + _NEXT),  # «25 °C. Умови»
    re.compile(r"(?:^|[\s—–«])Я\." + _NEXT + r"(?!\w\.)"),  # «— Я. Открой», but not «Я. Перельман»
)


_OPENING_QUOTES = '“„"«'
_NO_QUOTES = str.maketrans(dict.fromkeys('“”„"«»', " "))
_OPENING = re.compile(r"[\s“„\"«(—–…]*")


def sentences(text: str, language: Language) -> Spans:
    """Return the spans of the sentences of a text: in order, together the whole text.

    White space after a sentence belongs to it; no sentence crosses a blank line. A text without a word
    character still is one sentence; an empty one has none.
    """
    spans: Spans = []
    for paragraph in _PARAGRAPH.finditer(text):
        inside = paragraph.group()
        cuts = sorted(_english_cuts(inside) if language == "en" else _cyrillic_cuts(inside, language))
        edges = [0, *cuts, len(inside)]
        spans += [(paragraph.start() + a, paragraph.start() + b) for a, b in pairwise(edges)]
    return spans


def _english_cuts(text: str) -> Iterator[int]:
    """Cut where sentencex does when it does not see the quotation marks: inside them it would not cut at all."""
    for boundary in sentencex.get_sentence_boundaries("en", text.translate(_NO_QUOTES)):
        cut: int = boundary["start_index"]
        while cut > 1 and text[cut - 1] in _OPENING_QUOTES and text[cut - 2].isspace():
            cut -= 1
        follows = _OPENING.match(text, cut).end()  # type: ignore[union-attr]
        if text[follows : follows + 1].islower() or not text[follows : boundary["end_index"]].strip():
            continue
        is_number = text[cut : cut + 1].isdigit()
        if cut and not (is_number and _BEFORE_NUMBER.search(text[max(0, cut - 12) : cut])):
            yield cut


def _cyrillic_cuts(text: str, language: Language) -> set[int]:
    starts = [sentence.start for sentence in razdel.sentenize(text)][1:]
    cuts = {start for start in starts if not text[max(0, start - 8) : start].rstrip().endswith(";")}
    for pattern in _ENDS:
        cuts.update(match.end() for match in pattern.finditer(text))
    for pattern in _ENDS_UNLESS_NAME:
        cuts.update(m.end() for m in pattern.finditer(text) if not may_be_name(m.group(1), language))
    return cuts
