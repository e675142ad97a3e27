"""The garbage guard on every page and text of the development data, and on pages that are really broken."""

import random
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pypdfium2
import pytest

from tests.data import shared
from tests.unit.ingest.broken_texts import breaks
from tgrag.ingest.garbage import fault
from tgrag.ingest.text import clean
from tgrag.language import detect
from tgrag.records import LANGUAGES, Language

BROKEN = "ukodeksrf.pdf"
PART = 1_500
LENGTHS = (200, 400, PART)
PAGES_A_WAY = 100
_TAG = re.compile("<[^>]*>")
_TEXTS = (".txt", ".md", ".csv", ".html", ".xml", ".json", ".jsonl")


def pdf_pages() -> Iterator[tuple[str, str]]:
    for path in sorted(shared().rglob("*.pdf")):
        with pypdfium2.PdfDocument(path) as document:
            for number in range(len(document)):
                text = document[number].get_textpage().get_text_range()
                yield f"{path.name}#{number + 1}", clean(text)


def parts() -> Iterator[tuple[str, str]]:
    for path in sorted(path for path in shared().rglob("*") if path.suffix in _TEXTS):
        text = _TAG.sub(" ", _decoded(path).replace("\\n", "\n"))
        for start in range(0, len(text), PART):
            yield f"{path.name}@{start}", clean(text[start : start + PART])


def _decoded(path: Path) -> str:
    data = path.read_bytes()
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("cp1251", errors="replace")


@cache
def prose(language: Language) -> list[str]:
    """Return pages of running text in a language."""

    def is_prose(text: str) -> bool:
        n_letters = sum(map(str.isalpha, text))
        n_cyrillic = sum("\u0400" <= letter <= "\u04ff" for letter in text)
        own = n_letters - n_cyrillic if language == "en" else n_cyrillic
        return len(set(re.findall(r"[^\W\d_]{2,}", text))) > 20 and own > 0.95 * n_letters > 0.6 * len(text)

    pages = [*pdf_pages(), *parts()]
    return [
        text for name, text in pages if BROKEN not in name and is_prose(text) and detect(text) == language
    ]


@pytest.mark.long
def test_no_good_page_is_refused_and_no_broken_one_accepted() -> None:
    n_pages, refused = 0, {}
    for name, text in (*pdf_pages(), *parts()):
        n_pages += 1
        if reason := fault(text):
            refused[name] = reason
    print(f"{n_pages} pages and parts; refused: {refused}")
    assert set(refused) == {f"{BROKEN}#1", f"{BROKEN}#2"}


@pytest.mark.long
@pytest.mark.parametrize("length", LENGTHS)
def test_broken_pages_are_found(length: int) -> None:
    """A page of a few lines may pass now and then; a full one does not."""
    chosen = random.Random(length)
    n_pages = n_accepted = 0
    for language in LANGUAGES:
        good = [text for text in prose(language) if len(text) >= length]
        for way, broken in breaks(language).items():
            texts = [text[:length] for text in chosen.sample(good, min(PAGES_A_WAY, len(good)))]
            accepted = [text for text in texts if fault(clean(broken(text))) is None]
            n_pages, n_accepted = n_pages + len(texts), n_accepted + len(accepted)
            if accepted:
                print(
                    f"{language}, {way}, {length} characters: {len(accepted)} of {len(texts)} accepted: {accepted[0][:60]!r}"
                )
    print(
        f"{length} characters: {n_accepted} of {n_pages} broken pages accepted ({n_accepted / n_pages:.2%})"
    )
    assert n_accepted <= (0.03 if length < PART else 0.0) * n_pages
