"""Chapters of real books: every true heading is found in its place, and nothing else is taken for one.

The true headings stand in ``headings/*.json``: of each its title, and the first words of the text after it, which
tell its place. They were listed from the files themselves and read through by eye.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.data import shared
from tgrag.chunk.structure import layout
from tgrag.chunk.units import text_units
from tgrag.ingest.parse import parse
from tgrag.models.tokenizer import tokenizer
from tgrag.records import ParsedDocument
from tgrag.settings import ChunkSettings

GOLD = sorted((Path(__file__).parent / "headings").glob("*.json"))


@dataclass(frozen=True, slots=True)
class Start:
    """title, after: words only, in lower case; after: the first words of what follows the heading."""

    title: str
    after: str


def words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def gold(path: Path) -> tuple[ParsedDocument, list[Start]]:
    book = json.loads(path.read_text(encoding="utf-8"))
    source = shared(*book["source"].split("/"))
    starts = [Start(words(title), words(after)) for title, after in book["headings"]]
    return parse(source.name, source.read_bytes()), starts


def detected(document: ParsedDocument) -> list[Start]:
    """Return the headings that a parse shows, each with some words after it."""
    elements = [element for element in document.elements if not element.drop]
    starts = []
    for index, element in enumerate(elements):
        if element.kind == "heading":
            after = " ".join(words(follower.text[:300]) for follower in elements[index + 1 : index + 4])
            starts.append(Start(words(element.text), after))
    return starts


def matches(found: Start, true: Start) -> bool:
    return found.title == true.title and found.after.startswith(true.after)


def unmatched(found: list[Start], true: list[Start]) -> tuple[list[Start], list[Start]]:
    """Return what was found and is not true, and what is true and was not found."""
    left = list(true)
    wrong = []
    for start in found:
        hit = next((candidate for candidate in left if matches(start, candidate)), None)
        if hit:
            left.remove(hit)
        else:
            wrong.append(start)
    return wrong, left


@pytest.mark.parametrize("path", GOLD, ids=lambda path: path.stem)
def test_chapters_are_found_and_nothing_else(path: Path) -> None:
    document, true = gold(path)
    found = detected(document)
    wrong, missed = unmatched(found, true)
    print(
        f"{path.stem}: {len(found)} found, {len(wrong)} of them wrong; {len(true)} true, {len(missed)} missed"
    )
    assert len(wrong) <= 0.01 * len(found), wrong
    assert len(missed) <= 0.01 * len(true), missed


def places(text: str, true: list[Start]) -> list[int]:
    """Return where in a text each chapter's own text begins, in order."""
    starts = [match.start() for match in re.finditer(r"\w+", text)]
    running = " ".join(match[0].lower() for match in re.finditer(r"\w+", text))
    found, last = [], 0
    for start in true:
        at = running.index(f"{start.title} {start.after}", last)
        found.append(starts[running.count(" ", 0, at + len(start.title) + 1)])
        last = at + 1
    return found


@pytest.mark.parametrize("path", GOLD, ids=lambda path: path.stem)
def test_no_unit_crosses_a_chapter(path: Path) -> None:
    document, true = gold(path)
    parsed = layout(document)
    units = text_units("d", parsed, "ru", tokenizer("multilingual-e5-small"), ChunkSettings())
    assert len(units) > len(true) / 2
    for place in places(parsed.text, true):
        across = (unit.text for unit in units if unit.start < place < unit.end)
        assert not [
            text for text in across if not words(text).startswith(words(parsed.text[place:][:40])[:20])
        ]
