"""Eleven real PDFs in Ukrainian with questions: every page's text is there, and the answers are in units of their page."""

import json
import re
from collections import Counter
from functools import cache
from itertools import pairwise
from pathlib import Path

import pypdfium2
import pytest

from tests.data import shared
from tgrag.chunk import Chunk, chunk
from tgrag.ingest.parse import parse
from tgrag.ingest.text import clean
from tgrag.records import Element, ParsedDocument
from tgrag.settings import ChunkSettings

DOCUMENTS = 11
_WORD = re.compile(r"\w+")
_BROKEN = re.compile(r"[-\u00ad\x02\ufffe]\s*\n\s*")


def files() -> list[Path]:
    return sorted(shared("unlp2026_uk", "pdf").glob("*.pdf"))


@cache
def parsed(path: Path) -> ParsedDocument:
    document = parse(path.name, path.read_bytes())
    assert document.status == "ok", document.reason
    return document


@cache
def units(path: Path) -> list[Chunk]:
    return chunk(path.name, parsed(path), "uk", ChunkSettings())


def folded(text: str) -> str:
    """Return letters and digits only: how a reader cuts words and draws quotation marks does not matter."""
    return "".join(_WORD.findall(clean(_BROKEN.sub("", text)).lower().replace("_", "")))


def by_page(element: Element) -> list[tuple[int, str]]:
    ends = [fragment.start for fragment in element.fragments[1:]] + [len(element.text)]
    return [
        (fragment.page, element.text[fragment.start : end])
        for fragment, end in zip(element.fragments, ends, strict=True)
    ]


def page_texts(path: Path) -> dict[int, str]:
    """Return the text of each page as a second, independent reader gives it."""
    with pypdfium2.PdfDocument(path.read_bytes()) as document:
        return {
            number: document[number - 1].get_textpage().get_text_bounded()
            for number in range(1, len(document) + 1)
        }


def test_every_word_is_there_on_its_page() -> None:
    """Compared by letters: where two readers cut words is told by neither page."""
    assert len(files()) == DOCUMENTS
    n_words = n_missing = 0
    for path in files():
        ours: dict[int, str] = {}
        for element in parsed(path).elements:
            for page, text in by_page(element):
                ours[page] = ours.get(page, "") + " " + text
        for page, text in page_texts(path).items():
            letters, expected = Counter(folded(ours.get(page, ""))), Counter(folded(text))
            assert letters == expected, f"{path.name}, page {page}: {letters - expected} {expected - letters}"
            known = Counter(_WORD.findall(ours.get(page, "").lower()))
            words = Counter(_WORD.findall(clean(_BROKEN.sub("", text)).lower()))
            n_words += words.total()
            n_missing += (words - known).total()
    print(f"{n_missing} of {n_words} words are cut otherwise")
    assert n_missing < 0.01 * n_words


def test_a_page_of_units_is_where_its_text_is_printed() -> None:
    """Each fragment of a unit stands on the page that it names."""
    for path in files():
        printed = {page: folded(text) for page, text in page_texts(path).items()}
        for unit in units(path):
            assert unit.page_numbers == tuple(sorted({fragment.page for fragment in unit.fragments}))
            ends = [fragment.start for fragment in unit.fragments[1:]] + [len(unit.text)]
            for fragment, end in zip(unit.fragments, ends, strict=True):
                for word in _WORD.findall(unit.text[fragment.start : end].lower())[1:-1]:
                    assert folded(word) in printed[fragment.page], (path.name, fragment.page, word)


def test_answers_are_in_units_of_their_page() -> None:
    questions = [
        json.loads(line) for line in shared("unlp2026_uk", "questions.jsonl").read_text("utf-8").splitlines()
    ]
    folder = shared("unlp2026_uk", "pdf")
    n_there = n_found = 0
    for question in questions:
        path = folder / question["document"]
        printed = folded(page_texts(path)[question["page"]])
        read = folded(
            " ".join(t for e in parsed(path).elements for p, t in by_page(e) if p == question["page"])
        )
        answer = [folded(word) for word in question["answers"][0].split()]
        if not (all(word in printed for word in answer) or all(word in read for word in answer)):
            continue
        n_there += 1
        on_page = [unit for unit in units(path) if question["page"] in unit.page_numbers]
        text = folded(" ".join(unit.text for unit in on_page))
        is_found = all(word in text for word in answer)
        n_found += is_found
        if not is_found:
            print(f"{question['document']}, page {question['page']}: {question['answers'][0]}")
    print(f"{n_found} of {n_there} answers that are printed on their page ({len(questions)} questions)")
    assert n_there > 60
    assert n_found >= 0.95 * n_there


@pytest.mark.parametrize("name", ["61990b93694d93444332fc6fa6a0f837ee312bdb.pdf"])
def test_chapters_and_page_numbers_of_the_rules(name: str) -> None:
    document = parsed(shared("unlp2026_uk", "pdf") / name)
    chapters = [e.text for e in document.elements if e.kind == "heading" and re.match(r"[IVX]+\. ", e.text)]
    assert [title.split(".")[0] for title in chapters] == [
        "I",
        "II",
        "III",
        "IV",
        "V",
        "VI",
        "VII",
        "VIII",
        "IX",
    ]
    dropped = [
        (e.text, e.fragments[0].page) for e in document.elements if e.drop and e.drop.kind == "page_furniture"
    ]
    assert dropped == [(str(page), page) for page in range(2, 28)]
    assert all(
        a.fragments[0].page <= b.fragments[0].page for a, b in pairwise(document.elements) if not a.drop
    )
