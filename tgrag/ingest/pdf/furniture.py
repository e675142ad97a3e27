"""Running heads, running feet and page numbers, told by what repeats at the same place over the pages."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from tgrag.ingest.headings import line_heading
from tgrag.ingest.page import Page
from tgrag.ingest.pdf.blocks import is_other_size
from tgrag.ingest.pdf.footnotes import begins_note
from tgrag.ingest.pdf.rows import Row

_EDGE = 0.14  # of the page's height: how far from its edges furniture stands
_OUTERMOST = 3  # rows from an edge that are looked at
_PLACE = 6.0  # points: as far as a place may differ from page to page
_MIN_PAGES = 3  # that bear the same text; a heading may repeat twice
_FAR = 4  # pages: repetitions further from each other are chance
_LARGE = 1.25  # of the body's letters: what is larger is a heading
_LARGER = 1.1  # than the body's letters: set like a heading
_GAP = 0.5  # of the letters' height, between a page number and the text
_NUMBER = re.compile(r"\d{1,4}|(?<!\w)[ivxlc]{1,8}(?!\w)", re.IGNORECASE)
_PAGE_NUMBER = re.compile(
    r"(?:page|стр\.?|с\.|сторінка|страница|стор\.)?[-–—\s\[(|]*"
    r"(?P<number>\d{1,4}|[ivxlc]{1,8})"
    r"(?:\s*(?:/|из|з|із|of)\s*\d{1,4})?[-–—\s\])|.]*",
    re.IGNORECASE,
)
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


@dataclass(frozen=True, slots=True)
class _Edge:
    """A row near the top or the foot of a page, and how far its middle is from that edge.

    is_apart: it is the outermost row, with a gap to the text. is_display: it is set like a heading. is_note: it is
    set like a part of a footnote.
    """

    page: int
    row: int
    text: str
    is_top: bool
    distance: float
    is_apart: bool
    is_display: bool
    is_note: bool


def furniture(pages: Sequence[Page], rows: Mapping[int, Sequence[Row]], body: float) -> dict[int, set[int]]:
    """Return for each page the indices of its rows that are furniture.

    rows: of each page by its number, in reading order. body: the size of the body's letters in points.
    """
    edges = [
        edge
        for page in pages
        for edge in _edges(page, rows[page.number], body)
        if rows[page.number][edge.row].size <= _LARGE * body
    ]
    numbers = list(_numbers(edges))
    numbered = {edge.page for edge in numbers}
    others = [edge for edge in edges if not (edge.is_note and edge.page in numbered)]
    found: dict[int, set[int]] = defaultdict(set)
    for edge in [*numbers, *_repeated(others)]:
        found[edge.page].add(edge.row)
    return {number: _outermost(rows[number], aside) for number, aside in found.items()}


def _outermost(rows: Sequence[Row], aside: set[int]) -> set[int]:
    """Keep only what no text stands outside of."""
    by_top = sorted(range(len(rows)), key=lambda index: rows[index].top)
    is_aside = aside.__contains__
    return {*takewhile(is_aside, by_top), *takewhile(is_aside, reversed(by_top))}


def _edges(page: Page, rows: Sequence[Row], body: float) -> Iterator[_Edge]:
    by_top = sorted(range(len(rows)), key=lambda index: rows[index].top)
    notes = _notes(rows, body)
    nearest = dict.fromkeys(by_top[:_OUTERMOST], True)
    nearest |= {index: False for index in by_top[-_OUTERMOST:] if index not in nearest or len(rows) == 1}
    for index, is_top in nearest.items():
        middle = (rows[index].top + rows[index].bottom) / 2
        if len(rows) <= _OUTERMOST:
            is_top = middle < page.height / 2
        distance = middle if is_top else page.height - middle
        if distance < _EDGE * page.height:
            is_apart = _is_apart(
                [rows[place] for place in (by_top if is_top else by_top[::-1])[:2]], index, rows
            )
            is_display = rows[index].is_bold or rows[index].size > _LARGER * body
            is_note = not is_top and index in notes
            yield _Edge(page.number, index, rows[index].text, is_top, distance, is_apart, is_display, is_note)


def _notes(rows: Sequence[Row], body: float) -> set[int]:
    """Return the indices of rows that are set like footnotes: one with a note's mark, and those close below it."""
    notes: set[int] = set()
    for index, row in enumerate(rows):
        before = rows[index - 1] if index - 1 in notes else None
        goes_on = (
            before
            and row.top > before.top
            and row.top - before.bottom <= _GAP * row.size
            and not is_other_size(before, row)
        )
        if goes_on or begins_note(row, body):
            notes.add(index)
    return notes


