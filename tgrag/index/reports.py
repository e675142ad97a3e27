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
from tgrag.index.asking import Asking
from tgrag.index.assemble import UsedAnswer
from tgrag.index.batch import Pending, accepted
from tgrag.index.budget import Budget
from tgrag.index.extraction import Extracted
from tgrag.index.inquiry import Inquiry
from tgrag.index.manifest import ReportCounts, StageCost
from tgrag.index.plan import Plan
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
    """The calls to make, in the order of asking.

    decisions: on who is who. unsettled: sizes of the windows that wait for extractions.
    """

    extractions: Iterable[Pending]
    decisions: Iterable[Pending] = ()
    reports: Iterable[Pending] = ()
    unsettled: Sequence[int] = ()

    def __iter__(self) -> Iterator[Pending]:
        return chain(self.extractions, self.decisions, self.reports)


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
        method = ReportMethod(
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
        self._inquiry: Inquiry[CommunityReport] = Inquiry("reports", self._order, self._task, method, asking)

    @property
    def unsettled(self) -> list[int]:
        """The sizes in text units of the windows that wait for extractions."""
        return [len(self._spans[window].units) for window in self._order if window in self._unsettled]

    def prepare(self, plan: Plan) -> None:
        """Take in a batch file, which was read for earlier stages before, and forget what shall be tried again."""
        taken = self._inquiry.prepare(plan, self._extracted.taken)
        if taken and plan.read_batch:
            accepted(taken, plan.read_batch, self._asking.report)

    def pending(self) -> Iterator[Pending]:
        """Return the calls to make next, in the order of asking."""
        return self._inquiry.pending()

    def ask(self, budget: Budget, before: Callable[[], Before], cost: StageCost) -> None:
        """Make the calls that are missing, as far as the budget goes. before: see report_windows."""
        anew = self._inquiry.ask(budget, cost)
        if anew:
            cost.changed, cost.moved = self._why_anew(anew, before())

    def result(self, communities: Sequence[Community]) -> Reported:
        """Return the windows, with their reports where there are some."""
        inquiry = self._inquiry
        reports = inquiry.said()
        found = [
            reported(community, reports[community.community_id])
            if community.community_id in reports
            else community
            for community in communities
        ]
        counts = ReportCounts(
            llm=len(reports),
            extractive=len(communities) - len(reports),
            failed=inquiry.n_failed,
            waiting=len(self._unsettled) + inquiry.n_waiting,
        )
        return Reported(found, inquiry.letters(), inquiry.answers(), counts)

    def _why_anew(self, windows: Iterable[str], before: Before) -> tuple[int, int]:
        """Return how many reports were made anew as text units changed, and as windows moved over equal ones."""
        if not before.communities:
            return 0, 0
        others = [self._spans[window] for window in windows if window not in before.communities]
        changed = sum(
            any(unit.text_unit_id not in before.text_units for unit in span.units) for span in others
        )
        return changed, len(others) - changed

    def _task(self, window: str) -> ReportTask | None:
        """Return what is to be asked about a window; nothing of one that waits or names no entity."""
        if window in self._unsettled:
            return None
        span = self._spans[window]
        facts = window_facts(span.units, self._extracted.extractions)
        return ReportTask(window, span.document_id, facts) if facts.entities else None


def asking_order(spans: Iterable[WindowSpan]) -> list[str]:
    """Return the windows as they are asked about: documents in turn, the beginning of each first."""
    places: dict[str, int] = {}
    placed = []
    for span in spans:
        place = places[span.document_id] = places.get(span.document_id, -1) + 1
        placed.append((place, span.community_id))
    return [window for _, window in sorted(placed, key=lambda item: item[0])]
