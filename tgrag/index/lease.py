"""One writer a collection: a lease with heartbeat and expiry.

Lease objects are numbered; the highest number is the lease. Taking it is creating the next number, which only
one of several takers can. A holder that lives renews its own object; a lease is free when it was released,
when it expired, or when its process is known to be dead on this very machine.
"""

import json
import os
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import TracebackType

from tgrag.errors import LeaseHeld, StorageError
from tgrag.store.root import Root

POLL_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a lease. expires_at: seconds since the epoch; started: of the process, in the kernel's ticks."""

    purpose: str
    host: str
    pid: int
    started: int
    expires_at: float
    released: bool = False

    def __str__(self) -> str:
        return f"{self.purpose} (process {self.pid} on {self.host})"


class Lease:
    """Context manager. Raises LeaseHeld, naming the holder, when another run keeps it beyond ``wait_seconds``."""

    def __init__(
        self,
        root: Root,
        collection: str,
        purpose: str,
        *,
        lease_seconds: float,
        wait_seconds: float = 0.0,
        report: Callable[[str], None] = lambda line: None,
    ) -> None:
        self._root = root
        self._folder = f"{collection}/lease"
        self._seconds = lease_seconds
        self._wait_seconds = wait_seconds
        self._report = report
        self._holder = Holder(purpose, socket.gethostname(), os.getpid(), _process_start(os.getpid()), 0.0)
        self._number = 0
        self._stop = threading.Event()
        self._lost = threading.Event()
        self._heart = threading.Thread(target=self._beat, name="lease", daemon=True)

    def __enter__(self) -> "Lease":
        deadline = time.monotonic() + self._wait_seconds
        told = False
        while not self._take():
            holder = self._current()[1]
            if time.monotonic() >= deadline:
                raise LeaseHeld(
                    f"{holder or 'another run'} is writing to this collection; "
                    "wait for it to end, or let this run wait with --wait SECONDS"
                )
            if not told:
                self._report(f"waiting for {holder} to end")
                told = True
            time.sleep(POLL_SECONDS)
        self._heart.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._heart.join()
        try:
            self._write(replace(self._holder, released=True))
        except StorageError as error:  # what this run did stands; the lease expires by itself
            self._report(f"cannot release the lease, it expires in {self._seconds:g} s: {error.message}")

    def check(self) -> None:
        """Raise LeaseHeld when another run has taken over, because this one showed no sign of life for too long."""
        number, holder = self._current()
        if number != self._number:
            raise LeaseHeld(
                f"{holder} took over because this run showed no sign of life; nothing was published"
            )

    def heeded(self, report: Callable[[str], None]) -> Callable[[str], None]:
        """Return a report of progress that raises LeaseHeld once another run has taken over, so that work ends there.

        (It does after this run stood still for longer than the lease lasts.)
        """

        def report_or_end(line: str) -> None:
            if self._lost.is_set():
                self.check()
            report(line)

        return report_or_end

    def _take(self) -> bool:
        number, holder = self._current()
        if holder is not None and not _is_free(holder):
            return False
        candidate = replace(self._holder, expires_at=time.time() + self._seconds)
        if not self._root.create(self._path(number + 1), _encode(candidate)):
            return False
        if (
            self._current()[0] != number + 1
        ):  # a number that was free again, as later holders had tidied it up
            self._root.delete(self._path(number + 1))
            return False
        self._number, self._holder = number + 1, candidate
        for info in self._root.objects(self._folder):
            if info.path < self._path(self._number):
                self._root.delete(info.path)
        return True

    def _current(self) -> tuple[int, Holder | None]:
        infos = self._root.objects(self._folder)
        if not infos:
            return 0, None
        path = infos[-1].path
        try:
            return _number(path), Holder(**json.loads(self._root.read(path)))
        except FileNotFoundError:  # the next holder has just tidied up: look again
            return self._current()
        except (ValueError, TypeError):  # damaged: nobody can be named as its holder, so it is free
            return _number(path), None

    def _beat(self) -> None:
        while not self._stop.wait(self._seconds / 3):
            try:
                if not self._write(self._holder):
                    self._lost.set()
            except StorageError as error:
                self._report(f"cannot renew the lease, will try again: {error.message}")

    def _write(self, holder: Holder) -> bool:
        """Renew the lease and return True, unless another run has taken it over: the highest number is its own."""
        if self._current()[0] != self._number:
            return False
        renewed = replace(holder, expires_at=time.time() + self._seconds)
        self._root.write(self._path(self._number), _encode(renewed))
        return True

    def _path(self, number: int) -> str:
        return f"{self._folder}/{number:010}.json"


def _number(path: str) -> int:
    return int(path.rsplit("/", 1)[-1].removesuffix(".json"))


def _encode(holder: Holder) -> bytes:
    return json.dumps(asdict(holder)).encode()


def _is_free(holder: Holder) -> bool:
    if holder.released or holder.expires_at < time.time():
        return True
    return holder.host == socket.gethostname() and _process_start(holder.pid) != holder.started


def _process_start(pid: int) -> int:
    """Return when a process of this machine started, in clock ticks since boot; -1 when it does not run."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except (FileNotFoundError, ProcessLookupError):
        return -1 if Path("/proc/self").exists() else 0
    return -1 if fields[0] == "Z" else int(fields[19])
