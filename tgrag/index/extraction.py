"""The extraction stage: from text units to what each says, by language model, by fast extraction, or by both.

With ``extract.method = llm`` the stage reads where every unit stands, asks what is missing as far as the budget goes,
and reads again. A unit that has no answers in the end, failed or not yet asked, gets the fast extraction.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tgrag.index.answers import Overlooking
from tgrag.index.asking import Asking
from tgrag.index.assemble import UsedAnswer
from tgrag.index.batch import Pending, Taken, pending_calls, read_batch, write_batch
from tgrag.index.budget import Budget
from tgrag.index.manifest import ExtractionCounts, StageCost
from tgrag.index.picked import Picked
from tgrag.index.plan import Plan
from tgrag.index.read_units import read_all
from tgrag.index.readings import Answers, Marked, Readings
from tgrag.index.stages import extract_all
from tgrag.index.walk import UnitMethod, UnitTasks, tasks_of
from tgrag.models.chat_wire import identity_of
from tgrag.records import DeadLetter, Extraction, TextUnit
from tgrag.store.keys import Keys
from tgrag.store.spool import Spooled


@dataclass(frozen=True, slots=True)
class Extracted:
    """extractions: by text_unit_id, read from a scratch file. waiting: text units with calls that another run makes.

    answers: those that text units used, in the order of the units. taken: what became of a batch file, as far as
    text units go.
    """

    extractions: Mapping[str, Extraction]
    letters: list[DeadLetter] = field(default_factory=list)
    answers: Iterable[UsedAnswer] = ()
    counts: ExtractionCounts = field(default_factory=ExtractionCounts)
    waiting: Set[str] = frozenset()
    taken: Taken | None = None


def extract_units(units: Sequence[TextUnit], asking: Asking, plan: Plan, cost: StageCost) -> Extracted:
    """Extract from text units as the settings say. cost: what it comes to.

    The units are read a few at a time, so they may lie anywhere; of each, tens of bytes are kept.
    """
    settings = asking.settings
    if settings.extract.method == "fast":
        keys = Keys(unit.text_unit_id for unit in units)
        extractions: Spooled[Extraction] = Spooled(Extraction, "text_unit_id", keys)
        for table in extract_all(units, settings.extract, settings.index.workers, asking.report):
            extractions.put(table)
        return Extracted(extractions, counts=ExtractionCounts(fast=len(units)))
    stage = LlmExtraction(units, asking)
    stage.prepare(plan)
    if plan.asks:
        stage.ask(plan.budget, cost)
    found = stage.result()
    cost.failed = found.counts.failed
    return found


class LlmExtraction:
    """The extraction of some units by language model."""

    def __init__(self, units: Sequence[TextUnit], asking: Asking) -> None:
        self._units, self._asking, self._settings = units, asking, asking.settings
        settings = asking.settings
        self._method = UnitMethod(identity_of(settings.chat), settings.extract)
        self._tasks = tasks_of(units, settings.extract.context_sentences)
        self._readings = Readings(unit.text_unit_id for unit in units)
        self._retried = np.zeros(len(units), np.bool_)
        self._overlooked: set[str] = set()
        self._taken: Taken | None = None
        self._read(self._tasks)

    def prepare(self, plan: Plan) -> None:
        """Take in a batch file and forget what shall be tried again."""
        if plan.read_batch:
            owners = {call.key: call.owner for call in self.pending()}
            self._taken = read_batch(plan.read_batch, owners, self._asking.memo())
            self._read(self.missing())
        if plan.retry:
            self._try_again(None if plan.retry is True else plan.retry, plan.dry)

    def missing(self) -> UnitTasks:
        """Return the units with calls to make, in the order of asking."""
        return self._tasks.where(self._waiting)

    def pending(self) -> Iterator[Pending]:
        """Return the calls to make next, in the order of asking."""
        memo = Overlooking(self._asking.memo(), self._overlooked)
        return pending_calls(self.missing(), memo, self._method)

    def write_batch(self, path: str) -> int:
        """Write the calls to make next as a batch file; return how many those are."""
        return write_batch(path, self.pending(), self._method.identity)

    def ask(self, budget: Budget, cost: StageCost) -> None:
        """Make the calls that are missing, as far as the budget goes."""
        tasks = self.missing()
        cost.saved = self._readings.total("n_answers")
        n_calls = self._readings.total("n_missing")
        self._asking.ask("extract", tasks, n_calls, self._method, budget, cost)
        self._read(tasks)
        cost.anew = int(self._readings.done[tasks.numbers].sum())

    def result(self, *, waiting_too: bool = True) -> Extracted:
        """Return the extractions: fast ones where there are no answers.

        waiting_too: without it none of the text units that wait for calls.
        """
        readings, settings = self._readings, self._settings
        others, waiting = ~readings.done, self._waiting
        wanted = Picked(self._units, np.flatnonzero(others if waiting_too else others & ~waiting))
        for table in extract_all(wanted, settings.extract, settings.index.workers, self._asking.report):
            readings.extractions.put(table)
        letters = {}
        for number, fault in readings.faults():
            owner = self._units[number].document_id
            letters[fault.key] = self._asking.dead_letter("extract", owner, fault)
        counts = ExtractionCounts(
            llm=int(readings.done.sum()),
            fast=int(others.sum()),
            failed=int((readings.counts["n_faults"] > 0).sum()),
            waiting=int(waiting.sum()),
            dropped=readings.total("dropped", readings.done),
            stubs=readings.total("stubs", readings.done),
        )
        return Extracted(
            readings.extractions,
            sorted(letters.values(), key=lambda d: (d.source, d.key)),
            Answers(readings.accounts),
            counts,
            Marked(readings, waiting),
            self._taken,
        )

    @property
    def _waiting(self) -> NDArray[np.bool_]:
        return (self._readings.counts["n_missing"] > 0) | self._retried

    def _try_again(self, chosen: frozenset[str] | None, dry: bool) -> None:
        """Forget what keeps units from being done: all of it, or that of the faults with these keys.

        dry: it stays stored, and ``pending`` overlooks it.
        """
        faulty = np.zeros(len(self._units), np.bool_)
        keys: set[str] = set()
        for number, fault in self._readings.faults():
            if chosen is None or fault.key in chosen:
                faulty[number] = True
                keys.update(fault.forget)
        if dry:
            self._retried, self._overlooked = faulty, keys
        elif keys:
            self._asking.memo().forget(keys)
            self._read(self._tasks.where(faulty))

    def _read(self, tasks: UnitTasks) -> None:
        asking, workers = self._asking, self._settings.index.workers
        for table in read_all(tasks, asking.root.address, asking.collection, self._method, workers):
            self._readings.take(table)
