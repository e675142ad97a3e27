"""Marks that a source carries through Docling: what a paragraph is, and where its notes hang.

A reader of Word or OpenDocument knows from the file's own XML what Docling does not tell: that a paragraph is a line
of the contents, a list item with its printed number, a heading of a localised style. It writes that into the text
as marks made of Unicode noncharacters, which no text holds, and takes them out of what Docling gives back.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Literal

from tgrag.ingest.text import squeeze
from tgrag.records import Drop, Element

Role = Literal["contents", "heading", "list_item", "title"]

CONTENTS = Drop("contents", "the file marks it as a table of contents")

NAMED_LEVEL = 8  # of headings without a level of their own: below those of words and styles

_CODES: dict[Role, str] = {"contents": "c", "heading": "h", "list_item": "l", "title": "t"}
_ROLES = {code: role for role, code in _CODES.items()}
_ROLE = re.compile("\ufdd0([chlt])([0-9]*)\ufdd1")
_CONTENTS_TITLE = re.compile(r"(?:(?:table of )?contents|содержание|оглавление|зміст)[.:]?", re.IGNORECASE)
_NUMBER = re.compile(r"\d+(?:\.\d+)*")
_NOTE = re.compile("\ufdd2([^\ufdd3]*)\ufdd3")


def role_mark(role: Role, level: int = 0) -> str:
    """Return what to write before the text of a paragraph. level: of a heading, from 1."""
    return f"\ufdd0{_CODES[role]}{level or ''}\ufdd1"


def note_mark(note: str) -> str:
    """Return what to write where the text refers to a note. note: its key among the notes."""
    return f"\ufdd2{note}\ufdd3"


def role_of(text: str) -> Role | None:
    found = _ROLE.search(text)
    return _ROLES[found[1]] if found else None


def unmarked(text: str) -> str:
    return _NOTE.sub("", _ROLE.sub("", text))


def resolve(elements: Iterable[Element], notes: Mapping[str, str]) -> tuple[Element, ...]:
    """Take the marks out: elements become what they were marked as, each followed by its notes as footnotes.

    What a marked table of contents names is a heading, also where no style says so.
    """
    resolved: list[Element] = []
    for element in elements:
        if role_of(element.text) == "contents" and resolved and _CONTENTS_TITLE.fullmatch(resolved[-1].text):
            resolved[-1] = _as_marked(resolved[-1], "contents", 0)
        text, found = unmarked(element.text).strip(), _ROLE.search(element.text)
        role = _ROLES[found[1]] if found and element.kind != "table" else None
        if text:
            resolved.append(_as_marked(replace(element, text=text), role, int(found[2] or 0) if found else 0))
        fragments = element.fragments[:1]
        resolved.extend(
            Element("footnote", notes[key], fragments=fragments, drop=element.drop)
            for key in _NOTE.findall(element.text)
            if notes.get(key)
        )
    entries = frozenset(_letters(element.text) for element in resolved if element.drop == CONTENTS) - {""}
    return tuple(_as_named(element, entries) for element in resolved)


def _as_named(element: Element, entries: frozenset[str]) -> Element:
    if (
        element.drop
        or element.kind not in ("paragraph", "list_item")
        or _letters(element.text) not in entries
    ):
        return element
    number = _NUMBER.match(element.text)
    depth = number[0].count(".") if number else 0
    return replace(element, kind="heading", level=NAMED_LEVEL + depth, text=squeeze(element.text))


def _letters(text: str) -> str:
    """Return what a heading and its entry in the contents have in common: no numbers, no dots."""
    return "".join(filter(str.isalpha, text.casefold()))


def _as_marked(element: Element, role: Role | None, level: int) -> Element:
    if role == "contents":
        return replace(element, kind="paragraph", level=None, drop=element.drop or CONTENTS)
    if role == "heading":
        return replace(element, kind="heading", level=level, text=squeeze(element.text))
    if role == "list_item" and element.kind == "paragraph":
        return replace(element, kind="list_item")
    return element
