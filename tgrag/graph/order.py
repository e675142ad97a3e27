"""Reading order: the chunks of all documents become the text units of their series, numbered by ordinals."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from tgrag.chunk.units import Chunk
from tgrag.ingest.collection import Placement
from tgrag.records import Language, TextUnit


@dataclass(frozen=True, slots=True)
class PlacedChunks:
    """One document's place and its chunks in text order."""

    document_id: str
    placement: Placement
    chunks: Sequence[Chunk]


def book_of(placed: PlacedChunks, chunk: Chunk) -> tuple[int, str]:
    """Return the number and title of the book that a chunk belongs to."""
    place = placed.placement
    return place.book_number + chunk.book, chunk.book_title or place.title


def text_units(documents: Iterable[PlacedChunks]) -> list[TextUnit]:
    """Return the text units of all documents by (series, ordinal)."""
    units: list[TextUnit] = []
    ordered = sorted(documents, key=lambda d: (d.placement.series_id, d.placement.book_number, d.document_id))
    for series_id, members in groupby(ordered, key=lambda d: d.placement.series_id):
        in_series = [(*book_of(d, chunk), d, chunk) for d in members for chunk in d.chunks]
        ordinal = 0
        for (number, title), rows in groupby(in_series, key=lambda row: row[:2]):
            in_book = list(rows)
            for index, (_, _, document, chunk) in enumerate(in_book):
                units.append(_unit(series_id, number, title, document, chunk, ordinal, index, len(in_book)))
                ordinal += 1
    return units


def _unit(
    series_id: str,
    number: int,
    title: str,
    document: PlacedChunks,
    chunk: Chunk,
    ordinal: int,
    index: int,
    n: int,
) -> TextUnit:
    language: Language = document.placement.language
    return TextUnit(
        text_unit_id=chunk.text_unit_id,
        document_id=document.document_id,
        series_id=series_id,
        book_number=number,
        book_title=title,
        chapter_id=chunk.chapter_id,
        headings=chunk.headings,
        ordinal=ordinal,
        chunk_index=index,
        relative_position=index / (n - 1) if n > 1 else 0.0,
        page_numbers=chunk.page_numbers,
        fragments=chunk.fragments,
        start=chunk.start,
        end=chunk.end,
        n_tokens=chunk.n_tokens,
        language=language,
        date=document.placement.date,
        text=chunk.text,
    )
