"""The extraction stage: from text units to what each says, by language model, by fast extraction, or by both.

With ``extract.method = llm`` the stage reads where every unit stands, asks what is missing as far as the budget goes,
and reads again. A unit that has no answers in the end, failed or not yet asked, gets the fast extraction.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tgrag.index.answers import AnswerMemo
from tgrag.index.asking import ask_missing, dead_letter
from tgrag.index.assemble import UsedAnswer
from tgrag.index.batch import Pending, Taken, pending_calls, read_batch, write_batch
from tgrag.index.budget import Budget
from tgrag.index.manifest import ExtractionCounts, StageCost
from tgrag.index.plan import Plan
from tgrag.index.progress import Report
from tgrag.index.read_units import Reading, read_all
from tgrag.index.stages import extract_all
from tgrag.index.walk import UnitMethod, UnitTask, tasks_of
from tgrag.models.chat_wire import identity_of
from tgrag.records import DeadLetter, Extraction, TextUnit
from tgrag.settings import Settings
from tgrag.store.root import Root


@dataclass(frozen=True, slots=True)
class Extracted:
    """extractions: by text_unit_id. waiting: text units with calls that another run makes.

    taken: what became of a batch file, as far as text units go.
    """

    extractions: dict[str, Extraction]
    letters: list[DeadLetter] = field(default_factory=list)
    answers: list[UsedAnswer] = field(default_factory=list)
    counts: ExtractionCounts = field(default_factory=ExtractionCounts)
    waiting: frozenset[str] = frozenset()
    taken: Taken | None = None


def extract_units(
    units: Sequence[TextUnit],
    sources: Mapping[str, str],
    root: Root,
    collection: str,
    settings: Settings,
    plan: Plan,
    report: Report,
    cost: StageCost,
) -> Extracted:
    """Extract from text units as the settings say. sources: document_id -> source. cost: what it comes to."""
    if settings.extract.method == "fast":
        extractions = extract_all(units, settings.extract, settings.index.workers, report)
        return Extracted(extractions, counts=ExtractionCounts(fast=len(units)))
    stage = LlmExtraction(units, sources, root, collection, settings, report)
    stage.prepare(plan)
    if not plan.offline and plan.budget.calls != 0:
        stage.ask(plan.budget, cost)
    found = stage.result()
    cost.failed = found.counts.failed
    return found


class LlmExtraction:
    """The extraction of some units by language model.

    sources: document_id -> source, for dead letters.
    """

    def __init__(
        self,
        units: Sequence[TextUnit],
        sources: Mapping[str, str],
        root: Root,
        collection: str,
        settings: Settings,
        report: Report,
    ) -> None:
        self._units, self._sources = units, sources
        self._root, self._collection, self._settings, self._report = root, collection, settings, report
        self._method = UnitMethod(identity_of(settings.chat), settings.extract)
        self._tasks = tasks_of(units, settings.extract.context_sentences)
        self._readings: dict[str, Reading] = {}
        self._taken: Taken | None = None
        self._read(self._tasks)

    def prepare(self, plan: Plan) -> None:
        """Take in a batch file and forget what shall be tried again."""
        if plan.read_batch:
            owners = {call.key: call.owner for call in self.pending()}
            self._taken = read_batch(plan.read_batch, owners, self._memo())
            self._read(self.missing())
        if plan.retry:
            self._try_again(None if plan.retry is True else plan.retry)

    def missing(self) -> list[UnitTask]:
        """Return the units with calls to make, in the order of asking."""
        return [task for task in self._tasks if self._readings[task.unit.text_unit_id].n_missing]

    def pending(self) -> Iterator[Pending]:
        """Return the calls to make next, in the order of asking."""
        return pending_calls(self.missing(), self._memo(), self._method)

    def write_batch(self, path: str) -> int:
        """Write the calls to make next as a batch file; return how many those are."""
        return write_batch(path, self.pending(), self._method.identity)

    def ask(self, budget: Budget, cost: StageCost) -> None:
        """Make the calls that are missing, as far as the budget goes."""
        tasks = self.missing()
        cost.saved = sum(len(reading.answers) for reading in self._readings.values())
        n_calls = sum(reading.n_missing for reading in self._readings.values())
        ask_missing(
            "extract",
            tasks,
            n_calls,
            self._method,
            self._root,
            self._collection,
            self._settings,
            budget,
            self._report,
            cost,
        )
        self._read(tasks)
        cost.anew = sum(self._readings[task.unit.text_unit_id].done for task in tasks)

    def result(self, *, waiting_too: bool = True) -> Extracted:
        """Return the extractions: fast ones where there are no answers.

        waiting_too: without it none of the text units that wait for calls.
        """
        done = [reading for reading in self._readings.values() if reading.done]
        waiting = frozenset(reading.text_unit_id for reading in self._readings.values() if reading.n_missing)
        extractions = {reading.text_unit_id: reading.extraction for reading in done}
        others = [unit for unit in self._units if unit.text_unit_id not in extractions]
        wanted = [unit for unit in others if waiting_too or unit.text_unit_id not in waiting]
        extractions |= extract_all(wanted, self._settings.extract, self._settings.index.workers, self._report)
        owners = {unit.text_unit_id: unit.document_id for unit in self._units}
        letters = {
            fault.key: dead_letter("extract", owner, self._sources[owner], fault)
            for reading in self._readings.values()
            for owner in (owners[reading.text_unit_id],)
            for fault in reading.faults
        }
        counts = ExtractionCounts(
            llm=len(done),
            fast=len(others),
            failed=sum(bool(reading.faults) for reading in self._readings.values()),
            waiting=len(waiting),
            dropped=sum(reading.dropped for reading in done),
            stubs=sum(reading.stubs for reading in done),
        )
        return Extracted(
            extractions,
            sorted(letters.values(), key=lambda d: (d.source, d.key)),
            [answer for unit in self._units for answer in self._readings[unit.text_unit_id].answers],
            counts,
            waiting,
            self._taken,
        )

    def _try_again(self, chosen: frozenset[str] | None) -> None:
        """Forget what keeps units from being done: all of it, or that of the faults with these keys."""
        wanted = {
            reading.text_unit_id: {
                key
                for fault in reading.faults
                if chosen is None or fault.key in chosen
                for key in fault.forget
            }
            for reading in self._readings.values()
        }
        keys = set().union(*wanted.values())
        if keys:
            self._memo().forget(keys)
            self._read([task for task in self._tasks if wanted[task.unit.text_unit_id]])

    def _read(self, tasks: Sequence[UnitTask]) -> None:
        workers = self._settings.index.workers
        for reading in read_all(tasks, self._root.address, self._collection, self._method, workers):
            self._readings[reading.text_unit_id] = reading

    def _memo(self) -> AnswerMemo:
        return AnswerMemo(self._root, self._collection)
