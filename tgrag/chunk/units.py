"""Text units: consecutive sentences of one section, as many as the tokenizer's limit allows.

A unit ends where the content says so (of the sentence ends in the last quarter of the limit, the one whose
sentence has the smallest hash), so that cuts fall into step again soon after an edit.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

from tgrag.chunk.sentences import sentences
from tgrag.chunk.structure import ParsedText, Section, Span
from tgrag.hashing import stable_hash
from tgrag.models.protocols import Tokenizer
from tgrag.records import Fragment, Language
from tgrag.settings import ChunkSettings

_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A text unit as far as its document alone determines it; the fields are those of records.TextUnit.

    book, book_title: index of the book in the file from 0, and its title where a heading gives one.
    """

    text_unit_id: str
    text: str
    start: int
    end: int
    headings: tuple[str, ...]
    chapter_id: str
    book: int
    book_title: str | None
    page_numbers: tuple[int, ...]
    fragments: tuple[Fragment, ...]
    n_tokens: int


@dataclass(frozen=True, slots=True)
class _Piece:
    """A sentence, or a part of one that is over the limit: then only the last part ends it."""

    start: int
    end: int
    n_tokens: int
    ends_sentence: bool = True


def text_units(
    document_id: str, parsed: ParsedText, language: Language, tokenizer: Tokenizer, settings: ChunkSettings
) -> list[Chunk]:
    """Cut a parsed text into text units of at most ``settings.limit`` tokens, none across a heading.

    A unit's text is ``parsed.text[start:end]`` without white space at its ends. Nothing of the body is lost
    or doubled: between two units there is only white space and headings.
    """
    n_equals: Counter[tuple[tuple[str, ...], str]] = Counter()
    chunks = []
    for section in parsed.sections:
        pieces = list(_pieces(parsed.text, section, language, tokenizer, settings.limit))
        for start, end, n_tokens in _fill(parsed.text, pieces, tokenizer, settings):
            text = parsed.text[start:end]
            number = n_equals[section.headings, text]
            n_equals[section.headings, text] += 1
            fragments = _fragments(section.body, start, end)
            chunks.append(
                Chunk(
                    text_unit_id=stable_hash(document_id, section.headings, text, number),
                    text=text,
                    start=start,
                    end=end,
                    headings=section.headings,
                    chapter_id=section.chapter_id,
                    book=section.book,
                    book_title=section.book_title,
                    page_numbers=tuple(sorted({fragment.page for fragment in fragments})),
                    fragments=fragments,
                    n_tokens=n_tokens,
                )
            )
    return chunks


def _pieces(
    text: str, section: Section, language: Language, tokenizer: Tokenizer, limit: int
) -> Iterator[_Piece]:
    for span in section.body:
        for start, end in _sentences_of(span, language):
            stripped = text[start:end].strip()
            if not stripped:
                continue
            start = text.index(stripped, start)
            end = start + len(stripped)
            n_tokens = tokenizer.count(stripped)
            if n_tokens <= limit:
                yield _Piece(start, end, n_tokens)
            else:
                yield from _parts(text, start, end, tokenizer, limit)


def _sentences_of(span: Span, language: Language) -> Iterator[tuple[int, int]]:
    """A table's rows are its sentences: they seldom end in a full stop."""
    if span.element.kind == "table":
        edges = [0, *accumulate(len(row) for row in span.element.text.splitlines(keepends=True))]
        spans = list(pairwise(edges))
    else:
        spans = sentences(span.element.text, language)
    for start, end in spans:
        yield span.start + start, span.start + end


def _parts(text: str, start: int, end: int, tokenizer: Tokenizer, limit: int) -> Iterator[_Piece]:
    """Cut an over-long sentence at words, and over-long words at characters."""
    words: list[tuple[int, int, int]] = []
    for match in _WORD.finditer(text, start, end):
        words += _word_parts(text, match.start(), match.end(), tokenizer, limit)
    first = 0
    while first < len(words):
        last, total = first, words[first][2]
        while last + 1 < len(words) and total + words[last + 1][2] <= limit:
            last += 1
            total += words[last][2]
        while last > first and tokenizer.count(text[words[first][0] : words[last][1]]) > limit:
            last -= 1
        a, b = words[first][0], words[last][1]
        yield _Piece(a, b, tokenizer.count(text[a:b]), ends_sentence=last + 1 == len(words))
        first = last + 1


def _word_parts(
    text: str, start: int, end: int, tokenizer: Tokenizer, limit: int
) -> Iterator[tuple[int, int, int]]:
    while start < end:
        size = min(end - start, limit) if end - start > 8 * limit else end - start
        while (n_tokens := tokenizer.count(text[start : start + size])) > limit and size > 1:
            size = min(size // 2, limit)
        yield start, start + size, n_tokens
        start += size


def _fill(
    text: str, pieces: Sequence[_Piece], tokenizer: Tokenizer, settings: ChunkSettings
) -> Iterator[tuple[int, int, int]]:
    """Yield start, end and token count of each unit: chosen by the sums of its pieces, then counted as a whole."""
    first = 0
    while first < len(pieces):
        last = _last_that_fits(pieces, first, settings.limit)
        if last + 1 < len(pieces):
            last = _cut(text, pieces, first, last, settings)
        start = pieces[first].start
        while (n_tokens := tokenizer.count(text[start : pieces[last].end])) > settings.limit and last > first:
            last -= 1
        yield start, pieces[last].end, n_tokens
        first = last + 1


def _last_that_fits(pieces: Sequence[_Piece], first: int, limit: int) -> int:
    last, total = first, pieces[first].n_tokens
    while last + 1 < len(pieces) and total + pieces[last + 1].n_tokens <= limit:
        last += 1
        total += pieces[last].n_tokens
    return last


def _cut(text: str, pieces: Sequence[_Piece], first: int, last: int, settings: ChunkSettings) -> int:
    """Return the piece after which to end a unit that could reach to ``last``."""
    totals = accumulate(piece.n_tokens for piece in pieces[first : last + 1])
    ends = [
        index
        for index, total in enumerate(totals, start=first)
        if total >= settings.earliest_cut * settings.limit and pieces[index].ends_sentence
    ]
    return min(ends, key=lambda i: (stable_hash(text[pieces[i].start : pieces[i].end]), -i), default=last)


def _fragments(body: Sequence[Span], start: int, end: int) -> tuple[Fragment, ...]:
    """Return where the text from start to end stands on paper, by its own characters."""
    first = bisect_right(body, start, key=lambda span: span.end)
    beyond = bisect_left(body, end, key=lambda span: span.start)
    fragments: list[Fragment] = []
    for span in body[first:beyond]:
        here = span.element.fragments
        ends = [*(fragment.start for fragment in here[1:]), len(span.element.text)]
        for fragment, stop in zip(here, ends, strict=False):
            begun = span.start + fragment.start
            if span.start + stop > start and begun < end:
                fragments.append(replace(fragment, start=max(begun - start, 0)))
    return tuple(fragments)
