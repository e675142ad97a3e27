"""The reports stage: from windows and what their text units say to a title, a summary and a report of each.

A window is asked about once all its text units have their extraction or have failed for good: before that its report
would be paid for twice. One that has no report in the end, failed or not yet asked, keeps its extractive summary.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from itertools import chain

from tgrag.graph.report_answer import CommunityReport
from tgrag.graph.reports import reported, window_facts
from tgrag.graph.windows import WindowSpan, window_spans
from tgrag.index.answers import Overlooking
from tgrag.index.asking import Asking
from tgrag.index.assemble import UsedAnswer
from tgrag.index.batch import Pending, accepted, pending_calls, read_batch
from tgrag.index.budget import Budget
from tgrag.index.extraction import Extracted
from tgrag.index.manifest import ReportCounts, StageCost
from tgrag.index.plan import Plan
from tgrag.index.read_units import Fault, digest, faults
from tgrag.index.report_walk import ReportMethod, ReportTask
from tgrag.models.chat_wire import identity_of
from tgrag.records import Community, DeadLetter, TextUnit


@dataclass(frozen=True, slots=True)
class Before:
    """What the version before this run had, by id."""

    text_units: Set[str] = frozenset()
    communities: Set[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Reported:
    communities: list[Community]
    letters: list[DeadLetter] = field(default_factory=list)
    answers: list[UsedAnswer] = field(default_factory=list)
    counts: ReportCounts = field(default_factory=ReportCounts)


@dataclass(frozen=True, slots=True)
class PendingCalls:
    """The calls to make, in the order of asking. unsettled: sizes of the windows that wait for extractions."""

    extractions: Iterable[Pending]
    reports: Iterable[Pending] = ()
    unsettled: Sequence[int] = ()

    def __iter__(self) -> Iterator[Pending]:
        return chain(self.extractions, self.reports)


@dataclass(frozen=True, slots=True)
class WindowReading:
    """Where a window stands. report: when it is done. n_missing: calls that the next asking makes."""

    report: CommunityReport | None
    answers: tuple[UsedAnswer, ...]
    n_missing: int
    faults: tuple[Fault, ...]


def report_windows(
    communities: Sequence[Community],
    units: Sequence[TextUnit],
    extracted: Extracted,
    asking: Asking,
    plan: Plan,
    before: Callable[[], Before],
    cost: StageCost,
) -> Reported:
    """Make the reports of windows as the settings say. communities: with extractive summaries.

    before: tells why reports are made anew; asked only when some are. cost: what it comes to.
    """
    if not asking.settings.reports_by_llm:
        if extracted.taken and plan.read_batch:
            accepted(extracted.taken, plan.read_batch, asking.report)
        return Reported(list(communities), counts=ReportCounts(extractive=len(communities)))
    stage = LlmReports(units, extracted, asking)
    stage.prepare(plan)
    if plan.asks:
        stage.ask(plan.budget, before, cost)
    found = stage.result(communities)
    cost.failed = found.counts.failed
    return found


class LlmReports:
    """The reports of all windows of some text units by language model."""

    def __init__(self, units: Sequence[TextUnit], extracted: Extracted, asking: Asking) -> None:
        self._extracted, self._asking, settings = extracted, asking, asking.settings
        self._method = ReportMethod(
            identity_of(settings.chat),
            settings.report,
            settings.extract.prompt_language,
            settings.chunk.tokenizer,
        )
        self._spans = {span.community_id: span for span in window_spans(units, settings.windows)}
        self._order = asking_order(self._spans.values())
        self._unsettled = {
            span.community_id
            for span in self._spans.values()
            if any(unit.text_unit_id in extracted.waiting for unit in span.units)
        }
        self._memo = asking.memo()
        self._retried: set[str] = set()
        self._overlooked: set[str] = set()
        self._readings: dict[str, WindowReading] = {}
        self._read(self._order)

    @property
    def unsettled(self) -> list[int]:
        """The sizes in text units of the windows that wait for extractions."""
        return [len(self._spans[window].units) for window in self._order if window in self._unsettled]

    def prepare(self, plan: Plan) -> None:
        """Take in a batch file, which was read for the extraction before, and forget what shall be tried again."""
        if plan.read_batch and self._extracted.taken:
            owners = {call.key: call.owner for call in self.pending()}
            taken = self._extracted.taken.followed_by(read_batch(plan.read_batch, owners, self._memo))
            accepted(taken, plan.read_batch, self._asking.report)
            self._read(self._missing())
        if plan.retry:
            self._try_again(None if plan.retry is True else plan.retry, plan.dry)

    def pending(self) -> Iterator[Pending]:
        """Return the calls to make next, in the order of asking."""
        memo = Overlooking(self._memo, self._overlooked)
        return pending_calls(self._tasks(self._missing()), memo, self._method)

    def ask(self, budget: Budget, before: Callable[[], Before], cost: StageCost) -> None:
        """Make the calls that are missing, as far as the budget goes. before: see report_windows."""
        missing = self._missing()
        cost.saved = sum(len(reading.answers) for reading in self._readings.values())
        n_calls = sum(reading.n_missing for reading in self._readings.values())
        tasks = list(self._tasks(missing))
        self._asking.ask("reports", tasks, n_calls, self._method, budget, cost)
        self._memo = self._asking.memo()
        self._read(missing)
        anew = [window for window in missing if self._readings[window].report]
        cost.anew = len(anew)
        if anew:
            cost.changed, cost.moved = self._why_anew(anew, before())

    def result(self, communities: Sequence[Community]) -> Reported:
        """Return the windows, with their reports where there are some."""
        found = []
        for community in communities:
            reading = self._readings.get(community.community_id)
            found.append(reported(community, reading.report) if reading and reading.report else community)
        n_llm = sum(reading.report is not None for reading in self._readings.values())
        letters = {
            fault.key: self._asking.dead_letter("reports", owner, fault)
            for window, reading in self._readings.items()
            for owner in (self._spans[window].document_id,)
            for fault in reading.faults
        }
        return Reported(
            found,
            sorted(letters.values(), key=lambda d: (d.source, d.key)),
            [answer for reading in self._readings.values() for answer in reading.answers],
            ReportCounts(
                llm=n_llm,
                extractive=len(communities) - n_llm,
                failed=sum(bool(reading.faults) for reading in self._readings.values()),
                waiting=len(self._unsettled)
                + sum(bool(reading.n_missing) for reading in self._readings.values()),
            ),
        )

    def _why_anew(self, windows: Iterable[str], before: Before) -> tuple[int, int]:
        """Return how many reports were made anew as text units changed, and as windows moved over equal ones."""
        if not before.communities:
            return 0, 0
        others = [self._spans[window] for window in windows if window not in before.communities]
        changed = sum(
            any(unit.text_unit_id not in before.text_units for unit in span.units) for span in others
        )
        return changed, len(others) - changed

    def _missing(self) -> list[str]:
        readings = self._readings
        return [
            window
            for window in self._order
            if window in self._retried or (window in readings and readings[window].n_missing)
        ]

    def _tasks(self, windows: Iterable[str]) -> Iterator[ReportTask]:
        """Return what is to be asked about windows; nothing of those that wait or name no entity."""
        for window in windows:
            if window not in self._unsettled:
                span = self._spans[window]
                facts = window_facts(span.units, self._extracted.extractions)
                if facts.entities:
                    yield ReportTask(window, span.document_id, facts)

    def _read(self, windows: Iterable[str]) -> None:
        for task in self._tasks(windows):
            found = self._method.standing(task, self._memo.get)
            self._readings[task.community_id] = WindowReading(
                report=found.said[0] if found.done else None,
                answers=tuple(
                    UsedAnswer(task.owner, task.community_id, key, digest(reply))
                    for key, reply in found.answers
                ),
                n_missing=sum(self._memo.is_outstanding(ask.key) for ask in found.next),
                faults=faults(found, self._memo),
            )

    def _try_again(self, chosen: frozenset[str] | None, dry: bool) -> None:
        """Forget what keeps windows from being done: all of it, or that of the faults with these keys.

        dry: it stays stored, and ``pending`` overlooks it.
        """
        wanted = {
            window: {
                key
                for fault in reading.faults
                if chosen is None or fault.key in chosen
                for key in fault.forget
            }
            for window, reading in self._readings.items()
        }
        keys = set().union(*wanted.values())
        windows = [window for window in self._order if wanted.get(window)]
        if dry:
            self._retried, self._overlooked = set(windows), keys
        elif keys:
            self._memo.forget(keys)
            self._read(windows)


def asking_order(spans: Iterable[WindowSpan]) -> list[str]:
    """Return the windows as they are asked about: documents in turn, the beginning of each first."""
    places: dict[str, int] = {}
    placed = []
    for span in spans:
        place = places[span.document_id] = places.get(span.document_id, -1) + 1
        placed.append((place, span.community_id))
    return [window for _, window in sorted(placed, key=lambda item: item[0])]
