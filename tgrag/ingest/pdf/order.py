"""The order in which a page is read.

The order of the file is kept wherever the boxes do not contradict it, so that tables and forms, in which rows and
columns mean something, are not shuffled. Three things are mended: pieces of one printed line that the file does not
give from left to right, a line that the file gives after lines that stand below it (and a foot that it gives first),
and two columns of prose that the file gives line by line across.
"""

import statistics
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise, takewhile

from tgrag.ingest.page import Line
from tgrag.ingest.text import starts_lower

_STRIP = 8.0  # points: the page is cut into strips so wide to see what stands above what
_SAME_ROW = 0.5  # share of the lesser height by which two pieces overlap when they stand on one row
_MARK_GAP = 4.0  # of the letters' height: how far a list's mark may stand from its text
_MIN_ROWS = 5  # rows side by side, from which columns are believed in
_FULL = 0.75  # of a column's width: what a line of prose fills
_PROSE_WORDS = 3
_GOING_ON = 0.4  # share of lines that begin with a small letter, as cells and labels do not


def reading_order(lines: Sequence[Line]) -> list[Line]:
    """Return the pieces of a page as they are read."""
    ordered = _untangled(_with_marks_in_place(_with_foot_last(_across(lines))))
    return _from_above(ordered) if _is_contradicted(ordered) else ordered


def same_row(first: Line, second: Line) -> bool:
    shared = min(first.bottom, second.bottom) - max(first.top, second.top)
    lesser = min(first.bottom - first.top, second.bottom - second.top)
    return shared > _SAME_ROW * max(lesser, 1.0)


def is_turned(line: Line) -> bool:
    """Tell whether a line runs up or down the page."""
    return line.bottom - line.top > 3 * line.size and line.right - line.left < 2 * line.size


# --- pieces of one line -------------------------------------------------------------------------------


def _across(lines: Sequence[Line]) -> list[Line]:
    """Put pieces of one printed line that follow each other from left to right; not those of scripts read leftwards."""
    ordered: list[Line] = []
    row: list[Line] = []
    for line in lines:
        if row and (is_turned(line) or is_turned(row[-1]) or not same_row(row[-1], line)):
            ordered += _from_left(row)
            row = []
        row.append(line)
    return ordered + _from_left(row)


def _from_left(row: list[Line]) -> list[Line]:
    return row if _is_read_leftwards(line.text for line in row) else sorted(row, key=lambda line: line.left)


def _is_read_leftwards(texts: Iterable[str]) -> bool:
    return any(unicodedata.bidirectional(character) in ("R", "AL") for text in texts for character in text)


def _with_foot_last(lines: Sequence[Line]) -> list[Line]:
    """Put the lowest row of a page last where the file begins with it, or with the topmost row and then with it."""
    if not lines:
        return []
    topmost, lowest = min(lines, key=lambda line: line.top), max(lines, key=lambda line: line.top)
    leading = list(takewhile(lambda line: same_row(line, topmost) or same_row(line, lowest), lines))
    if len(leading) == len(lines):
        return list(lines)
    heads = [line for line in leading if same_row(line, topmost)]
    return [*heads, *lines[len(leading) :], *(line for line in leading if not same_row(line, topmost))]


# --- marks of lists -----------------------------------------------------------------------------------


def _with_marks_in_place(lines: Sequence[Line]) -> list[Line]:
    """Move marks of lists that the file gives apart from their text to the left of it."""
    marks = [line for line in lines if _is_mark(line)]
    if not marks:
        return list(lines)
    texts = [line for line in lines if not _is_mark(line)]
    by_top = sorted(range(len(texts)), key=lambda index: texts[index].top)
    tops = [texts[index].top for index in by_top]
    before: dict[int, list[Line]] = {}
    for mark in marks:
        first = bisect_right(tops, mark.top - 2 * mark.size)
        last = bisect_right(tops, mark.bottom)
        near = [index for index in by_top[first:last] if _belongs(mark, texts[index])]
        if near:
            before.setdefault(min(near, key=lambda index: texts[index].left), []).append(mark)
    placed = {id(mark) for row in before.values() for mark in row}
    ordered, index = [], 0
    for line in lines:
        if not _is_mark(line):
            ordered += [*before.get(index, ()), line]
            index += 1
        elif id(line) not in placed:
            ordered.append(line)
    return ordered


def _is_mark(line: Line) -> bool:
    return len(line.text) == 1 and not line.text.isalnum() and line.text in "•◦▪■●○–—-*·\uf0b7\uf0a7"


