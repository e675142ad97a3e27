"""Which series, book number, title and language each parsed file has.

A series is stated by collection.yaml, else by the files' own metadata, else by file names of one folder that
differ in one number (hp1, hp2, hp10; Том I, Том II); a file that has none of these is a series of its own.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from tgrag.chunk.structure import books
from tgrag.ingest.collection_file import CollectionFile, load_collection_files
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

PLACEMENT_VERSION = 1  # raise when the same files should be placed otherwise

_NUMBER = re.compile(r"\d+|(?<![^\W_])[IVXL]+(?![^\W_])")
_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50}
_COUNTING_WORD = re.compile(
    r"[\s._,\-–—(\[]*\b(?:том|книга|часть|частина|выпуск|випуск|volume|vol|book|part|no|№)?[\s._,\-–—()\[\]#]*$",
    re.IGNORECASE,
)
_DETECTION_CHARACTERS = 20_000


@dataclass(frozen=True, slots=True)
class ParsedSource:
    """source: the name that discovery gave. parsed: what the parser read, also when it is a refusal."""

    source: str
    parsed: ParsedDocument


@dataclass(frozen=True, slots=True)
class Placement:
    """book_number, book_title: of the first book; the n_books of the file have consecutive numbers.

    series_origin: "collection.yaml", "metadata", "file names" or "single". date: ISO 8601, maybe only a year.
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
    named = _series_by_name([document.source for document in documents if not _has_series(document, config)])
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


def _member(
    document: ParsedSource, config: CollectionFile | None, named: dict[str, tuple[str, str, int]]
) -> _Member:
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
        rank = (parsed.series_number is None, parsed.series_number or 0, natural_key(source))
        return _Member(
            document, fold(parsed.series_title), parsed.series_title, "metadata", rank, parsed.series_number
        )
    if source in named:
        series_id, series_title, number = named[source]
        return _Member(document, series_id, series_title, "file names", (number, natural_key(source)), number)
    title = parsed.title or PurePosixPath(_without_suffix(source)).name
    return _Member(document, _without_suffix(source), title, "single", ())


def _number(members: Sequence[_Member]) -> list[Placement]:
    """Number the books of a series: as stated where that keeps the order, else one after the other."""
    placements = []
    last = 0
    for member in sorted(members, key=lambda member: member.rank):
        parsed = member.document.parsed
        titles = books(parsed) or (None,)
        number = max(member.number or 0, last + 1)
        last = number + len(titles) - 1
        title = member.title or parsed.title or PurePosixPath(_without_suffix(member.document.source)).name
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


def _series_by_name(sources: Sequence[str]) -> dict[str, tuple[str, str, int]]:
    """Return series id, series title and number of the sources whose names differ in one number only."""
    frames = {source: _frames(source) for source in sources}
    members: dict[tuple[str, str, str], set[int]] = defaultdict(set)
    for source in sources:
        for frame, number in frames[source]:
            members[frame].add(number)
    chosen: dict[str, tuple[tuple[str, str, str], int]] = {}
    for source in sources:
        candidates = [
            (len(members[frame]), place, frame, n) for place, (frame, n) in enumerate(frames[source])
        ]
        if candidates:
            _, _, frame, number = max(candidates)
            chosen[source] = (frame, number)
    sizes = Counter(frame for frame, _ in chosen.values())
    named = {}
    for source, (frame, number) in chosen.items():
        if sizes[frame] >= 2 and len(members[frame]) >= 2:
            folder, left, right = frame
            title = " ".join((_COUNTING_WORD.sub("", left) + " " + right).strip(" ._-–—").split())
            title = title or PurePosixPath(folder).name or "books"
            named[source] = (f"{folder}/{left}#{right}".lstrip("/"), title, number)
    return named


def _frames(source: str) -> list[tuple[tuple[str, str, str], int]]:
    """Return, for each number in a file's name, the name around it and the number."""
    path = PurePosixPath(source)
    folder = "" if str(path.parent) == "." else str(path.parent)
    stem = PurePosixPath(_without_suffix(source)).name
    return [
        ((folder, stem[: match.start()], stem[match.end() :]), _value(match[0]))
        for match in _NUMBER.finditer(stem)
    ]


def natural_key(text: str) -> tuple[tuple[int, int, str], ...]:
    """Return a sort key by which hp2 comes before hp10."""
    pieces = re.findall(r"\d+|\D+", fold(text))
    return tuple((0, int(piece), "") if piece.isdecimal() else (1, 0, piece) for piece in pieces)


def _value(number: str) -> int:
    if number.isdecimal():
        return int(number)
    digits = [_ROMAN[digit] for digit in number]
    return sum(-a if a < b else a for a, b in zip(digits, [*digits[1:], 0], strict=True))


def _without_suffix(source: str) -> str:
    path = PurePosixPath(source)
    if path.suffix.lower() == ".zip" and path.stem.lower().endswith(".fb2"):
        path = path.with_suffix("")
    return str(path.with_suffix("")) if path.suffix else str(path)
