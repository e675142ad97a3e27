"""Which rows are headings: those of the outline, those by their own words, and those by how they are set."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tgrag.ingest.headings import (
    ARTICLE,
    CHAPTER,
    SECTION,
    Heading,
    heading_at,
    is_title_like,
    is_unnumbered,
    line_heading,
)
from tgrag.ingest.pdf.blocks import ITEM, Block, is_apart, table_end
from tgrag.ingest.pdf.reader import Bookmark
from tgrag.ingest.pdf.rows import Column, Row
from tgrag.ingest.sequences import Mark, in_sequence

_LARGER = 1.12  # than the body's letters
_MAX_ROWS, _MAX_CHARACTERS, _MAX_WORDS = 4, 200, 20
_MAX_SENTENCE_WORDS = 9  # of a title that ends like a sentence
_CENTRED = 0.04  # of the column's width, by which the middle of a centred line may be off
_MARGIN = 0.1  # of the column's width, free on both sides of a centred line
_MIN_BOOKMARKS = 3
_MIN_ALIKE = 2  # blocks set alike in one document: one alone is a title page, a letterhead, a signature
_MIN_NUMBERS, _GAP = 3, 200  # chapters with a number and no title, and characters between them
_MIN_TAIL = 3000  # characters
_MAX_TAIL = 8  # times the longest text below the other headings
_NUMBERED = re.compile(r"(?P<number>\d{1,2}(?:\.\d{1,2})*)\.?\s+(?P<title>[^\W\d].*)")
_BARE_NUMBER = re.compile(r"(?P<number>\d{1,3})\.?")
_LEADER = re.compile(r"(?:\.{4,}|…{2,}|(?:\.\s){3,})")
_NOT_LETTERS = re.compile(r"[\W_]+")

Range = tuple[int, int, int]  # first row, row after the last one, level


@dataclass(frozen=True, slots=True)
class Part:
    """Rows of a column: a heading of some level, or what stands between headings."""

    column: Column
    level: int | None = None
    is_first: bool = False


def parts(column: Column, marked: Mapping[str, int], step: float) -> Iterator[Part]:
    """Cut a column at the headings that its outline and its words tell.

    marked: level of the outline's entries for this page, by their folded titles (see ``folded``).
    step: from line to line inside paragraphs, in heights of a letter.
    """
    rows, begin = column.rows, 0
    for first, end, level in _ranges(rows, marked, step):
        if begin < first:
            yield Part(replace(column, rows=rows[begin:first]), is_first=begin == 0)
        yield Part(replace(column, rows=rows[first:end]), level)
        begin = end
    if begin < len(rows):
        yield Part(replace(column, rows=rows[begin:]), is_first=begin == 0)


def _ranges(rows: Sequence[Row], marked: Mapping[str, int], step: float) -> Iterator[Range]:
    texts, places = _with_gaps(rows, step)
    index = 0
    while index < len(rows):
        end = table_end(rows, index)
        found = _marked(rows, index, marked) or (None if end else _worded(rows, texts, places, index))
        if found:
            yield found
        index = found[1] if found else end or index + 1


def folded(title: str) -> str:
    """Return the letters and digits of a title, for comparing."""
    return _NOT_LETTERS.sub("", title).casefold()


def _marked(rows: Sequence[Row], index: int, marked: Mapping[str, int]) -> Range | None:
    text = ""
    for end in range(index, min(index + _MAX_ROWS, len(rows))):
        text += folded(rows[end].text)
        if text in marked:
            return index, end + 1, marked[text]
        if not any(title.startswith(text) for title in marked):
            return None
    return None


def _worded(rows: Sequence[Row], texts: Sequence[str], places: Sequence[int], index: int) -> Range | None:
    """Return the heading by its words that begins at a row; its title is set as it is."""
    if rows[index].is_turned or (len(rows[index].cells) > 1 and rows[index].cells[-1].isdecimal()):
        return None
    found = heading_at(texts, places[index])
    if found is None:
        return None
    heading, n_lines = found
    last = places[index] + n_lines
    end = index + 1
    while end < len(rows) and places[end] < last:
        end += 1
    if any(row.is_bold != rows[index].is_bold for row in rows[index:end]):
        end = index + 1
    return index, end, heading.level


def _with_gaps(rows: Sequence[Row], step: float) -> tuple[list[str], list[int]]:
    """Return the rows' texts with "" where the page shows a gap, and where each row stands among them."""
    texts: list[str] = []
    places: list[int] = []
    for index, row in enumerate(rows):
        if index and is_apart(rows[index - 1], row, step):
            texts.append("")
        places.append(len(texts))
        texts.append(row.text)
    return texts, places


