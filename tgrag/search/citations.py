"""Quotes and where they stand, looked up letter for letter."""

from tgrag.records import TextUnit
from tgrag.search.labels import chapter_label
from tgrag.search.requests import Citation
from tgrag.search.view import View


def verify(quote: str, unit: TextUnit) -> int | None:
    """Return where a quote begins in a text unit, letter for letter, or None when it is not there."""
    place = unit.text.find(quote) if quote else -1
    return None if place < 0 else place


def cite(number: int, quote: str, unit: TextUnit, view: View) -> Citation:
    """Return the citation of a quote; one that is not in the unit points to the whole unit, unverified."""
    place = verify(quote, unit)
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
        pages=list(unit.page_numbers),
        text_unit_id=unit.text_unit_id,
        ordinal=unit.ordinal,
        start=unit.start if place is None else unit.start + place,
        end=unit.end if place is None else unit.start + place + len(quote),
        verified=place is not None,
    )
