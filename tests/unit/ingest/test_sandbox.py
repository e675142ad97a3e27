import os
import signal
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


def test_no_child_is_left_behind() -> None:
    with ParsingPool(ParseSettings()) as pool:
        pool.parse("a.txt", RUSSIAN.encode())
        (worker,) = pool._pool._pool_manager.worker_manager.workers
        os.kill(worker, 0)
    with pytest.raises(ProcessLookupError):
        os.kill(worker, 0)
