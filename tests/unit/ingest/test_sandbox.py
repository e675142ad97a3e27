import os
import signal
import sys
import time
from collections.abc import Iterator

import pytest

from tests.unit.ingest.samples import RUSSIAN
from tgrag.ingest import sandbox
from tgrag.ingest.sandbox import ParsingCrashed, ParsingPool
from tgrag.records import ParsedDocument
from tgrag.settings import ParseSettings


def hang(name: str, data: bytes, settings: ParseSettings) -> ParsedDocument:
    time.sleep(600)
    raise AssertionError(name)


def devour(name: str, data: bytes, settings: ParseSettings) -> ParsedDocument:
    raise AssertionError(len(bytearray(2_000_000_000)))


def die(name: str, data: bytes, settings: ParseSettings) -> ParsedDocument:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError(name)


def fail(name: str, data: bytes, settings: ParseSettings) -> ParsedDocument:
    raise IndexError("inside")


hoard: list[bytearray] = []


def leak(name: str, data: bytes, settings: ParseSettings) -> ParsedDocument:
    hoard.append(bytearray(1_200_000_000))
    raise MemoryError


def fill(name: str, data: bytes, settings: ParseSettings) -> ParsedDocument:
    return ParsedDocument(status="ok", title=name, n_pages=len(bytearray(1_200_000_000)))


def read_slowly(name: str, data: bytes, settings: ParseSettings) -> ParsedDocument:
    for _ in range(60):
        time.sleep(0.1)
        sandbox._count_page()
    return ParsedDocument(status="ok", title=name)


def named(name: str, data: bytes, settings: ParseSettings) -> ParsedDocument:
    return ParsedDocument(status="ok", title=name)


@pytest.fixture(scope="module")
def pool() -> Iterator[ParsingPool]:
    with ParsingPool(ParseSettings(timeout_seconds=300, memory_mb=1000)) as pool:
        yield pool


@pytest.mark.parametrize(
    ("trouble", "says", "transient"),
    [(devour, "1000 MB", False), (die, "died", True), (fail, "IndexError", False)],
)
def test_trouble_costs_only_its_document(
    pool: ParsingPool, monkeypatch: pytest.MonkeyPatch, trouble: object, says: str, transient: bool
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(sandbox, "_parse", trouble)
        with pytest.raises(ParsingCrashed, match=says) as caught:
            pool.parse("a.txt", b"x")
    assert caught.value.transient is transient
    assert pool.parse("a.txt", RUSSIAN.encode()).elements[0].text == RUSSIAN


def test_a_parser_that_hangs_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "_parse", hang)
    with (
        ParsingPool(ParseSettings(timeout_seconds=0.5)) as pool,
        pytest.raises(ParsingCrashed, match="not read within"),
    ):
        pool.parse("a.txt", b"x")


def test_a_long_document_may_take_its_time_page_by_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "_parse", read_slowly)
    with ParsingPool(ParseSettings(timeout_seconds=3)) as pool:
        assert pool.parse("a.txt", b"x").title == "a.txt"


def test_pages_without_end_are_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "_parse", read_slowly)
    with (
        ParsingPool(ParseSettings(timeout_seconds=60, document_seconds=1)) as pool,
        pytest.raises(ParsingCrashed, match=r"within 1 s; .* parse\.document_seconds"),
    ):
        pool.parse("a.txt", b"x")


def test_a_pool_goes_on_after_a_document_that_hung(monkeypatch: pytest.MonkeyPatch) -> None:
    with ParsingPool(ParseSettings(timeout_seconds=2)) as pool:
        with monkeypatch.context() as patch:
            patch.setattr(sandbox, "_parse", hang)
            with pytest.raises(ParsingCrashed, match="the next page was not read within 2 s"):
                pool.parse("a.txt", b"x")
        monkeypatch.setattr(sandbox, "_parse", named)
        assert pool.parse("b.txt", b"x").title == "b.txt"


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux only")
def test_a_child_whose_memory_ran_out_reads_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    with ParsingPool(ParseSettings(memory_mb=1500)) as pool:
        with monkeypatch.context() as patch:
            patch.setattr(sandbox, "_parse", leak)
            with pytest.raises(ParsingCrashed, match="1500 MB"):
                pool.parse("a.txt", b"x")
        monkeypatch.setattr(sandbox, "_parse", fill)
        assert pool.parse("b.txt", b"x").status == "ok"


def test_no_child_is_left_behind() -> None:
    with ParsingPool(ParseSettings()) as pool:
        pool.parse("a.txt", RUSSIAN.encode())
        (worker,) = pool._pool._pool_manager.worker_manager.workers
        os.kill(worker, 0)
    with pytest.raises(ProcessLookupError):
        os.kill(worker, 0)
