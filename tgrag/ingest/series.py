"""Series that names tell: of files and folders, or titles, that differ in one number or one date."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from tgrag.ingest.ordinals import WORD, number

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
_SEPARATED = re.compile(r"\s*(?:[-–—:]|\.\s)\s*\w")  # a title after the number
_LEADING = " "  # what stands for the titles after numbers that come first
_SPARSE = 10  # numbers alone that are so far apart, on the average, count nothing


@dataclass(frozen=True, slots=True)
class Named:
    """The place in a series that a name tells."""

    series_id: str
    series_title: str
    origin: str
    number: int | None
    date: str | None


@dataclass(frozen=True, slots=True)
class _Frame:
    """A name in a folder with one number, or one date, taken out of it."""

    folder: str
    left: str
    right: str
    number: int | None
    date: str | None

    @property
    def value(self) -> str:
        return self.date or str(self.number)


def series_by_names(titles: Mapping[str, str]) -> dict[str, Named]:
    """Return the places of those sources, given with their titles, that their names or titles put in a series."""
    named: dict[str, Named] = {}
    for frames_of in (_name_frames, _folder_frames, _leading_frames):
        rest = {source: frames_of(source) for source in titles if source not in named}
        named |= _series_by_name(rest, "file names")
    named = _titled(named, titles)
    rest = {s: _frames(t, _NUMBERED_TITLE, _folder(s)) for s, t in titles.items() if s not in named}
    return named | _series_by_name(rest, "titles")


def title_number(title: str) -> int | None:
    """Return the number of a book that its title says with a word for it: «Книга вторая», "Vol. 3"."""
    numbers = [frame.number for frame in _frames(title, _NUMBERED_TITLE)]
    return numbers[0] if len(numbers) == 1 else None


def name_number(source: str) -> int | None:
    """Return the only number in a file's name."""
    numbers = [frame.number for frame in _frames(_stem(source), _NUMBER)]
    return numbers[0] if len(numbers) == 1 else None


def name_date(source: str) -> str | None:
    return next((frame.date for frame in _frames(_stem(source), _NUMBER) if frame.date), None)


def without_suffix(source: str) -> str:
    path = PurePosixPath(source)
    if path.suffix.lower() == ".zip" and path.stem.lower().endswith(".fb2"):
        path = path.with_suffix("")
    return str(path.with_suffix("")) if path.suffix else str(path)


def _series_by_name(frames: dict[str, list[_Frame]], origin: str) -> dict[str, Named]:
    """Return the place of the sources of one folder whose names, or titles, differ in one number or date only."""
    members: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for found in frames.values():
        for frame in found:
            members[frame.folder, frame.left, frame.right].add(frame.value)
    chosen: dict[str, tuple[tuple[str, str, str], _Frame]] = {}
    for source, found in frames.items():
        keys = [(frame.folder, frame.left, frame.right) for frame in found]
        if keys:
            place = max(range(len(keys)), key=lambda place: (len(members[keys[place]]), place))
            chosen[source] = (keys[place], found[place])
    sizes = Counter(key for key, _ in chosen.values())
    named = {}
    for source, (key, frame) in chosen.items():
        if sizes[key] >= 2 and len(members[key]) >= 2 and _is_row(key, members[key]):
            folder, left, right = key
            title = " ".join((_COUNTING_WORD.sub("", left) + " " + right).strip(" ._-–—/").split())
            title = title or PurePosixPath(folder).name or "books"
            series_id = f"{folder}/{left}#{right}".lstrip("/")
            named[source] = Named(series_id, title, origin, frame.number, frame.date)
    return named


def _is_row(key: tuple[str, str, str], values: Set[str]) -> bool:
    """Tell whether numbers with no words around them that say what they count stand near one another."""
    if key[1:] == ("", _LEADING):
        return {"1", "2"} <= values
    if any(character.isalpha() for character in key[1] + key[2]) or not all(map(str.isdecimal, values)):
        return True
    numbers = sorted(map(int, values))
    return numbers[-1] - numbers[0] < _SPARSE * len(numbers)


def _titled(named: dict[str, Named], titles: Mapping[str, str]) -> dict[str, Named]:
    """Give a series the name that the titles of its books have in common around their numbers, if they have one."""
    common: dict[str, set[str]] = defaultdict(set)
    for source, name in named.items():
        frames = _frames(titles[source], _NUMBERED_TITLE)
        common[name.series_id].add(_COUNTING_WORD.sub("", frames[0].left).strip() if frames else "")
    return {
        source: replace(name, series_title=next(iter(common[name.series_id])) or name.series_title)
        if len(common[name.series_id]) == 1
        else name
        for source, name in named.items()
    }


def _name_frames(source: str) -> list[_Frame]:
    return _frames(_stem(source), _NUMBER, _folder(source))


def _folder_frames(source: str) -> list[_Frame]:
    """Return the frames of files of one name in numbered folders: «Том 1/book», «Том 2/book»."""
    folder = PurePosixPath(_folder(source))
    frames = _frames(folder.name, _NUMBER, _folder(str(folder)))
    return [replace(frame, right=f"{frame.right}/{_stem(source)}") for frame in frames]


def _leading_frames(source: str) -> list[_Frame]:
    """Return the frame of a number before a title of its own: "Harry 1 - Stone", «01 Утро»."""
    for frame in _name_frames(source)[:1]:
        has_words = any(character.isalpha() for character in frame.left)
        is_apart = _SEPARATED.match(frame.right) if has_words else frame.right[:1] in (" ", ".", "_", "-")
        if is_apart and frame.number is not None and (has_words or re.match(r"\d\d\D", _stem(source))):
            return [replace(frame, right="" if has_words else _LEADING)]
    return []


def _frames(text: str, pattern: re.Pattern[str], folder: str = "") -> list[_Frame]:
    """Return, for each number or date in a name, the name around it and the number or date."""
    frames = []
    for match in pattern.finditer(text):
        group = match.lastgroup if match.lastgroup != "dash" else "date"
        left, right = text[: match.start(group or 0)], text[match.end(group or 0) :]
        if group == "date":
            frames.append(_Frame(folder, left, right, None, re.sub(r"[._]", "-", match[group])))
        elif group and (value := _value(match[group])) is not None:
            frames.append(_Frame(folder, left, right, value, None))
    return frames


def _value(text: str) -> int | None:
    return int(text) if text.isdecimal() else number(text)


def _stem(source: str) -> str:
    return PurePosixPath(without_suffix(source)).name


def _folder(source: str) -> str:
    folder = str(PurePosixPath(source).parent)
    return "" if folder == "." else folder
