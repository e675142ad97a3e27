"""Contents pages: lists of a document's headings, at its beginning or end, told from the headings themselves.

A list of contents is a row of short elements with no text between them that name places of the document: they come
again elsewhere in the same order, with text between, or end in dots and rising page numbers; often a word
(«Содержание») stands above. What is found is marked as dropped and stays in its place.
"""

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

from tgrag.ingest.headings import CHAPTER, CONTENTS_WORD, is_contents_line, line_heading, without_number
from tgrag.language import fold
from tgrag.records import Drop, Element

_LONGEST = 200  # characters of an entry
_FEWEST, _FEWEST_UNNAMED = 3, 4  # entries under a word for contents, and without one
_BEGINNING, _END = 0.2, 0.9  # of the text: a list without a word for it is looked for before and after these
_FRONT, _BACK = 0.1, 0.95  # of the text: a list between these must name places, not only pages
_MOST = 0.7
_DEEPEST = 99  # below every level
_GAP = 300  # characters between the places that a list names, on the average
_STRANGERS = 3  # elements in a row that may stand in a list and name nothing («Page»)
_PAGE = re.compile(r"(?:[\s.…·_|]|^)(?P<page>\d{1,4})$")
_LEADERS = re.compile(r"[\s.…·_|]*\d{0,4}$")
_NOISE = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class _Entry:
    """names: the keys by which an element may be called elsewhere. page: the number at its end."""

    names: tuple[str, ...]
    page: int | None
    is_word: bool
    has_leaders: bool


@dataclass(frozen=True, slots=True)
class Contents:
    """elements: those of the document, its lists of contents dropped. levels: of each entry's heading, by its key."""

    elements: tuple[Element, ...]
    levels: dict[str, int]


@dataclass(frozen=True, slots=True)
class _Document:
    """entries: what each element is as an entry, None for text. ends: characters up to the end of each element.

    places: the elements that have a name, in order.
    """

    elements: Sequence[Element]
    entries: Sequence[_Entry | None]
    ends: Sequence[int]
    places: dict[str, list[int]]

    def names_a_place(self, entry: _Entry) -> bool:
        return (
            entry.page is not None
            or entry.has_leaders
            or any(len(self.places[name]) > 1 for name in entry.names)
        )


def key(text: str) -> str:
    """Return the letters and digits of a title, as titles are compared."""
    return _NOISE.sub(" ", fold(text)).strip()


def find_contents(elements: Sequence[Element]) -> Contents:
    """Mark the lists of contents of a document."""
    document = _document(elements)
    dropped: set[int] = set()
    first = 0
    while first < len(elements):
        last = _end_of_run(document, first)
        if last > first:
            dropped |= _listed(document, range(first, last))
        first = max(last, first + 1)
    levels = {
        name: elements[index].level or CHAPTER
        for index in sorted(dropped)
        if (entry := document.entries[index])
        for name in entry.names
        if not name.isdigit()
    }
    drop = Drop("contents", "an entry of a table of contents")
    marked = (replace(e, drop=drop) if i in dropped else e for i, e in enumerate(elements))
    return Contents(tuple(marked), levels)


def _document(elements: Sequence[Element]) -> _Document:
    entries = [None if element.drop else _entry(element) for element in elements]
    places: dict[str, list[int]] = defaultdict(list)
    for index, entry in enumerate(entries):
        for name in entry.names if entry else ():
            places[name].append(index)
    return _Document(elements, entries, list(accumulate(len(element.text) for element in elements)), places)


def _entry(element: Element) -> _Entry | None:
    """Return what an element is as an entry of a list; None for one that is text by its length or form."""
    text = element.text
    if len(text) > _LONGEST or ("\n" in text and element.kind != "table"):
        return None
    heading = line_heading(text)
    ends_in_its_number = heading is not None and heading.is_open
    page = None if ends_in_its_number else _PAGE.search(text)
    title = text if ends_in_its_number else _LEADERS.sub("", text)
    names = tuple(filter(None, dict.fromkeys((key(title), key(without_number(title)), key(text)))))
    if not names:
        return None
    word = CONTENTS_WORD.fullmatch(title.strip(" .:"))
    return _Entry(names, int(page["page"]) if page else None, word is not None, is_contents_line(text))


