"""Pages to elements: rows in reading order, without furniture and footnotes, to paragraphs that go on over pages."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from tgrag.ingest.headings import is_bare_number
from tgrag.ingest.page import Page
from tgrag.ingest.pdf.blocks import ITEM, Block, goes_on, indents, to_blocks, usual_step
from tgrag.ingest.pdf.footnotes import has_body, without_footnotes
from tgrag.ingest.pdf.furniture import furniture
from tgrag.ingest.pdf.hyphens import seam, vocabulary
from tgrag.ingest.pdf.order import reading_order
from tgrag.ingest.pdf.pieces import SOFT_HYPHEN
from tgrag.ingest.pdf.reader import Bookmark
from tgrag.ingest.pdf.rows import Row, body_size, to_columns, to_rows
from tgrag.ingest.pdf.titles import outline_levels, parts, with_styled_headings
from tgrag.ingest.text import starts_lower
from tgrag.records import Drop, Element, ElementKind, Fragment

T = TypeVar("T")

FURNITURE = Drop(
    "page_furniture", "it stands at the edge of a page: a running head, a running foot or a page number"
)


def to_elements(
    pages: Sequence[Page],
    outline: Sequence[Bookmark],
    unreadable: Mapping[int, Element],
    on_page: Callable[[], None] = lambda: None,
) -> list[Element]:
    """Make elements of pages. unreadable: what stands for the other pages, by their numbers.

    on_page: called as the work goes on, page by page and element by element.
    """

    def alive(items: Iterable[T]) -> Iterator[T]:
        for item in items:
            yield item
            on_page()

    rows = {page.number: to_rows(reading_order(page.lines), page.number) for page in alive(pages)}
    body = body_size(row for page in pages for row in rows[page.number])
    step = usual_step([row for page in pages for row in rows[page.number]])
    aside = furniture(pages, rows, body)
    levels = outline_levels(outline)
    blocks: list[Block] = []
    for page in alive(pages):
        number = page.number
        blocks += _page_blocks(
            page, rows[number], aside.get(number, set()), levels.get(number, {}), body, step
        )
    blocks = with_styled_headings(blocks, body, step)
    words = vocabulary(row.text for page in alive(pages) for row in rows[page.number])
    joined = _joined(blocks, frozenset(unreadable), indents(blocks))
    return _with_unreadable([_element(block, words) for block in alive(joined)], unreadable)


def _page_blocks(
    page: Page, rows: Sequence[Row], aside: set[int], marked: Mapping[str, int], body: float, step: float
) -> Iterator[Block]:
    """Yield the blocks of a page: heads, text, footnotes, feet."""
    text = [row for index, row in enumerate(rows) if index not in aside]
    heads: list[Block] = []
    feet: list[Block] = []
    for index in sorted(aside):
        row = rows[index]
        block = Block("furniture", (row,), (row.left, row.right))
        (heads if row.top < page.height / 2 else feet).append(block)
    yield from heads
    notes: list[Block] = []
    for column in to_columns(text):
        if has_body(text, body):
            column, own = without_footnotes(column, body)
            notes += own
        for part in parts(column, marked, step):
            edges = column.left, column.right
            if part.level is not None:
                yield Block("heading", part.column.rows, edges, level=part.level)
                continue
            for index, block in enumerate(to_blocks(part.column, step)):
                yield replace(block, is_first=part.is_first and index == 0)
    yield from notes
    yield from feet


def _joined(blocks: Sequence[Block], unreadable: frozenset[int], has_indents: bool) -> list[Block]:
    """Join paragraphs that go on over a column or page; what stands between their parts comes after them."""
    joined: list[Block] = []
    text: list[Block] = []  # the parts of the paragraph that may go on
    between: list[Block] = []

    def close() -> None:
        if text:
            rows = tuple(row for part in text for row in part.rows)
            joined.append(replace(text[0], rows=rows, edges=text[-1].edges))
        joined.extend(between)
        text.clear()
        between.clear()

    for block in blocks:
        if block.kind in ("furniture", "footnote"):
            between.append(block)
            continue
        end = _end(text)
        if not (end and block.is_first and _continues(end, block, unreadable, has_indents)):
            close()
        text.append(block)
    close()
    return joined


def _end(text: Sequence[Block]) -> Block | None:
    """Return the last two rows of a paragraph, which decide whether it goes on."""
    if not text:
        return None
    rows = [row for part in text[-2:] for row in part.rows[-2:]]
    return replace(text[-1], rows=tuple(rows[-2:]))


def _continues(text: Block, block: Block, unreadable: frozenset[int], has_indents: bool) -> bool:
    last, first = text.rows[-1].page, block.rows[0].page
    is_next = not any(number in unreadable for number in range(last + 1, first))
    return text.kind == block.kind == "text" and is_next and goes_on(text, block, has_indents)


def _element(block: Block, words: frozenset[str]) -> Element:
    if block.kind == "table":
        texts = [" | ".join(row.cells).replace(SOFT_HYPHEN, "") for row in block.rows]
        return _set(block, "table", texts, [(0, "\n")] * (len(texts) - 1))
    texts = [row.text for row in block.rows]
    seams = [seam(texts[index], texts[index + 1], words) for index in range(len(texts) - 1)]
    if block.kind == "furniture":
        return replace(_set(block, "paragraph", texts, seams), drop=FURNITURE)
    if block.kind == "text":
        is_item = ITEM.match(texts[0]) and not _is_speech(texts[0])
        return _set(block, "list_item" if is_item else "paragraph", texts, seams)
    if block.kind == "heading" and seams and _is_title_below(*texts[:2]):
        seams[0] = len(texts[0]) - len(texts[0].rstrip(" .:")), ". "
    return _set(block, block.kind, texts, seams)


def _is_title_below(number: str, title: str) -> bool:
    """Tell whether the second line of a heading is the title to the number in the first, not the rest of a line."""
    return is_bare_number(number) and not title.startswith("(") and not starts_lower(title)


def _is_speech(text: str) -> bool:
    """Tell whether a line begins like one of a dialogue: a dash and a capital."""
    return text[0] in "–—" and text[1:].lstrip()[:1].isupper()


def _set(block: Block, kind: ElementKind, texts: Sequence[str], seams: Sequence[tuple[int, str]]) -> Element:
    """Join the texts of rows, each with the place where it is printed."""
    pieces, fragments, length = [], [], 0
    for row, text, (cut, between) in zip(block.rows, texts, [*seams, (0, "")], strict=True):
        fragments.append(Fragment(length, row.page, row.box))
        piece = text[: len(text) - cut] + between
        if not cut:
            piece = piece.replace(SOFT_HYPHEN, "")
        pieces.append(piece)
        length += len(piece)
    return Element(kind, "".join(pieces), level=block.level, fragments=tuple(fragments))


def _with_unreadable(elements: Sequence[Element], unreadable: Mapping[int, Element]) -> list[Element]:
    """Put what stands for unreadable pages in its place among the elements."""
    placed: list[Element] = []
    waiting = sorted(unreadable)[::-1]
    for element in elements:
        while waiting and waiting[-1] < element.fragments[0].page:
            placed.append(unreadable[waiting.pop()])
        placed.append(element)
    return placed + [unreadable[number] for number in reversed(waiting)]
