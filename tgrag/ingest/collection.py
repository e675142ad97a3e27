"""Which series, book number, title and language each parsed file has.

A series is stated by collection.yaml, else by the files' own metadata, else by the names of files in one folder
that differ in one number (hp1, hp2, hp10; Том I, Том второй) or one date, else by titles that do; a file that has
none of these is a series of its own. Inside a series books are ordered by number, else by date, and by name only
where nothing else tells.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from tgrag.chunk.structure import books
from tgrag.ingest.collection_file import CollectionFile, load_collection_files
from tgrag.ingest.ordinals import WORD, number
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

PLACEMENT_VERSION = 2  # raise when the same files should be placed otherwise

_COUNTING = "том|книга|часть|частина|выпуск|випуск|volume|vol|book|part|no|№"
_NUMBER = re.compile(
    r"(?P<date>(?<!\d)(?:1[5-9]|20)\d\d(?P<dash>[-._])[01]\d(?:(?P=dash)[0-3]\d)?(?!\d))"
    r"|(?P<number>\d+|(?<![^\W_])(?-i:[IVXL]+)(?![^\W_]))"
    rf"|(?<![^\W_])(?:(?:{_COUNTING})[\s._]+(?:the[\s._]+)?(?P<after>{WORD})|(?P<before>{WORD})[\s._]+(?={_COUNTING}))",
    re.IGNORECASE,
)
_NUMBERED_TITLE = re.compile(
    rf"(?<![^\W_])(?:(?:{_COUNTING})\.?\s+(?:the\s+)?(?P<after>{WORD}|(?-i:[IVXL]+)|\d+)(?![^\W_])"
    rf"|(?P<before>{WORD}|\d+)\s+(?:{_COUNTING})(?![^\W_]))",
    re.IGNORECASE,
)
_COUNTING_WORD = re.compile(
    rf"[\s._,\-–—(\[]*\b(?:{_COUNTING})?[\s._,\-–—()\[\]#]*$",
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


@dataclass(frozen=True, slots=True)
class _Frame:
    """A name with one number, or one date, taken out of it."""

    left: str
    right: str
    number: int | None
    date: str | None

    @property
    def value(self) -> str:
        return self.date or str(self.number)


@dataclass(frozen=True, slots=True)
class _Named:
    """The place in a series that a name tells."""

    series_id: str
    series_title: str
    origin: str
    number: int | None
    date: str | None


def place(documents: Sequence[ParsedSource], config: CollectionFile | None) -> list[Placement]:
    """Decide the place of every file. The result is in the order of the documents, and depends on no other."""
    alone = [document for document in documents if not _has_series(document, config)]
    named = _series_by_name({d.source: _frames(_stem(d.source), _NUMBER) for d in alone}, "file names")
    titles = {d.source: d.parsed.title or "" for d in alone if d.source not in named}
    named |= _series_by_name(
        {source: _frames(title, _NUMBERED_TITLE) for source, title in titles.items()}, "titles"
    )
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


def _member(document: ParsedSource, config: CollectionFile | None, named: dict[str, _Named]) -> _Member:
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
        numbers = (parsed.series_number, _title_number(parsed.title or ""), _name_number(source))
        own_number = next((value for value in numbers if value is not None), None)
        rank = _rank(own_number, parsed.date or _name_date(source), source)
        return _Member(document, fold(parsed.series_title), parsed.series_title, "metadata", rank, own_number)
    if source in named:
        name = named[source]
        rank = _rank(name.number, name.date, source)
        return _Member(document, name.series_id, name.series_title, name.origin, rank, name.number)
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


def _series_by_name(frames: dict[str, list[_Frame]], origin: str) -> dict[str, _Named]:
    """Return the place of the sources of one folder whose names, or titles, differ in one number or date only."""
    members: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for source, found in frames.items():
        for frame in found:
            members[_folder(source), frame.left, frame.right].add(frame.value)
    chosen: dict[str, tuple[tuple[str, str, str], _Frame]] = {}
    for source, found in frames.items():
        keys = [(_folder(source), frame.left, frame.right) for frame in found]
        if keys:
            place = max(range(len(keys)), key=lambda place: (len(members[keys[place]]), place))
            chosen[source] = (keys[place], found[place])
    sizes = Counter(key for key, _ in chosen.values())
    named = {}
    for source, (key, frame) in chosen.items():
        if sizes[key] >= 2 and len(members[key]) >= 2:
            folder, left, right = key
            title = " ".join((_COUNTING_WORD.sub("", left) + " " + right).strip(" ._-–—").split())
            title = title or PurePosixPath(folder).name or "books"
            series_id = f"{folder}/{left}#{right}".lstrip("/")
            named[source] = _Named(series_id, title, origin, frame.number, frame.date)
    return named


def _frames(text: str, pattern: re.Pattern[str]) -> list[_Frame]:
    """Return, for each number or date in a name, the name around it and the number or date."""
    frames = []
    for match in pattern.finditer(text):
        group = match.lastgroup if match.lastgroup != "dash" else "date"
        left, right = text[: match.start(group or 0)], text[match.end(group or 0) :]
        if group == "date":
            frames.append(_Frame(left, right, None, re.sub(r"[._]", "-", match[group])))
        elif group and (value := _value(match[group])) is not None:
            frames.append(_Frame(left, right, value, None))
    return frames


def _value(text: str) -> int | None:
    return int(text) if text.isdecimal() else number(text)


def _title_number(title: str) -> int | None:
    """Return the number of a book that its title says with a word for it: «Книга вторая», "Vol. 3"."""
    numbers = [frame.number for frame in _frames(title, _NUMBERED_TITLE)]
    return numbers[0] if len(numbers) == 1 else None


def _name_number(source: str) -> int | None:
    """Return the only number in a file's name."""
    numbers = [frame.number for frame in _frames(_stem(source), _NUMBER)]
    return numbers[0] if len(numbers) == 1 else None


def _name_date(source: str) -> str | None:
    return next((frame.date for frame in _frames(_stem(source), _NUMBER) if frame.date), None)


def _rank(number: int | None, date: str | None, source: str) -> tuple[object, ...]:
    """Return what sorts a book in its series: its number, else its date, else its name with numbers as numbers."""
    return number is None, number or 0, date is None, date or "", natural_key(source)


def _stem(source: str) -> str:
    return PurePosixPath(_without_suffix(source)).name


def _folder(source: str) -> str:
    folder = str(PurePosixPath(source).parent)
    return "" if folder == "." else folder


def natural_key(text: str) -> tuple[tuple[int, int, str], ...]:
    """Return a sort key by which hp2 comes before hp10."""
    pieces = re.findall(r"\d+|\D+", fold(text))
    return tuple((0, int(piece), "") if piece.isdecimal() else (1, 0, piece) for piece in pieces)


def _without_suffix(source: str) -> str:
    path = PurePosixPath(source)
    if path.suffix.lower() == ".zip" and path.stem.lower().endswith(".fb2"):
        path = path.with_suffix("")
    return str(path.with_suffix("")) if path.suffix else str(path)
