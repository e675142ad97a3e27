"""An inspected document as one HTML page that needs nothing else: the whole text, coloured by what became of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from jinja2 import Environment, PackageLoader, StrictUndefined

from tgrag.inspect.document import DropSpan, HeadingSpan, Inspected, PageSpan, UnitSpan

_TEMPLATE = "document.html.jinja"


@dataclass(frozen=True, slots=True)
class Stretch:
    """A piece of text; page is set where another page begins with it."""

    page: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Block:
    """A heading, a drop or a text unit, in the order of the text.

    number: of its kind, from 0. repeated: what a unit shares with the one before (an overlap).
    """

    kind: Literal["heading", "drop", "unit"]
    number: int
    span: HeadingSpan | DropSpan | UnitSpan
    stretches: tuple[Stretch, ...]
    repeated: str = ""


def document_page(found: Inspected) -> str:
    """Return the HTML page of an inspected document."""
    environment = Environment(
        loader=PackageLoader("tgrag.inspect", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(_TEMPLATE).render(found=found, blocks=list(blocks(found)))


def blocks(found: Inspected) -> Iterator[Block]:
    """Yield all parts of a document in the order of its text."""
    parts: list[tuple[Literal["heading", "drop", "unit"], int, HeadingSpan | DropSpan | UnitSpan]] = [
        *(("heading", n, heading) for n, heading in enumerate(found.headings)),
        *(("drop", n, drop) for n, drop in enumerate(found.dropped)),
        *(("unit", n, unit) for n, unit in enumerate(found.units)),
    ]
    text, seen, page = found.document.text, 0, None
    for kind, number, span in sorted(parts, key=lambda part: (part[2].start, part[2].end)):
        if not isinstance(span, UnitSpan):
            yield Block(kind, number, span, (Stretch(None, text[span.start : span.end]),))
            continue
        begun = min(max(span.start, seen), span.end)
        stretches = tuple(_stretches(span, begun - span.start, page))
        yield Block(kind, number, span, stretches, text[span.start : begun])
        seen = span.end
        page = span.places[-1].page if span.places else page


def _stretches(unit: UnitSpan, begun: int, page: int | None) -> Iterator[Stretch]:
    """Cut a unit's text from ``begun`` on where a page begins."""
    turns: list[PageSpan] = []
    for place in unit.places:
        if place.page != page:
            turns.append(place)
            page = place.page
    starts: Sequence[tuple[int, int | None]] = [
        (begun, None),
        *((max(t.start, begun), t.page) for t in turns),
    ]
    for (start, turned), (end, _) in pairwise([*starts, (len(unit.text), None)]):
        if turned is not None or end > start:
            yield Stretch(turned, unit.text[start:end])