# --- the outline --------------------------------------------------------------------------------------


def outline_levels(bookmarks: Sequence[Bookmark]) -> dict[int, dict[str, int]]:
    """Return for each page the levels of the outline's entries that lead to it, by folded title.

    A depth whose entries say what they are («Chapter 1») is on their level, another one below the one above it.
    An outline of two entries, or one that holds whole paragraphs, is what a converter made of chance styles.
    """
    if len(bookmarks) < _MIN_BOOKMARKS or any(len(mark.title) > _MAX_CHARACTERS for mark in bookmarks):
        return {}
    said: dict[int, list[int]] = {}
    for mark in bookmarks:
        heading: Heading | None = line_heading(mark.title)
        if heading:
            said.setdefault(mark.depth, []).append(heading.level)
    levels: list[int] = []
    for depth in range(max((mark.depth for mark in bookmarks), default=-1) + 1):
        own = min(said.get(depth, ()), default=levels[-1] + 1 if levels else CHAPTER)
        levels.append(max(own, levels[-1] + 1) if levels else own)
    pages: dict[int, dict[str, int]] = {}
    for mark in bookmarks:
        title = folded(mark.title)
        if title:
            pages.setdefault(mark.page, {}).setdefault(title, levels[mark.depth])
    return pages


# --- how a block is set -------------------------------------------------------------------------------

Style = tuple[float, bool, int]  # size in points, bold, depth of the number
_ASIDE = ("furniture", "footnote")


def with_styled_headings(blocks: Sequence[Block], body: float, step: float) -> list[Block]:
    """Make headings of the blocks that are set as such: in larger letters, bold and numbered, bold and centred.

    A number alone that is set so is one where it counts the parts of the text.
    """
    blocks = _with_numbers(blocks, body)
    styles: dict[int, Style] = {}
    below: Block | None = None
    for index in range(len(blocks) - 1, -1, -1):
        if blocks[index].kind in _ASIDE:
            continue
        above = blocks[index - 1] if index else None
        style = _style(above, blocks[index], below, body, step) if below else None
        if style:
            styles[index] = style
        below = blocks[index]
    alike: dict[tuple[float, bool], list[int]] = {}
    for index in sorted(styles):
        alike.setdefault(styles[index][:2], []).append(index)
    groups = {style: indices for style, indices in alike.items() if len(indices) >= _MIN_ALIKE}
    extents = _extents(blocks, frozenset(index for indices in groups.values() for index in indices))
    believed = {
        style for style, indices in groups.items() if _is_spread([extents[index] for index in indices])
    }
    kept = {
        index: style
        for index, style in styles.items()
        if style[:2] in believed or (style[1] and _NUMBERED.match(blocks[index].text))
    }
    ranks = sorted(set(kept.values()), key=lambda style: (-style[0], not style[1], style[2]))
    level = {style: ARTICLE + 1 + rank for rank, style in enumerate(ranks)}
    found = [
        replace(block, kind="heading", level=level[kept[index]]) if index in kept else block
        for index, block in enumerate(blocks)
    ]
    levels = {_look(found[index]): level[style] for index, style in kept.items()}
    for block in blocks:
        if block.kind == "heading" and not is_unnumbered(block.text):
            levels.pop(_look(block), None)
    return [
        replace(block, level=levels.get(_look(block), block.level))
        if block.kind == "heading" and is_unnumbered(block.text)
        else block
        for block in found
    ]


