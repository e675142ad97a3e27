"""One file as tgrag reads and cuts it, without an index: what ``tgrag inspect document`` shows.

``inspect_document(text of the command line, settings)`` gives an Inspected: the parsed text, and as spans of it
the headings, the drops and the text units.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from pydantic import BaseModel

from tgrag.chunk import Chunk, ParsedText, chunk, layout
from tgrag.errors import InvalidRequest, StorageError, UnreadableDocument
from tgrag.hashing import stable_hash
from tgrag.ingest.collection import ParsedSource, Placement, load_collection_files, place
from tgrag.ingest.parse import check
from tgrag.ingest.sandbox import ParsingCrashed, ParsingPool
from tgrag.ingest.sources import SourceFile, discover, read_source
from tgrag.records import Box, Fragment, Language, ParsedDocument
from tgrag.settings import Settings


class PageSpan(BaseModel):
    """From character ``start`` of a text on, it stands on this page (from 1), there in this box where one is known."""

    start: int
    page: int
    box: Box | None


class DocumentFacts(BaseModel):
    """elements: how many of each kind, drops not counted. text: the parsed text that all spans count in."""

    source: str
    title: str
    language: Language
    series: str
    book: str
    book_number: int
    n_pages: int | None
    n_characters: int
    elements: dict[str, int]
    warnings: list[str]
    limit: int
    text: str


class HeadingSpan(BaseModel):
    """depth: how many headings it stands under."""

    level: int
    depth: int
    title: str
    start: int
    end: int
    pages: list[int]


class DropSpan(BaseModel):
    kind: str
    reason: str
    text: str
    start: int
    end: int
    pages: list[int]


class UnitSpan(BaseModel):
    """id: the text_unit_id that the unit has in an index of this file."""

    id: str
    headings: list[str]
    chapter_id: str
    pages: list[int]
    start: int
    end: int
    n_tokens: int
    text: str
    places: list[PageSpan]


class Inspected(BaseModel):
    """With an overlap of 0, headings, drops and units are together the whole text, white space aside."""

    document: DocumentFacts
    headings: list[HeadingSpan]
    dropped: list[DropSpan]
    units: list[UnitSpan]


def inspect_document(path: str, settings: Settings) -> Inspected:
    """Read and cut one file exactly as an index run does.

    Raises InvalidRequest when the path is not that of one file, UnreadableDocument with the reason of a refusal,
    ConfigurationError when a reader or an engine that the settings ask for is not installed.
    """
    check(settings.parse)
    file = _only_file(path)
    parsed = _parse(file, settings)
    (placement,) = place([ParsedSource(file.source, parsed)], load_collection_files([path]))
    document_id = stable_hash("document", file.source)
    chunks = chunk(document_id, parsed, placement.language, settings.chunk)
    return describe(parsed, placement, layout(parsed), chunks, settings.chunk.limit)


def describe(
    parsed: ParsedDocument, placement: Placement, text: ParsedText, chunks: Sequence[Chunk], limit: int
) -> Inspected:
    """Put together what there is to show of a parsed document and its units."""
    kept = [span for span in text.spans if not span.element.drop]
    headings = [span for span in kept if span.element.kind == "heading"]
    levels = [span.element.level or 0 for span in headings]
    return Inspected(
        document=DocumentFacts(
            source=placement.source,
            title=placement.title,
            language=placement.language,
            series=placement.series_title,
            book=placement.book_title,
            book_number=placement.book_number,
            n_pages=parsed.n_pages,
            n_characters=len(text.text),
            elements=dict(Counter(span.element.kind for span in kept)),
            warnings=list(parsed.warnings),
            limit=limit,
            text=text.text,
        ),
        headings=[
            HeadingSpan(
                level=level,
                depth=depth,
                title=span.element.text,
                start=span.start,
                end=span.end,
                pages=_pages(span.element.fragments),
            )
            for span, level, depth in zip(headings, levels, _depths(levels), strict=True)
        ],
        dropped=[
            DropSpan(
                kind=span.element.drop.kind,
                reason=span.element.drop.reason,
                text=span.element.text,
                start=span.start,
                end=span.end,
                pages=_pages(span.element.fragments),
            )
            for span in text.spans
            if span.element.drop
        ],
        units=[
            UnitSpan(
                id=unit.text_unit_id,
                headings=list(unit.headings),
                chapter_id=unit.chapter_id,
                pages=list(unit.page_numbers),
                start=unit.start,
                end=unit.end,
                n_tokens=unit.n_tokens,
                text=unit.text,
                places=[PageSpan(start=f.start, page=f.page, box=f.box) for f in unit.fragments],
            )
            for unit in chunks
        ],
    )


def _depths(levels: Sequence[int]) -> Iterator[int]:
    """Yield how many headings each heading stands under."""
    above: list[int] = []
    for level in levels:
        while above and above[-1] >= level:
            above.pop()
        yield len(above)
        above.append(level)


def _only_file(path: str) -> SourceFile:
    files = discover([path])
    if len(files) != 1:
        raise InvalidRequest(f"{path} holds {len(files)} files; name one of them")
    return files[0]


def _parse(file: SourceFile, settings: Settings) -> ParsedDocument:
    if file.n_bytes > settings.parse.max_file_mb * 1_000_000:
        raise UnreadableDocument(
            f"{file.source}: the file is larger than the {settings.parse.max_file_mb} MB of parse.max_file_mb"
        )
    try:
        data = read_source(file.location)
    except OSError as error:
        raise StorageError(f"{file.source} cannot be read: {error.strerror or error}") from None
    try:
        with ParsingPool(settings.parse) as pool:
            parsed = pool.parse(file.source, data)
    except ParsingCrashed as crash:
        raise UnreadableDocument(f"{file.source}: {crash.reason}") from None
    if parsed.status == "failed":
        raise UnreadableDocument(f"{file.source}: {parsed.reason}")
    return parsed


def _pages(fragments: Sequence[Fragment]) -> list[int]:
    return sorted({fragment.page for fragment in fragments})
