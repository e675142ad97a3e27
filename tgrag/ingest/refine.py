"""What a whole document tells of its elements, for every format: its contents, and what is a heading and what not."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise, zip_longest

from tgrag.ingest.contents import Contents, find_contents, key
from tgrag.ingest.headings import heading_number, is_bare_number, is_unnumbered, line_heading
from tgrag.ingest.licence import without_licence
from tgrag.records import Element

_MAX_HEADING = 300  # characters: what is longer is text, however it is marked up
_MAX_TITLE = 160
_FEWEST_PAIRS = 2  # of a number and its title: one may be chance
_MAX_REMARK = 300
_LEAD_IN = re.compile(r"(?:примечани[ея]|примітк[аи]|notes?)\s*:", re.IGNORECASE)
_CELLS = re.compile(r"\s*\|\s*")
_CLOSING_WORDS = (
    "с уважением|искренне ваша?|с любовью|преданный вам|твой навеки|з повагою|щиро ваша?|з любов'ю"
    "|yours (?:truly|sincerely|faithfully|ever)|sincerely(?: yours)?|best regards|kind regards|respectfully(?: yours)?"
)
_SIGNATURE = re.compile(
    rf"(?:{_CLOSING_WORDS})(?:[,.!].{{0,40}}|(?:\s+(?-i:[^\W\d_a-zа-яёіїєґ])[\w.]*){{0,3}})", re.IGNORECASE
)
_CONTACT = re.compile(
    r"https?://\S+|www\.\S+|\S+@\S+\.\w+|(?:тел|tel|phone|факс|fax)\b.*\d.*|\+?[\d\s()–-]{7,}", re.IGNORECASE
)


def refine(elements: Sequence[Element]) -> tuple[Element, ...]:
    """Return the elements of a document with its contents and licence dropped, and its headings mended.

    Nothing is lost and the order stays. Headings are added where a table is one, or a line is an entry of the
    contents; they are taken away from signatures, addresses and whole paragraphs that were marked up as one.
    """
    mended = _without_lead_ins([_mended(element) for element in without_licence(elements)])
    return _hinted(find_contents(_with_titles(mended)))


def _mended(element: Element) -> Element:
    if element.drop:
        return element
    if element.kind == "table":
        return _heading_in_table(element) or element
    if element.kind == "heading" and _is_no_heading(element.text):
        return replace(element, kind="paragraph", level=None)
    return element


def _heading_in_table(table: Element) -> Element | None:
    """Return the heading that a table of one row, or one column, shows: «Глава I | Сержант гвардии»."""
    rows = [
        [cell for cell in _CELLS.split(row.strip(" |")) if cell.strip(" -")]
        for row in table.text.strip().split("\n")
    ]
    rows = [row for row in rows if row]
    if len(rows) > 1 and max(map(len, rows)) > 1:
        return None
    cells = [cell for row in rows for cell in row]
    if len(cells) not in (1, 2):
        return None
    heading = line_heading(cells[0])
    if heading is None or (len(cells) == 2 and not heading.is_open):
        return None
    return replace(
        table, kind="heading", text=". ".join(cell.rstrip(" .") for cell in cells), level=heading.level
    )


def _is_no_heading(text: str) -> bool:
    return (
        len(text) > _MAX_HEADING
        or text.rstrip()[-1:] in ",;"
        or not any(character.isalnum() for character in text)
        or _SIGNATURE.fullmatch(text) is not None
        or _CONTACT.fullmatch(text) is not None
    )


def _without_lead_ins(elements: Sequence[Element]) -> list[Element]:
    """Make paragraphs of «Примітки:», "Notes:" above a list or a short text inside a section: they open no part."""
    has_section = False
    mended = []
    for element, below in zip_longest(elements, elements[1:]):
        is_heading = element.kind == "heading" and not element.drop
        if is_heading and has_section and _LEAD_IN.fullmatch(element.text) and _is_remark(below):
            mended.append(replace(element, kind="paragraph", level=None))
            continue
        mended.append(element)
        has_section = has_section or is_heading
    return mended


def _is_remark(element: Element | None) -> bool:
    return element is not None and (
        element.kind == "list_item" or (element.kind == "paragraph" and len(element.text) <= _MAX_REMARK)
    )


def _with_titles(elements: Sequence[Element]) -> list[Element]:
    """Join the headings that are a number with the titles in headings of their own below them: «I», «Дом».

    Only on the levels where most numbers have such a title, and most such titles a number.
    """
    headings = [element for element in elements if element.kind == "heading" and not element.drop]
    numbers = Counter(element.level for element in headings if is_bare_number(element.text))
    titles = Counter(element.level for element in headings if _is_title(element))
    pairs = {
        index: above.level
        for index, (above, below) in enumerate(pairwise(elements))
        if above.level == below.level
        and above.kind == "heading"
        and not above.drop
        and is_bare_number(above.text)
        and _is_title(below)
    }
    counts = Counter(pairs.values())
    joined = {
        index
        for index, level in pairs.items()
        if counts[level] >= _FEWEST_PAIRS and 2 * counts[level] > max(numbers[level], titles[level])
    }
    return [
        _joined(element, elements[index + 1]) if index in joined else element
        for index, element in enumerate(elements)
        if index - 1 not in joined
    ]


def _is_title(element: Element) -> bool:
    """Tell a heading that neither says a number nor is a word such as «Предисловие»."""
    text = element.text
    return (
        element.kind == "heading"
        and not element.drop
        and line_heading(text) is None
        and heading_number(text) is None
        and not is_unnumbered(text)
    )


def _hinted(contents: Contents) -> tuple[Element, ...]:
    """Make headings of the lines that the contents name, each once; a bare number above such a line takes it in."""
    counts = Counter(key(element.text) for element in contents.elements if _may_be_title(element))
    hinted: list[Element] = []
    for element in contents.elements:
        name = key(element.text) if _may_be_title(element) else ""
        if element.kind == "heading" or counts[name] != 1 or name not in contents.levels:
            hinted.append(element)
            continue
        before = hinted[-1] if hinted else None
        if before and before.kind == "heading" and not before.drop and is_bare_number(before.text):
            hinted[-1] = _joined(before, element)
        else:
            hinted.append(replace(element, kind="heading", level=contents.levels[name]))
    return tuple(hinted)


def _may_be_title(element: Element) -> bool:
    text = element.text
    return (
        not element.drop
        and element.kind in ("heading", "paragraph")
        and len(text) <= _MAX_TITLE
        and text[-1:] not in ",;"
        and any(character.isalpha() for character in text)
    )


def _joined(number: Element, title: Element) -> Element:
    prefix = number.text.rstrip(" .:") + ". "
    fragments = (replace(part, start=part.start + len(prefix)) for part in title.fragments)
    return replace(number, text=prefix + title.text, fragments=(*number.fragments, *fragments))
