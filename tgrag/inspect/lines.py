"""An inspected document as lines on a terminal."""

from collections.abc import Iterator, Sequence
from statistics import median

from tgrag.inspect.document import DocumentFacts, DropSpan, HeadingSpan, Inspected, UnitSpan
from tgrag.search.labels import chapter_label, page_label

_EXCERPT = 60  # characters
_SHOWN = 5  # drops of each kind and reason


def document_lines(found: Inspected) -> Iterator[str]:
    yield from _facts(found.document)
    yield ""
    yield f"headings: {len(found.headings)}"
    yield from map(_heading, found.headings)
    yield ""
    yield f"left out: {len(found.dropped)}"
    yield from _drops(found.dropped)
    yield ""
    yield _sizes(found.units, found.document.limit)
    for number, unit in enumerate(found.units):
        yield _unit(number, unit)


def _facts(document: DocumentFacts) -> Iterator[str]:
    pages = f", {document.n_pages} pages" if document.n_pages else ""
    yield f"{document.source}: {document.title} ({document.language}{pages})"
    kinds = ", ".join(f"{n:,} {kind.replace('_', ' ')}s" for kind, n in document.elements.items())
    yield f"{document.n_characters:,} characters: {kinds}"
    for warning in document.warnings:
        yield f"warning: {warning}"


def _heading(heading: HeadingSpan) -> str:
    return f"{'  ' * (heading.depth + 1)}{_squeezed(heading.title)}{_on(heading.pages)}"


def _drops(drops: Sequence[DropSpan]) -> Iterator[str]:
    """Yield the first of each kind and reason, and how many more there are."""
    alike: dict[tuple[str, str], list[DropSpan]] = {}
    for drop in drops:
        alike.setdefault((drop.kind, drop.reason), []).append(drop)
    for several in alike.values():
        yield from map(_drop, several[:_SHOWN])
        if len(several) > _SHOWN:
            yield f"  … and {len(several) - _SHOWN} more of that kind; --json and --html show all"


def _drop(drop: DropSpan) -> str:
    return f"  {drop.kind}{_on(drop.pages)}: {drop.reason}: «{_excerpt(drop.text)}»"


def _sizes(units: Sequence[UnitSpan], limit: int) -> str:
    if not units:
        return "text units: 0"
    sizes = [unit.n_tokens for unit in units]
    return (
        f"text units: {len(units)}, of {min(sizes)} to {max(sizes)} tokens, "
        f"median {median(sizes):g} ({median(sizes) / limit:.0%} of the limit of {limit})"
    )


def _unit(number: int, unit: UnitSpan) -> str:
    place = chapter_label(unit.headings) or "before the first heading"
    return f"  {number:5} {unit.n_tokens:4} tokens  {place}{_on(unit.pages)}: {_excerpt(unit.text)}"


def _on(pages: Sequence[int]) -> str:
    return f" ({page_label(pages)})" if pages else ""


def _excerpt(text: str) -> str:
    text = _squeezed(text)
    return text if len(text) <= _EXCERPT else text[:_EXCERPT].rstrip() + "…"


def _squeezed(text: str) -> str:
    return " ".join(text.split())