def _belongs(mark: Line, text: Line) -> bool:
    return same_row(mark, text) and mark.right - 1 <= text.left <= mark.right + _MARK_GAP * text.size


# --- two columns, line by line across ------------------------------------------------------------------


def _untangled(lines: Sequence[Line]) -> list[Line]:
    """Give the left column before the right one where prose in two columns comes line by line across."""
    pairs = [(a, b) for a, b in pairwise(lines) if b.left > a.right and same_row(a, b) and _is_prose(a, b)]
    if len(pairs) < _MIN_ROWS:
        return list(lines)
    gutter = statistics.median((a.right + b.left) / 2 for a, b in pairs)
    left = [a for a, b in pairs if a.right <= gutter <= b.left]
    right = [b for a, b in pairs if a.right <= gutter <= b.left]
    if len(left) < _MIN_ROWS or not (_is_running(left) and _is_running(right)) or _is_table(left, right):
        return list(lines)
    across = sorted(line.top for line in lines if line.left < gutter < line.right)

    def place(line: Line) -> tuple[int, int]:
        band = bisect_right(across, line.top)
        if line.left < gutter < line.right:
            return band, 0
        return band, 1 if line.right <= gutter else 2

    return sorted(lines, key=place)


def _is_prose(left: Line, right: Line) -> bool:
    return all(len(line.text.split()) >= _PROSE_WORDS for line in (left, right))


def _is_running(column: Sequence[Line]) -> bool:
    """Tell whether most lines fill their column and many go on with a sentence, as those of prose do."""
    left, right = min(line.left for line in column), max(line.right for line in column)
    n_full = sum(line.right > left + _FULL * (right - left) for line in column)
    n_going_on = sum(starts_lower(line.text) for line in column)
    return n_full > 0.6 * len(column) and n_going_on > _GOING_ON * len(column)


def _is_table(left: Sequence[Line], right: Sequence[Line]) -> bool:
    """Tell whether the gaps between lines stand at the same heights on both sides: rows of a table."""
    gaps, both = _gaps(left), _gaps(left) & _gaps(right)
    return len(both) >= 2 and len(both) > 0.5 * len(gaps | _gaps(right))


def _gaps(column: Sequence[Line]) -> set[int]:
    """Return the indices of the lines below a gap."""
    steps = [below.top - above.top for above, below in pairwise(column)]
    usual = statistics.median_low(steps)
    return {index for index, step in enumerate(steps) if step > 1.3 * usual}


# --- what stands above comes first ---------------------------------------------------------------------


def _strips(line: Line) -> range:
    return range(int(line.left // _STRIP), max(int((line.right - 1) // _STRIP), int(line.left // _STRIP)) + 1)


def _stands_above(above: Line, below: Line) -> bool:
    return above.bottom <= below.top + 0.5 * min(above.size, below.size) and above.top < below.top


def _is_contradicted(lines: Sequence[Line]) -> bool:
    """Tell whether a line comes after one that stands below it, over the same part of the page's width."""
    lowest: dict[int, Line] = {}
    for line in lines:
        for strip in _strips(line):
            known = lowest.get(strip)
            if known and _stands_above(line, known):
                return True
            if known is None or line.top > known.top:
                lowest[strip] = line
    return False


def _from_above(lines: Sequence[Line]) -> list[Line]:
    """Keep the order, but give before each line what stands above it."""
    above = _directly_above(lines)
    ordered: list[Line] = []
    is_done = [False] * len(lines)
    for index in range(len(lines)):
        waiting = [index]
        while waiting:
            last = waiting[-1]
            missing = [other for other in above[last] if not is_done[other]]
            if missing and not is_done[last]:
                waiting.append(missing[0])
                continue
            waiting.pop()
            if not is_done[last]:
                is_done[last] = True
                ordered.append(lines[last])
    return ordered


def _directly_above(lines: Sequence[Line]) -> list[list[int]]:
    """Return for each line the indices of those that stand above it, the nearest in each strip, in their order."""
    nearest: dict[int, int] = {}
    above: list[list[int]] = [[] for _ in lines]
    for index in sorted(range(len(lines)), key=lambda index: lines[index].top):
        strips = _strips(lines[index])
        near = {nearest[strip] for strip in strips if strip in nearest}
        above[index] = sorted(other for other in near if _stands_above(lines[other], lines[index]))
        nearest.update(dict.fromkeys(strips, index))
    return above
