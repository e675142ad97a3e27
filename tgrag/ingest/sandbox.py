"""Parsing in a process of its own, so that a file which hangs or eats the memory costs only itself.

A document may take long as long as page after page of it is read: the child counts the pages, the parent watches
the count.
"""

import ctypes
import logging
import multiprocessing
import os
import time
from concurrent.futures import TimeoutError as FutureTimeoutError
from pathlib import Path
from types import TracebackType
from typing import Self, cast

from pebble import ProcessExpired, ProcessFuture, ProcessPool

from tgrag.ingest.parse import parse
from tgrag.records import ParsedDocument
from tgrag.settings import ParseSettings

DOCUMENTS_A_PROCESS = 100  # then a fresh one: parsers grow
_LOOKS_A_LIMIT = 10  # how often the parent looks for new pages within the time that one may take
_MEGABYTE = 1_000_000
_PARSERS_MB = 600  # address space that Docling's modules take when a format needs them (545 measured)


class ParsingCrashed(Exception):
    """A document could not be parsed within its limits.

    transient: the fault may lie outside of the document (the process was killed), so that trying again is sane.
    """

    def __init__(self, reason: str, transient: bool) -> None:
        super().__init__(reason)
        self.reason = reason
        self.transient = transient


class ParsingPool:
    """Parses one document at a time in a child process. A context manager; leaves no child behind."""

    def __init__(self, settings: ParseSettings) -> None:
        self._settings = settings
        self._context = multiprocessing.get_context("spawn")
        self._pages = self._context.Value(
            ctypes.c_ulonglong, 0, lock=False
        )  # a killed child would keep a lock
        self._pool = self._opened()

    def _opened(self) -> ProcessPool:
        return ProcessPool(
            max_workers=1,
            max_tasks=DOCUMENTS_A_PROCESS,
            initializer=_prepare,
            initargs=(self._settings.memory_mb, self._pages),
            context=self._context,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the child process."""
        self._pool.stop()
        self._pool.join()

    def _renew(self) -> None:
        """Begin again with a new child: one whose memory ran out, or whose parser broke, may fail the next too."""
        self.close()
        self._pool = self._opened()

    def parse(self, name: str, data: bytes) -> ParsedDocument:
        """Read a file as ``tgrag.ingest.parse.parse`` does. Raises ParsingCrashed when it passes its limits."""
        limits = self._settings
        future = self._pool.schedule(_parse, args=(name, data, limits), timeout=limits.document_seconds)
        try:
            document = self._watched(future)
        except ParsingCrashed:
            raise
        except FutureTimeoutError:
            reason = f"not read within {limits.document_seconds:g} s; split the file or raise parse.document_seconds"
            raise ParsingCrashed(reason, transient=False) from None
        except MemoryError:
            self._renew()
            reason = (
                f"needs more than {limits.memory_mb} MB of memory; split the file or raise parse.memory_mb"
            )
            raise ParsingCrashed(reason, transient=False) from None
        except ProcessExpired as error:
            reason = f"the parsing process died ({error}); it is tried again by the next run"
            raise ParsingCrashed(reason, transient=True) from None
        except Exception as error:  # a fault of a parser's own: the document is to blame, the run is not
            self._renew()
            reason = f"the parser failed on it ({type(error).__name__}: {error}); save it in another format"
            raise ParsingCrashed(reason, transient=False) from error
        return document

    def _watched(self, future: ProcessFuture) -> ParsedDocument:
        """Wait for a document as long as it makes progress. Raises what ended its parsing."""
        limit = self._settings.timeout_seconds
        seen, since = self._pages.value, time.monotonic()
        while True:
            try:
                return cast(ParsedDocument, future.result(timeout=limit / _LOOKS_A_LIMIT))
            except FutureTimeoutError:
                if future.done():  # just now, or the limit of the whole document ended it
                    return cast(ParsedDocument, future.result())
            pages, now = self._pages.value, time.monotonic()
            if pages != seen or not future.running():  # a child may still be starting
                seen, since = pages, now
            elif now - since > limit:
                future.cancel()
                reason = f"the next page was not read within {limit:g} s; split the file or raise parse.timeout_seconds"
                raise ParsingCrashed(reason, transient=False)


_pages: ctypes.c_ulonglong  # of the child: counts what it has read


def _prepare(memory_mb: int, pages: ctypes.c_ulonglong) -> None:
    """Limit the address space to memory_mb beyond the process and the parsers that it may yet load."""
    global _pages
    _pages = pages
    logging.getLogger("docling").setLevel(logging.CRITICAL)
    status = Path("/proc/self/statm")
    if status.exists():  # Linux; elsewhere only the time is limited
        import resource

        used = int(status.read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        limit = used + (_PARSERS_MB + memory_mb) * _MEGABYTE
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _parse(name: str, data: bytes, settings: ParseSettings) -> ParsedDocument:
    return parse(name, data, settings, _count_page)


def _count_page() -> None:
    _pages.value += 1
