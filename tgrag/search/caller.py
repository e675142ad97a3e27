"""Whoever waits for an answer: may hear it while it is written, and may leave."""

import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from typing import Literal, TypeVar

from pydantic import BaseModel, Field

from tgrag.errors import CallerLeft
from tgrag.search.quoting import readable

T = TypeVar("T")


class Delta(BaseModel):
    """The answer goes on with this text."""

    event: Literal["delta"] = Field("delta", exclude=True)
    text: str


class Restart(BaseModel):
    """The text so far is void and the answer begins anew: a quote in it was not found, or its model failed."""

    event: Literal["restart"] = Field("restart", exclude=True)


Event = Delta | Restart


class Caller:
    """One question's. emit: takes what there is to hear, from any thread, one thing at a time.

    ``leave`` may be called from any thread, at any time, also when the answer is complete.
    """

    def __init__(self, emit: Callable[[Event], None] | None = None) -> None:
        self.hears = emit is not None
        self.tell = emit or (lambda event: None)
        self._written = self._shown = ""
        self._lock = threading.Lock()
        self._left = False
        self._work: Future[object] | None = None

    # --- what is heard: the deltas since the last restart are the answer's text ------------------------

    def begun(self) -> None:
        """A request goes to the model: what was heard of one before is void."""
        if self._shown:
            self.tell(Restart())
        self._written = self._shown = ""

    def piece(self, text: str) -> None:
        """The model's answer goes on with this text."""
        self._written += text
        self._show(readable(self._written))

    def complete(self, answer: str) -> None:
        """Tell what is not told yet of the answer, line by line; all of it when it is another than was told."""
        if not answer.startswith(self._shown):
            self.begun()
        for line in answer[len(self._shown) :].splitlines(keepends=True):
            self._show(self._shown + line)

    def _show(self, text: str) -> None:
        if new := text[len(self._shown) :]:
            self._shown = text
            self.tell(Delta(text=new))

    # --- leaving -----------------------------------------------------------------------------------------

    def leave(self) -> None:
        """Give up the work that is waited for; what would come after it is not begun."""
        with self._lock:
            self._left = True
            if self._work:
                self._work.cancel()

    def stay(self) -> None:
        """Raise CallerLeft when nobody waits any more."""
        if self._left:
            raise CallerLeft("nobody waits for the answer any more")

    def wait(self, work: "Future[T]") -> T:
        """Return what the work comes to. Raises CallerLeft, and what it raises."""
        with self._lock:
            self._work = work  # type: ignore[assignment]  # a future is only read
            if self._left:
                work.cancel()
        try:
            return work.result()
        except CancelledError:
            raise CallerLeft("nobody waits for the answer any more") from None
