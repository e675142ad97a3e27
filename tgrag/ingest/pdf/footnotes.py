"""Footnotes: smaller letters at the foot of a column, begun by a number or a mark."""

import re
from collections.abc import Sequence
from dataclasses import replace

from tgrag.ingest.pdf.blocks import Block
from tgrag.ingest.pdf.rows import Column, Row

_SMALLER = 0.93  # of the body's letters
_MARK = re.compile(r"(?:\d{1,3}|\*{1,4}|[†‡§])\)?\.?\s?[^\W\d_]|(?:\d{1,3}|\*{1,4}|[†‡§])\)?\.?\s[«\"“„(]")


def without_footnotes(column: Column, body: float) -> tuple[Column, list[Block]]:
    """Part a column from its footnotes. body: the size of the body's letters in points."""
    rows = column.rows
    first = len(rows)
    while first and rows[first - 1].size < _SMALLER * body and len(rows[first - 1].cells) < 3:
        first -= 1
    while first < len(rows) and not _MARK.match(rows[first].text):
        first += 1
    notes: list[list[Row]] = []
    for row in rows[first:]:
        if _MARK.match(row.text):
            notes.append([row])
        else:
            notes[-1].append(row)
    edges = column.left, column.right
    return replace(column, rows=rows[:first]), [Block("footnote", tuple(note), edges) for note in notes]


def begins_note(row: Row, body: float) -> bool:
    """Tell whether a row is set like the first one of a footnote."""
    return row.size < _SMALLER * body and _MARK.match(row.text) is not None


def has_body(rows: Sequence[Row], body: float) -> bool:
    """Tell whether a page has letters of the body's size, so that smaller ones mean something."""
    return any(row.size >= _SMALLER * body for row in rows)
