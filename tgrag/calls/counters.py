"""What calls came to: plain numbers that can be summed over workers."""

from dataclasses import astuple, dataclass


@dataclass(slots=True)
class Counters:
    """Every call asked for has one outcome: ``asked == saved + answered + failed + abandoned`` once all are over.

    saved: answered without the model, from the memo or by an equal call in flight. answered: new answers, paid for.
    failed: given up, after retries or without a try. abandoned: left by its caller.
    attempts: requests that the model saw, retries included. tokens_in, tokens_out: of new answers, as the server
    counts. seconds: that requests took at the model, summed, so that of two at once each counts in full.
    """

    asked: int = 0
    saved: int = 0
    answered: int = 0
    failed: int = 0
    abandoned: int = 0
    attempts: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0

    def __add__(self, other: "Counters") -> "Counters":
        return Counters(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))

    def __sub__(self, other: "Counters") -> "Counters":
        return Counters(*(a - b for a, b in zip(astuple(self), astuple(other), strict=True)))
