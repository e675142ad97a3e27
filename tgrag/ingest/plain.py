"""Plain text: paragraphs, headings, and the title that the first lines give.

Paragraphs are told apart by blank lines, by indents, or by line ends where a file has one paragraph a line;
which of these holds is decided anew between every two blank lines or headings.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tgrag.ingest.headings import CHAPTER, heading_at, is_capitals, is_capitals_heading, is_title_like
from tgrag.ingest.nesting import nested
from tgrag.ingest.text import clean, ends_sentence, join_lines, squeeze, starts_lower
from tgrag.ingest.unlined import ENORMOUS, unfold
from tgrag.ingest.votes import vote
from tgrag.records import Element

_PRINTED_WIDTH = range(45, 101)  # characters a line of hard-wrapped text
_LONG_LINE = 55  # a verse is hardly ever so wide
_SHORT = 0.7  # of the widest line of a block: a line that ends a paragraph
_TITLE_LINES = 10  # lines of text at the beginning in which a title is looked for
_AUTHOR_THEN_TITLE = re.compile(r"(?:[^\W\d_]\S*\s+){1,2}[^\W\d_]{3,}\.\s+(?P<title>.+)")
_TAB = 4
_MANY_BLANK_LINES = re.compile(r"\n{10,}")
_LINE_END = re.compile(r"\r\n|[\n\r\f\v\x85\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class _Line:
    indent: int
    text: str


def read_plain(text: str) -> tuple[str | None, tuple[Element, ...]]:
    """Return the title that the text seems to have, and its elements."""
    rows = [_line(row) for row in _rows(clean(text))]
    lines = [row.text for row in rows]
    elements: list[Element] = []
    block: list[_Line] = []
    opening: list[str] = []  # the lines before the first heading
    index, seen_heading = 0, False
    votes = vote(lines)

    def close_block() -> None:
        elements.extend(Element("paragraph", paragraph) for paragraph in _paragraphs(block))
        block.clear()

    while index < len(lines):
        is_text = bool(lines[index]) and index not in votes.no_chapters
        found = heading_at(lines, index, votes.found.get(index), votes.repeated) if is_text else None
        is_past_title = seen_heading or len(opening) >= _TITLE_LINES
        if found:
            close_block()
            elements.append(Element("heading", found[0].text, level=found[0].level))
            seen_heading = True
            index += found[1]
            continue
        is_title = is_past_title and index not in votes.mere_capitals
        if lines[index] and is_title and is_capitals_heading(lines, index):
            close_block()
            elements.append(Element("heading", lines[index], level=CHAPTER))
            seen_heading = True
        elif lines[index]:
            block.append(rows[index])
            if not is_past_title:
                opening.append(lines[index])
        else:
            close_block()
        index += 1
    close_block()
    return _title(opening), nested(elements)


def _rows(text: str) -> Iterator[str]:
    for row in _LINE_END.split(_MANY_BLANK_LINES.sub("\n" * 10, text)):
        yield from unfold(row).split("\n") if len(row) > ENORMOUS else (row,)


def _line(row: str) -> _Line:
    row = row.expandtabs(_TAB)
    return _Line(len(row) - len(row.lstrip()), squeeze(row))


def _paragraphs(block: Sequence[_Line]) -> list[str]:
    if not _is_wrapped(block):
        return [line.text for line in block]
    margin = min(line.indent for line in block)
    width = max(len(line.text) for line in block)
    paragraphs = [[block[0].text]]
    for before, line in pairwise(block):
        is_last = (
            len(before.text) < _SHORT * width and ends_sentence(before.text) and not starts_lower(line.text)
        )
        if line.indent > margin or is_last:
            paragraphs.append([line.text])
        else:
            pieces = paragraphs[-1]
            joined = join_lines(pieces[-1], line.text)
            pieces[-1:] = [joined[: len(joined) - len(line.text)], line.text]
    return ["".join(pieces) for pieces in paragraphs]


def _is_wrapped(block: Sequence[_Line]) -> bool:
    """Tell whether the line ends of a block are a printer's and not the writer's."""
    if max((len(line.text) for line in block), default=0) not in _PRINTED_WIDTH:
        return False
    margin = min(line.indent for line in block)
    pairs = [(a.text, b.text) for a, b in pairwise(block) if b.indent <= margin]
    runs_on = sum(starts_lower(b) or (len(a) >= _LONG_LINE and not ends_sentence(a)) for a, b in pairs)
    return runs_on > 0 and runs_on >= len(pairs) / 2


def _title(opening: Sequence[str]) -> str | None:
    lines_before = ("", *opening)
    capitals = next(
        (b for a, b in zip(lines_before, opening, strict=False) if is_capitals(b) and a[-1:] != ","), None
    )
    if capitals:
        return capitals
    if not opening:
        return None
    first, second = opening[0], opening[1] if len(opening) > 1 else ""
    after_author = _AUTHOR_THEN_TITLE.fullmatch(first)
    if after_author and is_title_like(after_author["title"]):
        return after_author["title"]
    if _is_name(first) and is_title_like(second):
        return second
    return first if is_title_like(first) else None


def _is_name(line: str) -> bool:
    words = line.split()
    return 2 <= len(words) <= 4 and all(word[0].isupper() for word in words)
