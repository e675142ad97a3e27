"""What a language model is asked about things of one kind: where each stands, which calls are missing, what failed."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from tgrag.index.answers import Overlooking
from tgrag.index.asking import Asking
from tgrag.index.assemble import UsedAnswer
from tgrag.index.batch import Pending, Taken, pending_calls, read_batch
from tgrag.index.budget import Budget
from tgrag.index.manifest import StageCost
from tgrag.index.plan import Plan
from tgrag.index.read_units import Fault, digest, faults
from tgrag.index.standing import Method, Task
from tgrag.records import DeadLetter

A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class Answered(Generic[A]):
    """Where a thing stands. said: when it is done. n_missing: calls that the next asking makes."""

    said: A | None
    owner: str
    answers: tuple[UsedAnswer, ...]
    n_missing: int
    faults: tuple[Fault, ...]


class Inquiry(Generic[A]):
    """The calls of a stage about things known by an id.

    order: of asking; a thing to ask nothing about is left out. task_of: what is asked about one, made when needed; None
    for a thing of which nothing can be asked yet.
    """

    def __init__(
        self,
        stage: str,
        order: Sequence[str],
        task_of: Callable[[str], Task | None],
        method: Method,
        asking: Asking,
    ) -> None:
        self._stage, self._order, self._task_of = stage, order, task_of
        self._method, self._asking = method, asking
        self._memo = asking.memo()
        self._retried: set[str] = set()
        self._overlooked: set[str] = set()
        self.readings: dict[str, Answered[A]] = {}
        self._read(order)

    def prepare(self, plan: Plan, taken: Taken | None) -> Taken | None:
        """Take in a batch file that was read for other calls before, and forget what shall be tried again.

        taken: what became of the file so far; returned with what became of it here.
        """
        if plan.read_batch and taken:
            owners = {call.key: call.owner for call in self.pending()}
            taken = taken.followed_by(read_batch(plan.read_batch, owners, self._memo))
            self._read(self.missing())
        if plan.retry:
            self._try_again(None if plan.retry is True else plan.retry, plan.dry)
        return taken

    def missing(self) -> list[str]:
        readings = self.readings
        return [
            key
            for key in self._order
            if key in self._retried or (key in readings and readings[key].n_missing)
        ]

    def pending(self) -> Iterator[Pending]:
        """Return the calls to make next, in the order of asking."""
        memo = Overlooking(self._memo, self._overlooked)
        return pending_calls((task for _, task in self._tasks(self.missing())), memo, self._method)

    def ask(self, budget: Budget, cost: StageCost) -> list[str]:
        """Make the calls that are missing, as far as the budget goes; return what was finished by them."""
        missing = self.missing()
        cost.saved = sum(len(reading.answers) for reading in self.readings.values())
        n_calls = sum(reading.n_missing for reading in self.readings.values())
        tasks = [task for _, task in self._tasks(missing)]
        self._asking.ask(self._stage, tasks, n_calls, self._method, budget, cost)
        self._memo = self._asking.memo()
        self._read(missing)
        anew = [key for key in missing if self.readings[key].said is not None]
        cost.anew = len(anew)
        return anew

    @property
    def n_failed(self) -> int:
        return sum(bool(reading.faults) for reading in self.readings.values())

    @property
    def n_waiting(self) -> int:
        return sum(bool(reading.n_missing) for reading in self.readings.values())

    def letters(self) -> list[DeadLetter]:
        found = {
            fault.key: self._asking.dead_letter(self._stage, reading.owner, fault)
            for reading in self.readings.values()
            for fault in reading.faults
        }
        return sorted(found.values(), key=lambda letter: (letter.source, letter.key))

    def answers(self) -> list[UsedAnswer]:
        return [answer for reading in self.readings.values() for answer in reading.answers]

    def said(self) -> Mapping[str, A]:
        """Return what the answers say, by id, in the order of asking."""
        return {
            key: reading.said
            for key in self._order
            if (reading := self.readings.get(key)) and reading.said is not None
        }

    def _tasks(self, keys: Iterable[str]) -> Iterator[tuple[str, Task]]:
        for key in keys:
            task = self._task_of(key)
            if task is not None:
                yield key, task

    def _read(self, keys: Iterable[str]) -> None:
        for key, task in self._tasks(keys):
            found = self._method.standing(task, self._memo.get)
            self.readings[key] = Answered(
                said=found.said[0] if found.done else None,
                owner=task.owner,
                answers=tuple(
                    UsedAnswer(task.owner, key, answer, digest(reply)) for answer, reply in found.answers
                ),
                n_missing=sum(self._memo.is_outstanding(ask.key) for ask in found.next),
                faults=faults(found, self._memo),
            )

    def _try_again(self, chosen: frozenset[str] | None, dry: bool) -> None:
        """Forget what keeps things from being done: all of it, or that of the faults with these keys.

        dry: it stays stored, and ``pending`` overlooks it.
        """
        wanted = {
            key: {
                forgotten
                for fault in reading.faults
                if chosen is None or fault.key in chosen
                for forgotten in fault.forget
            }
            for key, reading in self.readings.items()
        }
        keys = set().union(*wanted.values())
        again = [key for key in self._order if wanted.get(key)]
        if dry:
            self._retried, self._overlooked = set(again), keys
        elif keys:
            self._memo.forget(keys)
            self._read(again)
