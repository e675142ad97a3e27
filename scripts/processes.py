"""The demo's processes: find them, wait for them, end them and no others.

alive PID HOME | end PID HOME | wait URL SECONDS PID | free NAME=PORT…
"""

import os
import socket
import sys
import time
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path

import ray  # noqa: F401  (brings its own psutil)

import psutil  # isort: skip

PATIENCE = 10  # seconds for each of: an orderly end, then a demanded one


def is_ours(process: psutil.Process, home: str) -> bool:
    """Tell whether a process names the demo's private folder, which no other process does."""
    try:
        return any(home in argument for argument in process.cmdline())
    except (psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess):
        return False


def head(pid: int, home: str) -> psutil.Process | None:
    try:
        process = psutil.Process(pid)
    except psutil.NoSuchProcess:
        return None
    return process if is_ours(process, home) else None


def family(pid: int, home: str) -> list[psutil.Process]:
    """Return the head and its descendants first, then what names the folder but lost its parent, with its own."""
    roots = [
        process for process in psutil.process_iter() if is_ours(process, home) and process.pid != os.getpid()
    ]
    roots.sort(key=lambda process: process.pid != pid)
    found: dict[int, psutil.Process] = {}
    for process in roots:
        try:
            found.update({p.pid: p for p in (process, *process.children(recursive=True))})
        except psutil.NoSuchProcess:
            continue
    return list(found.values())


def end(pid: int, home: str) -> None:
    members = family(pid, home)
    first = head(pid, home)
    if first:
        first.terminate()  # `ray start --block` ends what it started, in order
    left = still_running(members)
    for act in (psutil.Process.terminate, psutil.Process.kill):
        for process in left:
            with suppress(psutil.NoSuchProcess):
                act(process)
        left = still_running(left)
    if left:
        sys.exit(f"error: still running: {', '.join(str(process.pid) for process in left)}")
    print(f"ended {len(members)} processes")


def still_running(processes: list[psutil.Process]) -> list[psutil.Process]:
    """Wait until all have ended or patience has; return those that have not. A zombie has ended."""
    deadline = time.monotonic() + PATIENCE
    while processes and time.monotonic() < deadline:
        processes = [process for process in processes if is_alive(process)]
        time.sleep(0.1)
    return processes


def is_alive(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def wait(url: str, seconds: float, pid: int) -> None:
    """Return when the address answers with success, while the head lives."""
    request = urllib.request.Request(url, headers=token())
    begun = time.monotonic()
    shown = 0
    while time.monotonic() - begun < seconds and psutil.pid_exists(pid):
        try:
            urllib.request.urlopen(request, timeout=5).close()
        except (urllib.error.URLError, OSError):
            time.sleep(0.3)
        else:
            print(f"    {url} answers after {time.monotonic() - begun:.0f} s")
            return
        if time.monotonic() - begun > shown + 5:
            shown += 5
            print(f"    waiting for {url} ({shown} s)", flush=True)
    sys.exit(f"error: {url} did not answer")


def token() -> dict[str, str]:
    path = os.environ.get("RAY_AUTH_TOKEN_PATH")
    return {"Authorization": f"Bearer {Path(path).read_text().strip()}"} if path else {}


def free(assignments: list[str]) -> None:
    """Exit with a word on the first port that is taken."""
    for assignment in assignments:
        name, port = assignment.split("=")
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", int(port)))
            except OSError as error:
                sys.exit(
                    f"error: port {port} cannot be used ({error.strerror}); choose another: {name}=… scripts/demo"
                )


def main() -> None:
    match sys.argv[1:]:
        case ["alive", pid, home]:
            sys.exit(head(int(pid), home) is None)
        case ["end", pid, home]:
            end(int(pid), home)
        case ["wait", url, seconds, pid]:
            wait(url, float(seconds), int(pid))
        case ["free", *assignments]:
            free(assignments)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
