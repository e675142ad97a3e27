"""Text units: consecutive sentences of one section, as many as the tokenizer's limit allows."""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from tgrag.chunk.cuts import unit_edges
from tgrag.chunk.pieces import Piece, pieces
from tgrag.chunk.structure import ParsedText, Span
from tgrag.hashing import stable_hash
from tgrag.models.protocols import Tokenizer
from tgrag.records import Fragment, Language
from tgrag.settings import ChunkSettings


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


def text_units(
    document_id: str, parsed: ParsedText, language: Language, tokenizer: Tokenizer, settings: ChunkSettings
) -> list[Chunk]:
    """Cut a parsed text into text units of at most ``settings.limit`` tokens, none across a heading.

    A unit's text is ``parsed.text[start:end]`` without white space at its ends. Nothing of the body is lost, and
    without ``settings.overlap`` nothing doubled: between two units there is only white space, headings and drops.
    """
    n_equals: Counter[tuple[tuple[str, ...], str]] = Counter()
    chunks = []
    for section in parsed.sections:
        found = list(pieces(parsed.text, section, language, tokenizer, settings.limit - settings.overlap))
        for start, end, n_tokens in _spans(parsed.text, found, tokenizer, settings):
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


def _spans(
    text: str, found: Sequence[Piece], tokenizer: Tokenizer, settings: ChunkSettings
) -> Iterator[tuple[int, int, int]]:
    """Yield start, end and tokens of each unit of a section, with what it repeats of the one before."""
    room = settings.limit - settings.overlap
    edges = unit_edges(text, found, room, settings.earliest_cut, settings.join_below)
    before = 0
    for cut, next_cut in pairwise(edges):
        for first, beyond, n_tokens in _halves(text, found, cut, next_cut, tokenizer, room):
            start, end = found[first].start, found[beyond - 1].end
            for begun in range(_begin(found, before, first, settings.overlap), first):
                n_with_repeated = tokenizer.count(text[found[begun].start : end])
                if n_with_repeated <= settings.limit:
                    start, n_tokens = found[begun].start, n_with_repeated
                    break
            yield start, end, n_tokens
            before = first


def _halves(
    text: str, found: Sequence[Piece], first: int, beyond: int, tokenizer: Tokenizer, limit: int
) -> Iterator[tuple[int, int, int]]:
    """Yield the pieces as they are, or halved when joined they have more tokens than their sum let expect."""
    n_tokens = tokenizer.count(text[found[first].start : found[beyond - 1].end])
    if n_tokens <= limit or beyond - first == 1:
        yield first, beyond, n_tokens
    else:
        middle = (first + beyond) // 2
        yield from _halves(text, found, first, middle, tokenizer, limit)
        yield from _halves(text, found, middle, beyond, tokenizer, limit)


def _begin(found: Sequence[Piece], before: int, first: int, overlap: int) -> int:
    """Return the piece to begin with to repeat whole sentences of the unit before, which begins at ``before``.

    Not all of them: a unit that stands whole in the next one would say nothing of its own.
    """
    while first > before + 1 and found[first - 1].is_whole and found[first - 1].n_tokens <= overlap:
        first -= 1
        overlap -= found[first].n_tokens
    return first


def _fragments(body: Sequence[Span], start: int, end: int) -> tuple[Fragment, ...]:
    """Return where the text from start to end stands on paper, by its own characters."""
    first = bisect_right(body, start, key=lambda span: span.end)
    beyond = bisect_left(body, end, key=lambda span: span.start)
    return tuple(
        replace(fragment, start=max(span.start + fragment.start - start, 0))
        for span in body[first:beyond]
        for fragment in _between(span.element.fragments, start - span.start, end - span.start)
    )


def _between(fragments: Sequence[Fragment], start: int, end: int) -> Sequence[Fragment]:
    """Return the fragments of an element that its characters from start to end stand in."""
    first = bisect_right(fragments, start, key=lambda fragment: fragment.start) - 1
    beyond = bisect_left(fragments, end, key=lambda fragment: fragment.start)
    return fragments[max(first, 0) : beyond]
