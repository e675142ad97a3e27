"""Rows: what stands side by side on a page; columns: rows below each other. Both in reading order."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from tgrag.ingest.page import Line
from tgrag.ingest.pdf.order import is_turned, same_row
from tgrag.records import Box

_TOUCHING = 0.15  # of the letters' height: a narrower gap parts no words
_CELL_GAP = 1.3  # of the letters' height: a wider gap parts cells


@dataclass(frozen=True)
class Row:
    """One printed row of a column. cells: texts that stand well apart, from left to right.

    lefts: where each cell begins. size: the height of most letters, in points.
    """

    page: int
    cells: tuple[str, ...]
    lefts: tuple[float, ...]
    box: Box
    size: float
    is_bold: bool
    is_turned: bool = False

    @cached_property
    def text(self) -> str:
        return " ".join(self.cells)

    @property
    def left(self) -> float:
        return self.box.left

    @property
    def right(self) -> float:
        return self.box.right

    @property
    def top(self) -> float:
        return self.box.top

    @property
    def bottom(self) -> float:
        return self.box.bottom


@dataclass(frozen=True, slots=True)
class Column:
    """Rows from top to bottom. left, right: the edges between which they are set."""

    rows: tuple[Row, ...]
    left: float
    right: float


def to_rows(lines: Sequence[Line], page: int) -> list[Row]:
    """Join consecutive pieces that stand side by side: a list's mark and its text, cells, parts in several fonts."""
    groups: list[list[Line]] = []
    for line in lines:
        before = groups[-1][-1] if groups else None
        if (
            before
            and line.left >= before.right - 0.3 * line.size
            and same_row(before, line)
            and not is_turned(before)
            and not is_turned(line)
        ):
            groups[-1].append(line)
        else:
            groups.append([line])
    return [_row(group, page) for group in groups]


def _row(pieces: Sequence[Line], page: int) -> Row:
    cells, lefts = [pieces[0].text], [pieces[0].left]
    for before, piece in pairwise(pieces):
        gap, size = piece.left - before.right, max(before.size, piece.size)
        if gap > _CELL_GAP * size:
            cells.append(piece.text)
            lefts.append(piece.left)
        else:
            cells[-1] += ("" if gap < _TOUCHING * size else " ") + piece.text
    lettered = [piece for piece in pieces if any(map(str.isalnum, piece.text))]
    longest = max(pieces, key=lambda piece: len(piece.text))
    return Row(
        page=page,
        cells=tuple(cells),
        lefts=tuple(lefts),
        box=Box(
            min(piece.left for piece in pieces),
            min(piece.top for piece in pieces),
            max(piece.right for piece in pieces),
            max(piece.bottom for piece in pieces),
        ),
        size=longest.size,
        is_bold=bool(lettered) and all(piece.is_bold for piece in lettered),
        is_turned=any(map(is_turned, pieces)),
    )


def body_size(rows: Iterable[Row]) -> float:
    """Return the height of the letters of most of the text, in points."""
    weights: Counter[float] = Counter()
    for row in rows:
        weights[round(2 * row.size) / 2] += len(row.text)
    return weights.most_common(1)[0][0] if weights else 1.0


def to_columns(rows: Sequence[Row]) -> list[Column]:
    """Part the rows of a page, in reading order, where the next column begins and where columns begin or end."""
    runs: list[list[Row]] = []
    for row in rows:
        if runs and row.top > runs[-1][-1].top - row.size:
            runs[-1].append(row)
        else:
            runs.append([row])
    parts: list[list[Row]] = []
    for index, run in enumerate(runs):
        edges = [_left(other) for other in runs[index + 1 : index + 2] if _left(other) > _left(run) + 36]
        edges += [
            _right(other) for other in runs[max(index - 1, 0) : index] if _right(other) < _right(run) - 36
        ]
        parts += _parted(run, edges)
    return [
        Column(tuple(part), min(row.left for row in part), max(row.right for row in part)) for part in parts
    ]


def _parted(run: Sequence[Row], edges: Sequence[float]) -> Iterable[list[Row]]:
    """Part a run of rows where they begin or cease to reach across an edge of the column beside it."""
    parts: list[list[Row]] = []
    crossed: list[bool] = []
    for row in run:
        now = [row.left < edge - 6 and row.right > edge + 6 for edge in edges]
        if parts and now == crossed:
            parts[-1].append(row)
        else:
            parts.append([row])
            crossed = now
    return parts


def _left(run: Sequence[Row]) -> float:
    return min(row.left for row in run)


def _right(run: Sequence[Row]) -> float:
    """Return the right edge of most rows: a heading above two columns reaches further."""
    return sorted(row.right for row in run)[len(run) // 2]
