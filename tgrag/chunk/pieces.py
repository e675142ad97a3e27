"""From a section to pieces: what text units are made of.

A piece is a sentence or a table's row; of a sentence that is too long for a unit it is a clause, of a word that
is too long for one a part.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Literal

from tgrag.chunk.sentences import sentences
from tgrag.chunk.structure import Section, Span
from tgrag.models.protocols import Tokenizer
from tgrag.records import Language

Closed = Literal["paragraph", "sentence", "clause", "word"]

_WORD = re.compile(r"\S+")
_OPEN_END = re.compile(
    r"(?:[^\W\d_][\"“”»’)\]]*|[,–—-])\Z"
)  # a letter, a comma, a dash; a number may be a note's
_MAX_JOINED = 8  # paragraphs that one sentence may go on over: verse without a full stop has to end somewhere
_CHARACTERS_A_TOKEN = 17  # more than the longest entry in the vocabularies of SentencePiece models
_CLAUSES_A_UNIT = 8  # how finely a sentence without punctuation is cut when it is too long


@dataclass(frozen=True, slots=True)
class Piece:
    """start, end: in the parsed text, no white space at either end.

    closes: the largest part of the text that is complete at its end. is_whole: it is not only a part of a sentence.
    """

    start: int
    end: int
    n_tokens: int
    closes: Closed
    is_whole: bool = True


def pieces(
    text: str, section: Section, language: Language, tokenizer: Tokenizer, limit: int
) -> Iterator[Piece]:
    """Yield the pieces of a section in order: all of its body but white space, each of at most ``limit`` tokens."""
    for run in _runs(section.body):
        found = list(_stripped(text, _sentences(run, language)))
        for number, (start, end) in enumerate(found, start=1):
            closes: Closed = "paragraph" if number == len(found) else "sentence"
            n_tokens = _count_within(text[start:end], tokenizer, limit)
            if n_tokens is not None:
                yield Piece(start, end, n_tokens, closes)
            else:
                yield from _clauses(text, start, end, closes, tokenizer, limit)


def _runs(body: Sequence[Span]) -> Iterator[list[Span]]:
    """Put paragraphs together that are one: the first ends in the middle of a sentence, the next goes on with it."""
    run: list[Span] = []
    for span in body:
        if run and not (len(run) < _MAX_JOINED and _goes_on(run[-1], span)):
            yield run
            run = []
        run.append(span)
    if run:
        yield run


def _goes_on(one: Span, other: Span) -> bool:
    if not one.element.kind == other.element.kind == "paragraph":
        return False
    is_open = _OPEN_END.search(one.element.text.rstrip()[-9:])
    return bool(is_open) and other.element.text.lstrip()[:1].islower()


def _sentences(run: Sequence[Span], language: Language) -> Iterator[tuple[int, int]]:
    """A table's rows are its sentences: they seldom end in a full stop."""
    start, text = run[0].start, run[0].element.text
    if run[0].element.kind == "table":
        spans = list(pairwise(accumulate(map(len, text.splitlines(keepends=True)), initial=0)))
    else:
        for span in run[
            1:
        ]:  # white space as long as what is between them, but no blank line to end a sentence
            text = text.ljust(span.start - start) + span.element.text
        spans = sentences(text, language)
    return ((start + a, start + b) for a, b in spans)


def _stripped(text: str, spans: Iterator[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    for start, end in spans:
        raw = text[start:end]
        if kept := raw.strip():
            start += raw.index(kept[0])
            yield start, start + len(kept)


def _count_within(text: str, tokenizer: Tokenizer, limit: int) -> int | None:
    """Return how many tokens a text has, None when more than ``limit``; one that is far over it is not counted."""
    if len(text) > _CHARACTERS_A_TOKEN * limit:
        return None
    n_tokens = tokenizer.count(text)
    return n_tokens if n_tokens <= limit else None


def _clauses(
    text: str, start: int, end: int, closes: Closed, tokenizer: Tokenizer, limit: int
) -> Iterator[Piece]:
    """Cut a sentence after punctuation and lines, and where there are none after an eighth of the limit."""
    begun, stop, total = start, start, 0
    for a, b, n_tokens in _words(text, start, end, tokenizer, limit):
        is_clause = not text[stop - 1].isalnum() or text[stop] == "\n"
        if total and (is_clause or total + n_tokens > limit // _CLAUSES_A_UNIT):
            complete: Closed = "clause" if is_clause else "word"
            yield Piece(begun, stop, tokenizer.count(text[begun:stop]), complete, is_whole=False)
            begun, total = a, 0
        stop, total = b, total + n_tokens
    yield Piece(begun, stop, tokenizer.count(text[begun:stop]), closes, is_whole=False)


def _words(
    text: str, start: int, end: int, tokenizer: Tokenizer, limit: int
) -> Iterator[tuple[int, int, int]]:
    """Yield start, end and tokens of each word, of a word over the limit those of its parts."""
    for word in _WORD.finditer(text, start, end):
        a, b = word.span()
        n_tokens = _count_within(word.group(), tokenizer, limit)
        if n_tokens is not None:
            yield a, b, n_tokens
            continue
        length = limit // _CLAUSES_A_UNIT
        for part in range(a, b, length):
            yield from _halves(text, part, min(part + length, b), tokenizer, limit)


def _halves(
    text: str, start: int, end: int, tokenizer: Tokenizer, limit: int
) -> Iterator[tuple[int, int, int]]:
    n_tokens = tokenizer.count(text[start:end])
    if n_tokens <= limit or end - start == 1:
        yield start, end, n_tokens
    else:
        middle = (start + end) // 2
        yield from _halves(text, start, middle, tokenizer, limit)
        yield from _halves(text, middle, end, tokenizer, limit)
