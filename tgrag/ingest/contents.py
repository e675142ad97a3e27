"""Contents pages: lists of a document's headings, at its beginning or end, told from the headings themselves.

A list of contents is a row of short elements with no text between them that name places of the document: they are
repeated elsewhere as lines of their own, or end in dots and rising page numbers; often a word («Содержание»)
stands above. What is found is marked as dropped and stays in its place.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from tgrag.ingest.headings import CHAPTER, CONTENTS_WORD, is_contents_line, without_number
from tgrag.language import fold
from tgrag.records import Drop, Element

_LONGEST = 200  # characters of an entry
_FEWEST, _FEWEST_UNNAMED = 3, 4  # entries under a word for contents, and without one
_BEGINNING, _END = 0.2, 0.9  # of the text: a list without a word for it is looked for before and after these
_MOST = 0.7
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


def key(text: str) -> str:
    """Return the letters and digits of a title, as titles are compared."""
    return _NOISE.sub(" ", fold(text)).strip()


def find_contents(elements: Sequence[Element]) -> Contents:
    """Mark the lists of contents of a document."""
    entries = [None if element.drop else _entry(element) for element in elements]
    counts = Counter(name for entry in entries if entry for name in {*entry.names})
    ends = _ends(elements)
    dropped: set[int] = set()
    first = 0
    while first < len(elements):
        last = _last_of_run(entries, counts, first)
        if last > first:
            dropped |= _listed(elements, entries, counts, ends, range(first, last))
        first = max(last, first + 1)
    levels = {
        name: elements[index].level or CHAPTER
        for index in sorted(dropped)
        if (entry := entries[index])
        for name in entry.names
        if not name.isdigit()
    }
    drop = Drop("contents", "an entry of a table of contents")
    marked = (replace(e, drop=drop) if i in dropped else e for i, e in enumerate(elements))
    return Contents(tuple(marked), levels)


def _entry(element: Element) -> _Entry | None:
    """Return what an element is as an entry of a list; None for one that is text by its length or form."""
    text = element.text
    if len(text) > _LONGEST or ("\n" in text and element.kind != "table"):
        return None
    page = _PAGE.search(text)
    title = _LEADERS.sub("", text)
    names = tuple(filter(None, {key(title), key(without_number(title))})) or ((key(text),) if page else ())
    if not names:
        return None
    word = CONTENTS_WORD.fullmatch(title.strip(" .:"))
    return _Entry(names, int(page["page"]) if page else None, word is not None, is_contents_line(text))


def _names_a_place(entry: _Entry, counts: Counter[str]) -> bool:
    return entry.page is not None or entry.has_leaders or any(counts[name] > 1 for name in entry.names)


def _last_of_run(entries: Sequence[_Entry | None], counts: Counter[str], first: int) -> int:
    """Return the end of the row of entries that begins at a place; the place itself where none does."""
    start = entries[first]
    if start is None or not (start.is_word or _names_a_place(start, counts)):
        return first
    end, index = first + 1, first + 1
    while index < len(entries) and index - end <= _STRANGERS:
        entry = entries[index]
        if entry is None:
            break
        index += 1
        if _names_a_place(entry, counts):
            end = index
    return end


def _ends(elements: Sequence[Element]) -> list[int]:
    ends, end = [], 0
    for element in elements:
        end += len(element.text)
        ends.append(end)
    return ends


def _listed(
    elements: Sequence[Element],
    entries: Sequence[_Entry | None],
    counts: Counter[str],
    ends: Sequence[int],
    run: range,
) -> set[int]:
    """Return the elements of a row that are a list of contents; the headings that open the text are none."""
    word = next((i for i in run if (entry := entries[i]) and entry.is_word), None)
    begin = run.start if word is None else word
    end = _before_the_text(elements, entries, range(begin, run.stop))
    rows = [(i, entry) for i in range(begin, end) if (entry := entries[i]) and not entry.is_word]
    titled = [entry for _, entry in rows if not all(name.isdigit() for name in entry.names)]
    pages = [entry.page for _, entry in rows if entry.page is not None]
    within = Counter(name for _, entry in rows for name in {*entry.names})
    repeated = sum(any(counts[name] > within[name] for name in entry.names) for entry in titled)
    rising = sum(a <= b for a, b in pairwise(pages))
    has_pages = len(pages) >= _MOST * len(titled) and rising >= _MOST * (len(pages) - 1)
    has_leaders = sum(entry.has_leaders for entry in titled) >= _MOST * len(titled)
    is_repeated = repeated >= _MOST * len(titled)
    if word is not None:
        is_list = len(titled) >= _FEWEST and (is_repeated or has_pages or has_leaders)
    else:
        is_at_an_end = ends[end - 1] <= _BEGINNING * ends[-1] or ends[begin] >= _END * ends[-1]
        is_list = (
            len(titled) >= _FEWEST_UNNAMED
            and is_at_an_end
            and ((has_leaders and has_pages and len(pages) > 1) or (is_repeated and _is_dense(rows)))
        )
    return set(range(begin, end)) if is_list else set()


def _is_dense(rows: Sequence[tuple[int, _Entry]]) -> bool:
    return rows[-1][0] - rows[0][0] + 1 == len(rows)


def _before_the_text(elements: Sequence[Element], entries: Sequence[_Entry | None], run: range) -> int:
    """Return where a row stops to be a list: before the headings at its end that open the text below them.

    Such a heading has been named before in the row; of several, each is on a deeper level than the one before.
    """
    if run.stop == len(elements):
        return run.stop
    seen = Counter(name for i in run if (entry := entries[i]) for name in {*entry.names})
    end, level = run.stop, 99
    while end > run.start + 1:
        element, entry = elements[end - 1], entries[end - 1]
        own_level = CHAPTER if element.level is None else element.level
        if entry is None or entry.page is not None or own_level >= level:
            break
        if not any(seen[name] > 1 for name in entry.names) and level == 99:
            break
        end, level = end - 1, own_level
    return end
