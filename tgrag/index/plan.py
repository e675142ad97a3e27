"""What a run does about the calls of its extraction."""

from dataclasses import dataclass, field

from tgrag.index.budget import Budget


@dataclass(frozen=True, slots=True)
class Plan:
    """retry: try again what has failed for good: all of it, or the calls of these keys.

    read_batch: a file of answers to take in; what is missing then waits for another batch or run. offline: make no call.
    dry: change nothing that is stored either.
    """

    budget: Budget = field(default_factory=Budget)
    retry: bool | frozenset[str] = False
    read_batch: str | None = None
    offline: bool = False
    dry: bool = False

    @property
    def asks(self) -> bool:
        return not self.offline and self.read_batch is None and self.budget.calls != 0
