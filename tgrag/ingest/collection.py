"""Which series, book number, title and language each parsed file has.

A series is stated by collection.yaml, else by the files' own metadata, else by the names of files in one folder
that differ in one number (hp1, hp2, hp10; Том I, Том второй) or one date, or have a number before a title of their
own, else by numbered folders, else by titles that do; a file that has
none of these is a series of its own. Inside a series books are ordered by number, else by date, and by name only
where nothing else tells.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from tgrag.chunk.structure import books
from tgrag.ingest.collection_file import CollectionFile, load_collection_files
from tgrag.ingest.series import Named, name_date, name_number, series_by_names, title_number, without_suffix
from tgrag.language import detect, fold
from tgrag.records import Language, ParsedDocument

__all__ = [
    "PLACEMENT_VERSION",
    "CollectionFile",
    "ParsedSource",
    "Placement",
    "load_collection_files",
    "natural_key",
    "place",
]

PLACEMENT_VERSION = 3  # raise when the same files should be placed otherwise

_DETECTION_CHARACTERS = 20_000


@dataclass(frozen=True, slots=True)
class ParsedSource:
    """source: the name that discovery gave. parsed: what the parser read, also when it is a refusal."""

    source: str
    parsed: ParsedDocument


@dataclass(frozen=True, slots=True)
class Placement:
    """book_number, book_title: of the first book; the n_books of the file have consecutive numbers.

    series_origin: "collection.yaml", "metadata", "file names", "titles" or "single". date: ISO 8601, maybe only a year.
    """

    source: str
    title: str
    language: Language
    series_id: str
    series_title: str
    series_origin: str
    book_number: int
    book_title: str
    n_books: int
    date: str | None


@dataclass(frozen=True, slots=True)
class _Member:
    """A file in a series. rank sorts it there; number is the book number it wants, if it states one."""

    document: ParsedSource
    series_id: str
    series_title: str
    origin: str
    rank: tuple[object, ...]
    number: int | None = None
    title: str | None = None
    language: Language | None = None
    date: str | None = None


def place(documents: Sequence[ParsedSource], config: CollectionFile | None) -> list[Placement]:
    """Decide the place of every file. The result is in the order of the documents, and depends on no other."""
    alone = [document for document in documents if not _has_series(document, config)]
    named = series_by_names({d.source: d.parsed.title or "" for d in alone})
    series: dict[str, list[_Member]] = defaultdict(list)
    for document in documents:
        member = _member(document, config, named)
        series[member.series_id].append(member)
    placements = {
        placement.source: placement for members in series.values() for placement in _number(members)
    }
    return [placements[document.source] for document in documents]


def _has_series(document: ParsedSource, config: CollectionFile | None) -> bool:
    return bool(document.parsed.series_title or (config and config.find(document.source)))


def _member(document: ParsedSource, config: CollectionFile | None, named: dict[str, Named]) -> _Member:
    source, parsed = document.source, document.parsed
    found = config.find(source) if config else None
    if found:
        entry, book, place_in_series = found
        return _Member(
            document,
            entry.series_id,
            entry.title,
            "collection.yaml",
            (place_in_series, natural_key(source)),
            book.number,
            book.title,
            book.language or entry.language,
            book.date,
        )
    if parsed.series_title:
        numbers = (parsed.series_number, title_number(parsed.title or ""), name_number(source))
        own_number = next((value for value in numbers if value is not None), None)
        rank = _rank(own_number, parsed.date or name_date(source), source)
        return _Member(document, fold(parsed.series_title), parsed.series_title, "metadata", rank, own_number)
    if source in named:
        name = named[source]
        rank = _rank(name.number, name.date, source)
        return _Member(document, name.series_id, name.series_title, name.origin, rank, name.number)
    title = parsed.title or PurePosixPath(without_suffix(source)).name
    return _Member(document, without_suffix(source), title, "single", ())


def _number(members: Sequence[_Member]) -> list[Placement]:
    """Number the books of a series: as stated where that keeps the order, else one after the other."""
    placements = []
    last = 0
    for member in sorted(members, key=lambda member: member.rank):
        parsed = member.document.parsed
        titles = books(parsed) or (None,)
        number = max(member.number or 0, last + 1)
        last = number + len(titles) - 1
        title = member.title or parsed.title or PurePosixPath(without_suffix(member.document.source)).name
        placements.append(
            Placement(
                source=member.document.source,
                title=title,
                language=member.language or parsed.language or _detected(parsed),
                series_id=member.series_id,
                series_title=member.series_title,
                series_origin=member.origin,
                book_number=number,
                book_title=titles[0] or title,
                n_books=len(titles),
                date=member.date or parsed.date,
            )
        )
    return placements


def _detected(parsed: ParsedDocument) -> Language:
    head: list[str] = []
    n_characters = 0
    for element in parsed.elements:
        head.append(element.text)
        n_characters += len(element.text)
        if n_characters >= _DETECTION_CHARACTERS:
            break
    return detect("\n".join(head))


def _rank(number: int | None, date: str | None, source: str) -> tuple[object, ...]:
    """Return what sorts a book in its series: its number, else its date, else its name with numbers as numbers."""
    return number is None, number or 0, date is None, date or "", natural_key(source)


def natural_key(text: str) -> tuple[tuple[int, int, str], ...]:
    """Return a sort key by which hp2 comes before hp10."""
    pieces = re.findall(r"\d+|\D+", fold(text))
    return tuple((0, int(piece), "") if piece.isdecimal() else (1, 0, piece) for piece in pieces)
