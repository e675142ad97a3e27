"""How far two clocks are apart, as far as it can be known, and what that breaks."""

from tgrag.doctor.findings import Finding, failed, ok, warning

NOTICEABLE_SECONDS = 2.0


def apart(before: float, there: float, after: float, precision: float = 0.0) -> float:
    """Return how many seconds another clock is off at least, when it was read between two moments of this one.

    precision: the other clock's time lies in [there, there + precision].
    """
    return max(before - (there + precision), there - after, 0.0)


def clock(of: str, seconds: float, breaks_at: float, consequence: str) -> Finding:
    """seconds: off at least; breaks_at: from where on the consequence is met."""
    check, found = f"clock: {of}", f"off by {seconds:.0f} s or more"
    if seconds >= breaks_at:
        return failed(check, found, f"set the clocks by NTP: {consequence}")
    if seconds >= NOTICEABLE_SECONDS:
        return warning(check, found, f"set the clocks by NTP: from {breaks_at:g} s on {consequence}")
    return ok(check, "in step")
