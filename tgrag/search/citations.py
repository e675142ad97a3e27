"""Quotes and where they stand, looked up letter for letter."""

from collections.abc import Sequence
from dataclasses import asdict
from itertools import pairwise

from tgrag.records import Fragment, TextUnit
from tgrag.search.labels import chapter_label
from tgrag.search.requests import Citation, PageBox
from tgrag.search.view import View


def verify(quote: str, unit: TextUnit) -> int | None:
    """Return where a quote begins in a text unit, letter for letter, or None when it is not there."""
    place = unit.text.find(quote) if quote else -1
    return None if place < 0 else place


def covering(fragments: Sequence[Fragment], start: int, end: int) -> list[Fragment]:
    """Return the fragments of a text that the characters from start to end touch."""
    ends = [*(after.start for _, after in pairwise(fragments)), end]
    return [f for f, stop in zip(fragments, ends, strict=False) if f.start < end and stop > start]


def cite(number: int, quote: str, unit: TextUnit, view: View) -> Citation:
    """Return the citation of a quote; one that is not in the unit points to the whole unit, unverified."""
    place = verify(quote, unit)
    begun, ended = (0, len(unit.text)) if place is None else (place, place + len(quote))
    fragments = covering(unit.fragments, begun, ended)
    document = view.document(unit.document_id)
    return Citation(
        number=number,
        quote=quote,
        document=document.title,
        document_id=unit.document_id,
        series=document.series_title,
        book=unit.book_title,
        book_number=unit.book_number,
        chapter=chapter_label(unit.headings),
        chapter_id=unit.chapter_id,
        pages=sorted({fragment.page for fragment in fragments}),
        boxes=[PageBox(page=f.page, **asdict(f.box)) for f in fragments if f.box],
        text_unit_id=unit.text_unit_id,
        ordinal=unit.ordinal,
        start=unit.start + begun,
        end=unit.start + ended,
        verified=place is not None,
    )
