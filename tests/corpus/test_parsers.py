"""Every file of two real collections of odd files is read, or refused with a reason, within its limits."""

import resource
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.data import shared
from tgrag.ingest.sandbox import ParsingPool
from tgrag.settings import ParseSettings

# Files that hold no text a reader could use: everything else has to be read.
UNREADABLE = {
    "broken.docx": "damaged",
    "caps_1.docx": "only headings",
    "diagram_1.docx": "no text",
    "hyperlink_02.html": "only headings",
    "unit_test_01.html": "only headings",
    "ukodeksrf.pdf": "cannot be copied",
}
UNREAD_SUFFIXES = {".doc": "old binary format", ".odt": "OpenDocument"}


@pytest.fixture(scope="module")
def pool() -> Iterator[ParsingPool]:
    with ParsingPool(ParseSettings()) as pool:
        yield pool


@pytest.mark.long
@pytest.mark.parametrize("collection", ["parser_docling", "parser_dedoc"])
def test_every_file_is_read_or_refused(collection: str, pool: ParsingPool) -> None:
    folder = shared(collection)
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    seconds: dict[Path, float] = {}
    for path in files:
        begun = time.monotonic()
        document = pool.parse(path.name, path.read_bytes())
        seconds[path] = time.monotonic() - begun
        expected = UNREADABLE.get(path.name) or UNREAD_SUFFIXES.get(path.suffix)
        assert (document.status == "failed") == bool(expected), f"{path}: {document.reason}"
        if expected:
            assert expected in (document.reason or "")
            print(f"{path.relative_to(folder)}: {document.reason}")
    print(f"{len(files)} files in {sum(seconds.values()):.1f} s; the slowest:")
    for path in sorted(files, key=lambda path: -seconds[path])[:5]:
        print(f"{seconds[path]:6.2f} s  {path.relative_to(folder)}")


@pytest.mark.long
def test_pdf_pages_cost_little() -> None:
    """Printed, not asserted: CPU seconds a page (the limit is 0.5)."""
    from tgrag.ingest.parse import parse

    for path in sorted(shared("unlp2026_uk", "pdf").glob("*.pdf")):
        begun = resource.getrusage(resource.RUSAGE_SELF).ru_utime
        document = parse(path.name, path.read_bytes())
        spent = resource.getrusage(resource.RUSAGE_SELF).ru_utime - begun
        assert document.status == "ok", document.reason
        assert all(element.fragments[0].page for element in document.elements)
        print(f"{spent / (document.n_pages or 1):.3f} CPU s a page, {document.n_pages} pages: {path.name}")
