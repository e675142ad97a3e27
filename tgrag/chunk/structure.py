"""From elements to one parsed text with its sections.

The layout of a document cut at a heading is a prefix of the layout of the whole.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tgrag.records import Element, ParsedDocument

SEPARATOR = "\n\n"


@dataclass(frozen=True, slots=True)
class Span:
    """An element and where it stands in the parsed text."""

    start: int
    end: int
    element: Element


@dataclass(frozen=True, slots=True)
class Section:
    """Consecutive body elements under one heading path; in the parsed text only white space is between them.

    headings: titles inside the book, outermost first. chapter_id: the ordinals of those headings among
    their siblings («1.3»), «0» before the first heading; unique inside its book.
    book: index of the book in the file, from 0; text before the first book heading is a book of its own.
    book_title: None for a book that no heading names.
    """

    headings: tuple[str, ...]
    chapter_id: str
    book: int
    book_title: str | None
    body: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class ParsedText:
    """The text of a document, all elements joined by a blank line, with its elements and sections.

    What is dropped between two body elements of a section (a page number amid a chapter) stands after the
    section's body, so that it interrupts no running text; everything else stands where the document has it.
    """

    text: str
    spans: tuple[Span, ...]
    sections: tuple[Section, ...]


@dataclass(slots=True)
class _Heading:
    title: str
    level: int
    ordinal: int
    n_children: int = 0


def layout(document: ParsedDocument) -> ParsedText:
    """Return the parsed text of a document and its sections in reading order, empty sections left out."""
    spans = _spans(_uninterrupted(document.elements))
    return ParsedText(SEPARATOR.join(span.element.text for span in spans), spans, _sections(spans))


def books(document: ParsedDocument) -> tuple[str | None, ...]:
    """Return the title of each book with text in a document, as its sections number them."""
    titles = {section.book: section.book_title for section in _sections(_spans(document.elements))}
    return tuple(titles[book] for book in sorted(titles))


def _uninterrupted(elements: Iterable[Element]) -> Iterator[Element]:
    """Put off what is dropped after a section's first body element until the section ends."""
    put_off: list[Element] = []
    is_inside = False
    for element in elements:
        if element.drop and is_inside:
            put_off.append(element)
            continue
        if not element.drop:
            is_inside = element.kind != "heading"
        if not is_inside:
            yield from put_off
            put_off.clear()
        yield element
    yield from put_off


def _spans(elements: Iterable[Element]) -> tuple[Span, ...]:
    spans, start = [], 0
    for element in elements:
        end = start + len(element.text)
        spans.append(Span(start, end, element))
        start = end + len(SEPARATOR)
    return tuple(spans)


def _sections(spans: tuple[Span, ...]) -> tuple[Section, ...]:
    sections: list[Section] = []
    book, title, is_empty = 0, None, True
    path = [_Heading("", 0, 0)]
    body: list[Span] = []

    def close() -> None:
        if body:
            headings = tuple(heading.title for heading in path[1:])
            chapter_id = ".".join(str(heading.ordinal) for heading in path[1:]) or "0"
            sections.append(Section(headings, chapter_id, book, title, tuple(body)))
            body.clear()

    for span in spans:
        if span.element.drop:
            continue
        if span.element.kind != "heading":
            if span.element.text.strip():
                body.append(span)
                is_empty = False
            continue
        close()
        level = 1 if span.element.level is None else span.element.level
        heading = " ".join(span.element.text.split())
        if level == 0:
            book, title, is_empty = (book if is_empty else book + 1), heading, True
            path = [_Heading("", 0, 0)]
            continue
        while path[-1].level >= level:
            path.pop()
        path[-1].n_children += 1
        path.append(_Heading(heading, level, path[-1].n_children))
    close()
    return tuple(sections)
