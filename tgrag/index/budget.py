"""What a run may spend on calls."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from tgrag.models.chat import ChatReply


@dataclass(frozen=True, slots=True)
class Budget:
    """None: without a limit. tokens: in and out together. until: seconds since the epoch."""

    calls: int | None = None
    tokens: int | None = None
    until: float | None = None

    @property
    def is_limited(self) -> bool:
        return (self.calls, self.tokens, self.until) != (None, None, None)

    def less(self, calls: int, tokens: int) -> "Budget":
        """Return what is left when so much is spent."""
        return Budget(
            None if self.calls is None else max(0, self.calls - calls),
            None if self.tokens is None else max(0, self.tokens - tokens),
            self.until,
        )


class Spending:
    """What is spent of a budget. What is in flight when it is used up ends, so tokens may pass their limit."""

    def __init__(self, budget: Budget, clock: Callable[[], float] = time.time) -> None:
        self._budget, self._clock = budget, clock
        self.calls = self.tokens = 0

    def begin(self) -> bool:
        """Say whether one more call may begin, and count it."""
        if (
            _reached(self.calls, self._budget.calls)
            or _reached(self.tokens, self._budget.tokens)
            or _reached(self._clock(), self._budget.until)
        ):
            return False
        self.calls += 1
        return True

    def end(self, reply: ChatReply) -> None:
        self.tokens += reply.tokens_in + reply.tokens_out


def _reached(spent: float, limit: float | None) -> bool:
    return limit is not None and spent >= limit