def _look(block: Block) -> tuple[float, bool, bool, bool]:
    """Return what headings of one level have in common: size in points, bold, in capitals, centred."""
    first = block.rows[0]
    return round(2 * first.size) / 2, first.is_bold, block.text.isupper(), _is_centred(block)


def _with_numbers(blocks: Sequence[Block], body: float) -> list[Block]:
    """Make headings of the bare Arabic numbers, in larger letters or bold, that go up from 1 with text between them."""
    places: list[int] = []
    marks: list[Mark] = []
    length = 0
    for index, block in enumerate(blocks):
        row = block.rows[0]
        number = _BARE_NUMBER.fullmatch(block.text) if block.kind == "text" else None
        if number and (row.is_bold or row.size > _LARGER * body) and not row.is_turned:
            places.append(index)
            marks.append(Mark("", int(number["number"]), length))
        length += len(block.text)
    counted = {places[place] for place in in_sequence(marks, gap=_GAP, shortest=_MIN_NUMBERS)}
    return [
        replace(block, kind="heading", level=SECTION) if index in counted else block
        for index, block in enumerate(blocks)
    ]


def _extents(blocks: Sequence[Block], styled: frozenset[int]) -> dict[int, int]:
    """Return for each block that is set like a heading the characters up to the next heading of any kind."""
    extents: dict[int, int] = {}
    length = 0
    for index in range(len(blocks) - 1, -1, -1):
        if index in styled:
            extents[index] = length
        if index in styled or blocks[index].kind == "heading":
            length = 0
        else:
            length += len(blocks[index].text)
    return extents


def _is_spread(extents: Sequence[int]) -> bool:
    """Tell whether headings that are set alike divide a text; a few lines in one place would name all after them.

    extents: characters below each, in order.
    """
    *others, last = extents
    return last < _MIN_TAIL or last < _MAX_TAIL * max(others)


def _style(above: Block | None, block: Block, below: Block, body: float, step: float) -> Style | None:
    """Return how a heading is set; None for what is none. below: the next block of text."""
    first = block.rows[0]
    if block.kind != "text" or first.is_turned or len(block.rows) > _MAX_ROWS:
        return None
    text = block.text
    numbered = _NUMBERED.fullmatch(text)
    title = numbered["title"] if numbered else text
    if not _may_be_title(text, title) or (ITEM.match(text) and not numbered):
        return None
    is_bold = all(row.is_bold for row in block.rows)
    style = round(2 * first.size) / 2, is_bold, numbered["number"].count(".") + 1 if numbered else 1
    if first.size > _LARGER * body and not (text[-1] in ".!?…" and len(text.split()) > _MAX_SENTENCE_WORDS):
        return style
    if not is_bold or first.size < body / _LARGER:
        return None
    if numbered and is_title_like(title.rstrip(".")):
        return style
    stands_free = above is None or above.rows[-1].page != first.page or is_apart(above.rows[-1], first, step)
    leads_text = len(below.rows) > 1 and not below.rows[0].is_bold
    return style if is_title_like(text) and _is_centred(block) and stands_free and leads_text else None


def _may_be_title(text: str, title: str) -> bool:
    """Tell whether a text may be a heading, by its form. title: without its number."""
    return (
        len(text) <= _MAX_CHARACTERS
        and len(text.split()) <= _MAX_WORDS
        and sum(map(str.isalpha, text)) >= 3
        and not title[0].islower()
        and text[-1] not in ",;:-–—"
        and not _LEADER.search(text)
    )


def _is_centred(block: Block) -> bool:
    left, right = block.edges
    width = max(right - left, 1.0)
    return all(
        abs((row.left + row.right) / 2 - (left + right) / 2) < _CENTRED * width
        and row.left - left > _MARGIN * width
        for row in block.rows
    )
