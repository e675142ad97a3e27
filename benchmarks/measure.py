"""What the benchmarks share: CPU seconds on one core, peak memory of a fresh process, tables, signs of life."""

import multiprocessing
import os
import resource
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
_LEAST_SECONDS = 0.5
_MOST_REPEATS = 5


@dataclass(frozen=True)
class Peak:
    """seconds: CPU seconds of the call; mb: peak resident memory of the process; mb_before: before the call."""

    seconds: float
    mb: float
    mb_before: float


def on_one_core() -> None:
    """Bind this process to one of its cores, where the system can."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def timed(call: Callable[[], T]) -> tuple[float, T]:
    """Return the CPU seconds of a call, all threads counted, and what it gave; the least of some where it is short."""
    best, spent, n_repeats = float("inf"), 0.0, 0
    while n_repeats == 0 or (spent < _LEAST_SECONDS and n_repeats < _MOST_REPEATS):
        begun = time.process_time()
        given = call()
        seconds = time.process_time() - begun
        best, spent, n_repeats = min(best, seconds), spent + seconds, n_repeats + 1
    return best, given


def cpu_seconds(call: Callable[[], object]) -> float:
    return timed(call)[0]


def peak_of(call: Callable[[T], object], argument: T) -> Peak:
    """Call a module's function in a process of its own and return what it took. Its first call warms it up."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        return pool.apply(_measured, (call, argument))


def _measured(call: Callable[[T], object], argument: T) -> Peak:
    before = _peak_mb()
    begun = time.process_time()
    call(argument)
    return Peak(time.process_time() - begun, _peak_mb(), before)


def _peak_mb() -> float:
    """Return the peak resident memory of this process's own program; ru_maxrss on Linux counts its parent's too."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) / 1e3
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def say(text: str) -> None:
    print(f"==> {text}", file=sys.stderr, flush=True)


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table; numbers are given three significant digits, None is left empty."""
    shown = [[_shown(cell) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in [list(heads), *shown]) for column in range(len(heads))]
    lines = [list(heads), ["-" * width for width in widths], *shown]
    return "\n".join("| " + " | ".join(map(str.ljust, line, widths)) + " |" for line in lines)


def _shown(cell: object) -> str:
    if cell is None:
        return ""
    return (
        f"{cell:.3g}"
        if isinstance(cell, float) and abs(cell) < 1000
        else f"{cell:.0f}"
        if isinstance(cell, float)
        else str(cell)
    )