def _is_apart(outermost: Sequence[Row], index: int, rows: Sequence[Row]) -> bool:
    if outermost[0] is not rows[index] or len(outermost) == 1:
        return outermost[0] is rows[index]
    first, second = sorted(outermost, key=lambda row: row.top)
    return second.top - first.bottom > _GAP * second.size


def _repeated(edges: Sequence[_Edge]) -> Iterator[_Edge]:
    """Yield what stands at the same place on several pages near each other, but for the number of the page.

    Heads that alternate need the pages together: each of them twice, side by side. What is set like a note may be one
    that repeats («* Там же.»): it is furniture only where the number before it counts with the pages.
    """
    groups: dict[tuple[bool, str], list[_Edge]] = defaultdict(list)
    for edge in edges:
        for key in _keys(edge):
            groups[edge.is_top, key].append(edge)
    twice: dict[bool, dict[tuple[int, int], _Edge]] = {True: {}, False: {}}
    for (is_top, _), group in groups.items():
        for place in _by_place(group):
            for run in _runs(place):
                yield from run if len(run) >= _MIN_PAGES else ()
                if len(run) > 1:
                    twice[is_top] |= {(edge.page, edge.row): edge for edge in run if not edge.is_display}
    for together in twice.values():
        for place in _by_place(list(together.values())):
            for run in _runs(place):
                yield from run if len({edge.page for edge in run}) > _MIN_PAGES else ()


def _keys(edge: _Edge) -> Iterator[str]:
    """Yield the text, and the text with each number in it that may be the page's put as its distance from it."""
    if not edge.is_note:
        yield edge.text
    if line_heading(edge.text):
        return
    for match in _NUMBER.finditer(edge.text):
        if edge.is_note and match.start():
            return
        number = _value(match[0])
        if number is not None:
            yield f"{edge.text[: match.start()]}\0{number - edge.page}{edge.text[match.end() :]}"


def _by_place(group: Sequence[_Edge]) -> Iterator[list[_Edge]]:
    """Part edges into those at about the same distance from the page's edge."""
    place: list[_Edge] = []
    for edge in sorted(group, key=lambda edge: edge.distance):
        if place and edge.distance - place[0].distance > _PLACE:
            yield place
            place = []
        place.append(edge)
    if place:
        yield place


def _runs(place: Sequence[_Edge]) -> Iterator[list[_Edge]]:
    """Part edges into runs of pages that are near each other."""
    run: list[_Edge] = []
    for edge in sorted(place, key=lambda edge: edge.page):
        if run and edge.page - run[-1].page > _FAR:
            yield run
            run = []
        run.append(edge)
    if run:
        yield run


def _numbers(edges: Sequence[_Edge]) -> Iterator[_Edge]:
    """Yield bare page numbers: those that count with the pages, and a lonely one at the foot."""
    numbers = []
    for edge in edges:
        match = _PAGE_NUMBER.fullmatch(edge.text) if edge.is_apart else None
        value = _value(match["number"]) if match else None
        if value is not None:
            numbers.append((edge, value))
    counts = Counter((edge.is_top, value - edge.page) for edge, value in numbers)
    for edge, value in numbers:
        counts_with_pages = counts[edge.is_top, value - edge.page] > 1 or value == edge.page
        if counts_with_pages or not edge.is_top:
            yield edge


def _value(number: str) -> int | None:
    """Return what an Arabic or a Roman number of a page says."""
    if number.isdecimal():
        return int(number)
    values = [_ROMAN.get(letter, 0) for letter in number.lower()]
    if not all(values):
        return None
    return sum(
        -value if any(value < other for other in values[index + 1 :][:1]) else value
        for index, value in enumerate(values)
    )
