"""Rows of a column to blocks: paragraphs, tables. A block is rows that belong together."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from tgrag.ingest.headings import is_contents_line
from tgrag.ingest.pdf.rows import Column, Row
from tgrag.ingest.text import ends_sentence, starts_lower

ITEM = re.compile(
    r"(?:[-–—•◦▪■●○·*\uf0b7\uf0a7]\s|\(?\d{1,3}(?:\.\d{1,3})*[.)]\s|\d{1,3}(?:\.\d{1,3})+(?:\s|$)|\(?[а-яa-zіїєґ]\)\s)",
    re.IGNORECASE,
)
_ITEM_MARK = re.compile(
    r"[-–—•◦▪■●○·*\uf0b7\uf0a7]|\(?(?:\d{1,3}(?:\.\d{1,3})*|[а-яa-zіїєґ])[.)]", re.IGNORECASE
)

_WIDER = 1.25  # times the usual step from line to line: a gap that parts paragraphs
_INDENT = 0.5, 5.0  # of the letters' height: the first line of a paragraph
_ALIGNED = 4.0  # points
_OTHER_SIZE = 1.1
_USUAL_STEP_SHARE = 0.15  # of a page's steps, from which the least is the step inside paragraphs
_ROOM = 0.6  # of the letters' height, left over behind a word that would have fitted: the line was ended on purpose


@dataclass(frozen=True, slots=True)
class Block:
    """edges: left and right edge of its column. is_first: it opens its column. level: of a heading."""

    kind: Literal["text", "table", "heading", "footnote", "furniture"]
    rows: tuple[Row, ...]
    edges: tuple[float, float]
    is_first: bool = False
    level: int | None = None

    @property
    def text(self) -> str:
        return " ".join(row.text for row in self.rows)


def usual_step(rows: Sequence[Row]) -> float:
    """Return the step from line to line inside paragraphs, as a multiple of the letters' height."""
    steps = Counter(
        round((below.top - above.top) / above.size, 1)
        for above, below in pairwise(rows)
        if above.page == below.page
        and above.size == below.size
        and 0.8 < (below.top - above.top) / above.size < 3
    )
    total = steps.total()
    usual = [step for step, count in steps.items() if count + steps[step + 0.1] >= _USUAL_STEP_SHARE * total]
    return min(usual, default=1.2)


def to_blocks(column: Column, step: float) -> list[Block]:
    """Cut a column into blocks. step: from line to line inside paragraphs, in heights of a letter."""
    edges = column.left, column.right
    blocks: list[Block] = []
    paragraph: list[Row] = []

    def close() -> None:
        if paragraph:
            blocks.append(Block("text", tuple(paragraph), edges))
            paragraph.clear()

    rows, index = column.rows, 0
    while index < len(rows):
        end = table_end(rows, index)
        if end:
            close()
            run = rows[index:end]
            if _is_contents(run):
                blocks += [Block("text", (row,), edges) for row in run]
            else:
                blocks.append(Block("table", run, edges))
            index = end
            continue
        if paragraph and begins_paragraph(paragraph, rows[index], edges, step):
            close()
        paragraph.append(rows[index])
        index += 1
    close()
    return blocks


def is_apart(above: Row, below: Row, step: float) -> bool:
    """Tell whether there is more than the usual space between two rows of a column."""
    size = min(above.size, below.size)
    return below.top - above.top > _WIDER * step * max(above.size, below.size) and (
        below.top - above.bottom > 0.25 * size
    )


def begins_paragraph(paragraph: Sequence[Row], row: Row, edges: tuple[float, float], step: float) -> bool:
    """Tell whether a row begins a paragraph below the rows of another."""
    before = paragraph[-1]
    if row.is_turned != before.is_turned or is_other_size(before, row):
        return True
    if row.is_turned:
        return not starts_lower(row.text)
    is_ended = _is_ended_early(before, row, edges)
    if is_contents_line(before.text):
        return True
    if is_apart(before, row, step):
        return is_ended or not _breaks_off(before, row)
    margin = min(other.left for other in paragraph[1:]) if len(paragraph) > 1 else min(before.left, row.left)
    least, most = (share * row.size for share in _INDENT)
    if (
        least < row.left - margin < most
        and not starts_lower(row.text)
        and (is_ended or len(paragraph) > 1 or ends_sentence(before.text))
    ):
        return True
    if ITEM.match(row.text) and (is_ended or before.text[-1] in ".;:,!?"):
        return True
    return (
        is_ended
        and not starts_lower(row.text)
        and (ends_sentence(before.text) or before.is_bold != row.is_bold)
    )