def _end_of_run(document: _Document, first: int) -> int:
    """Return the end of the row of entries that begins at a place; the place itself where none does."""
    start = document.entries[first]
    if start is None or not (start.is_word or document.names_a_place(start)):
        return first
    end, index = first + 1, first + 1
    while index < len(document.entries) and index - end <= _STRANGERS:
        entry = document.entries[index]
        if entry is None:
            break
        index += 1
        if document.names_a_place(entry):
            end = index
    return end


def _listed(document: _Document, run: range) -> set[int]:
    """Return the elements of a row that are a list of contents; the headings that open the text are none."""
    word = next((i for i in run if (entry := document.entries[i]) and entry.is_word), None)
    begin = run.start if word is None else word
    end = _before_the_text(document, range(begin, run.stop))
    entries = [entry for i in range(begin, end) if (entry := document.entries[i]) and not entry.is_word]
    titled = [entry for entry in entries if not all(name.isdigit() for name in entry.names)]
    pages = [entry.page for entry in entries if entry.page is not None]
    rising = sum(a <= b for a, b in pairwise(pages))
    is_outside = (
        document.ends[end - 1] <= _FRONT * document.ends[-1]
        or document.ends[begin] >= _BACK * document.ends[-1]
    )
    has_pages = len(pages) >= _MOST * len(titled) and rising >= _MOST * (len(pages) - 1)
    has_leaders = sum(entry.has_leaders for entry in titled) >= _MOST * len(titled)
    if word is not None:
        is_list = len(titled) >= _FEWEST and (
            (has_pages and is_outside) or has_leaders or _names(document, titled, begin, end)
        )
    else:
        is_at_an_end = (
            document.ends[end - 1] <= _BEGINNING * document.ends[-1]
            or document.ends[begin] >= _END * document.ends[-1]
        )
        is_list = (
            len(titled) >= _FEWEST_UNNAMED
            and is_at_an_end
            and ((has_leaders and has_pages) or _names(document, titled, begin, end, only_headings=True))
        )
    return set(range(begin, end)) if is_list else set()


def _names(
    document: _Document, titled: Sequence[_Entry], begin: int, end: int, *, only_headings: bool = False
) -> bool:
    """Tell whether the entries of a list come again after or before it, in order and with text between them."""
    return any(
        len(found) >= max(_MOST * len(titled), 2)
        and document.ends[found[-1]] - document.ends[found[0]] >= _GAP * (len(found) - 1)
        and (not only_headings or all(document.elements[i].kind == "heading" for i in found))
        for found in (
            _in_order(document, titled, end, len(document.elements)),
            _in_order(document, titled, 0, begin),
        )
    )


def _in_order(document: _Document, titled: Sequence[_Entry], first: int, last: int) -> list[int]:
    """Return the first places of some entries between two elements, each after the one before."""
    found: list[int] = []
    for entry in titled:
        following = []
        for name in entry.names:
            places = document.places[name]
            index = bisect_left(places, found[-1] + 1 if found else first)
            following += places[index : index + 1]
        if following and min(following) < last:
            found.append(min(following))
    return found


def _before_the_text(document: _Document, run: range) -> int:
    """Return where a row stops to be a list: before the headings at its end that open the text below them.

    Such a heading has been named before in the row; of several, each is on a deeper level than the one before.
    """
    if run.stop == len(document.elements):
        return run.stop
    seen = Counter(name for i in run if (entry := document.entries[i]) for name in entry.names)
    end, level = run.stop, _DEEPEST
    while end > run.start + 1:
        element, entry = document.elements[end - 1], document.entries[end - 1]
        own_level = _DEEPEST - 1 if element.level is None else element.level
        if entry is None or own_level >= level:
            break
        is_named_whole = seen[key(element.text)] > 1
        if entry.page is not None and not is_named_whole:
            break
        if level == _DEEPEST and not any(seen[name] > 1 for name in entry.names):
            break
        end, level = end - 1, own_level
    return end
