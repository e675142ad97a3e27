"""How far a stage is, in lines for a person."""

import time
from collections.abc import Callable

from tgrag.metrics import tell

PROGRESS_SECONDS = 2.0

Report = Callable[[str], None]


class Progress:
    """Reports how far a stage is, at most every two seconds and once at its end.

    work: what the time left is reckoned by, where items differ in size; the number of items without it. It is
    reckoned from the first result on: until then workers start, which says nothing of their speed.
    """

    def __init__(self, stage: str, total: int, noun: str, report: Report, work: int | None = None) -> None:
        self._stage, self._total, self._noun, self._report = stage, total, noun, report
        self._work = total if work is None else work
        self._done = self._work_done = 0
        self._begun = self._told = time.monotonic()
        self._first: tuple[float, int] | None = None
        if total:
            report(f"{stage}: {total:,} {noun}")

    def add(self, n: int, work: int | None = None) -> None:
        self._done += n
        self._work_done += n if work is None else work
        moment = time.monotonic()
        self._first = self._first or (moment, self._work_done)
        if self._done < self._total and moment - self._told < PROGRESS_SECONDS:
            return
        self._told = moment
        tell("tgrag_index_progress", self._work_done / max(1, self._work), stage=self._stage)
        seconds, work_done = moment - self._first[0], self._work_done - self._first[1]
        ending = ""
        if work_done and self._done < self._total:
            ending = f", about {seconds / work_done * (self._work - self._work_done):.0f} s left"
        self._report(
            f"{self._stage}: {self._done:,} of {self._total:,} {self._noun} in {moment - self._begun:.0f} s{ending}"
        )


class CallProgress:
    """Reports how far the calls of a stage are, at most every two seconds and once at the end.

    total: calls known to be needed when it begins; repairs and halves are found on the way. saved: stored before.
    """

    def __init__(self, stage: str, total: int, saved: int, report: Report) -> None:
        self._stage, self._total, self._saved, self._report = stage, total, saved, report
        self._begun = self._told = time.monotonic()
        self._first: tuple[float, int, int] | None = None
        if total:
            report(f"{stage}: {total:,} calls to make, {saved:,} answers saved")

    def tell(self, done: int, failed: int, found: int, tokens: int, *, last: bool = False) -> None:
        """done: calls made so far. found: calls that answers so far have made needed beside the total."""
        moment, total = time.monotonic(), self._total + found
        self._first = self._first or (moment, done, tokens)
        if not last and moment - self._told < PROGRESS_SECONDS:
            return
        self._told = moment
        tell("tgrag_index_progress", done / max(1, total), stage=self._stage)
        seconds = moment - self._first[0]
        pace = ""
        if seconds and done > self._first[1]:
            pace = f", {(tokens - self._first[2]) / seconds:,.0f} tokens/s"
            if not last and done < total:
                left = seconds / (done - self._first[1]) * (total - done)
                pace += f", about {left:.0f} s left"
        self._report(
            f"{self._stage}: {done:,} of {total:,} calls, {self._saved:,} saved, {failed:,} failed, "
            f"{moment - self._begun:.0f} s{pace}"
        )