def _breaks_off(before: Row, row: Row) -> bool:
    """Tell whether a sentence goes on from a row to the next one, by its signs."""
    is_open = before.text[-1] not in ".!?…:;"
    return is_open and (starts_lower(row.text) or row.text[0].isdigit()) and not ITEM.match(row.text)


def goes_on(text: Block, block: Block, has_indents: bool) -> bool:
    """Tell whether a paragraph goes on with the first block of the next column or page.

    has_indents: paragraphs of this document begin with an indent.
    """
    before, row = text.rows[-1], block.rows[0]
    if is_other_size(before, row) or row.is_bold != before.is_bold or row.is_turned or before.is_turned:
        return False
    if starts_lower(row.text):
        return not ends_sentence(before.text) or before.text.endswith("…")
    if ITEM.match(row.text) or _is_ended_early(before, row, text.edges):
        return False
    if has_indents:
        return row.left - block.edges[0] < _INDENT[0] * row.size
    return len(text.rows) > 1 or before.right > text.edges[1] - 2 * row.size


def is_other_size(first: Row, second: Row) -> bool:
    return max(first.size, second.size) > _OTHER_SIZE * min(first.size, second.size)


def indents(blocks: Sequence[Block]) -> bool:
    """Tell whether paragraphs begin with an indent."""
    long = [block.rows for block in blocks if block.kind == "text" and len(block.rows) > 2]
    indented = [rows for rows in long if rows[0].left - rows[1].left > _INDENT[0] * rows[0].size]
    return len(indented) > 0.5 * len(long)


def _is_ended_early(before: Row, row: Row, edges: tuple[float, float]) -> bool:
    """Tell whether the first word of a row would still have fitted on the row before it."""
    word = row.text.split(" ", 1)[0]
    letter = (row.right - row.left) / max(len(row.text), 1)
    room = edges[1] - before.right
    return room > len(word) * letter + _ROOM * row.size


def table_end(rows: Sequence[Row], index: int) -> int:
    """Return the end of a run of rows with aligned cells that begins at a row, or 0."""
    end = index
    while (
        end < len(rows) and _has_cells(rows[end]) and (end == index or _are_aligned(rows[end - 1], rows[end]))
    ):
        end += 1
    if end - index == 2 and starts_lower(rows[end - 1].text) and not ends_sentence(rows[index].text):
        return 0  # two stretched lines of a narrow column
    return end if end - index > 1 else 0


def _is_contents(rows: Sequence[Row]) -> bool:
    """Tell whether aligned rows are titles with the numbers of their pages."""
    if all(is_contents_line(row.text) for row in rows):
        return True
    if not all(len(row.cells) == 2 and row.cells[1].isdecimal() for row in rows):
        return False
    numbers = [int(row.cells[1]) for row in rows]
    return len(rows) > 2 and numbers == sorted(numbers) and len(set(numbers)) > 1


def _has_cells(row: Row) -> bool:
    """Tell whether a row has cells; a list's mark is none."""
    return len(row.cells) > 2 or (len(row.cells) == 2 and not _ITEM_MARK.fullmatch(row.cells[0]))


def _are_aligned(above: Row, below: Row) -> bool:
    n_aligned = sum(any(abs(left - other) < _ALIGNED for other in above.lefts) for left in below.lefts)
    is_flush_right = abs(above.lefts[-1] - below.lefts[-1]) >= _ALIGNED > abs(above.right - below.right)
    n_aligned += is_flush_right  # numbers of one digit and of two
    return n_aligned >= 2 or 2 * n_aligned > min(len(above.lefts), len(below.lefts))
