"""Every file of two real collections of odd files is read, or refused with a reason, within its limits."""

import resource
import time
from pathlib import Path

import pytest

from tests.corpus.parsers_table import COLLECTIONS, came_of, expectations, faults, files, name_of
from tests.data import shared
from tgrag.ingest.sandbox import ParsingPool
from tgrag.settings import ParseSettings


@pytest.mark.long
def test_every_file_gives_what_was_expected() -> None:
    for collection in COLLECTIONS:
        shared(collection)
    known = expectations()
    wrong = {name_of(path): faults(known[name_of(path)], came_of(path)) for path in files()}
    assert set(wrong) == set(known)
    assert {name: found for name, found in wrong.items() if found} == {}


@pytest.mark.long
@pytest.mark.parametrize("collection", COLLECTIONS)
def test_the_sandbox_reads_every_file_within_its_limits(collection: str) -> None:
    known = expectations()
    folder = shared(collection)
    seconds: dict[Path, float] = {}
    with ParsingPool(ParseSettings()) as pool:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            begun = time.monotonic()
            document = pool.parse(path.name, path.read_bytes())
            seconds[path] = time.monotonic() - begun
            assert known[name_of(path)].refused in (document.reason or ""), f"{path}: {document.reason}"
            assert bool(known[name_of(path)].refused) == (document.status == "failed"), (
                f"{path}: {document.reason}"
            )
    print(f"{len(seconds)} files in {sum(seconds.values()):.1f} s; the slowest:")
    for path in sorted(seconds, key=lambda path: -seconds[path])[:5]:
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
