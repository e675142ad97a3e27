"""The resolve stage: pairs of names that the rules leave open, decided by language model where the settings say so.

A question is asked once all text units of its series up to its place have their extraction or have failed for good.
Where there is no decision, failed or not yet asked, the rules stand.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tgrag.graph.doubts import Decided, Doubt
from tgrag.graph.identity import doubts
from tgrag.graph.resolve import resolve
from tgrag.graph.verdict import Verdict
from tgrag.graph.wishes import Wished, Wishes
from tgrag.index.asking import Asking
from tgrag.index.assemble import UsedAnswer
from tgrag.index.batch import Pending
from tgrag.index.decision_walk import DecisionMethod, DecisionTask
from tgrag.index.extraction import Extracted
from tgrag.index.inquiry import Inquiry
from tgrag.index.manifest import DecisionCounts, StageCost
from tgrag.index.plan import Plan
from tgrag.models.chat_wire import identity_of
from tgrag.records import DeadLetter, Extraction, TextUnit


@dataclass(frozen=True, slots=True)
class Resolved:
    """decided: what was decided, in reading order."""

    decided: list[Decided] = field(default_factory=list)
    letters: list[DeadLetter] = field(default_factory=list)
    answers: list[UsedAnswer] = field(default_factory=list)
    counts: DecisionCounts = field(default_factory=DecisionCounts)


def decide(
    units: Sequence[TextUnit],
    extracted: Extracted,
    wishes: Wishes,
    asking: Asking,
    plan: Plan,
    cost: StageCost,
) -> tuple[Resolved, Extracted]:
    """Put what the rules leave open to the language model. cost: what it comes to.

    Returns the decisions, and the extractions with what became of a batch file so far.
    """
    stage = LlmDecisions(units, extracted, wishes, asking)
    extracted = stage.prepare(plan)
    if plan.asks:
        stage.ask(plan, cost)
    found = stage.result()
    cost.failed = found.counts.failed
    return found, extracted


class LlmDecisions:
    """The decisions on all doubts of some text units by language model."""

    def __init__(
        self, units: Sequence[TextUnit], extracted: Extracted, wishes: Wishes, asking: Asking
    ) -> None:
        self._extracted = extracted
        self._doubts = {doubt.doubt_id: doubt for doubt in _doubts(units, extracted.extractions, wishes)}
        settled = _settled(units, extracted)
        self._unsettled = {
            doubt.doubt_id
            for doubt in self._doubts.values()
            if doubt.ordinal >= settled.get(doubt.series_id, doubt.ordinal + 1)
        }
        settings = asking.settings
        method = DecisionMethod(identity_of(settings.chat), settings.extract.prompt_language)
        self._inquiry: Inquiry[Verdict] = Inquiry("resolve", list(self._doubts), self._task, method, asking)

    def prepare(self, plan: Plan) -> Extracted:
        """Take in a batch file and forget what shall be tried again; return the extractions for the next stage."""
        return replace(self._extracted, taken=self._inquiry.prepare(plan, self._extracted.taken))

    def pending(self) -> Iterator[Pending]:
        """Return the calls to make next, in the order of asking."""
        return self._inquiry.pending()

    def ask(self, plan: Plan, cost: StageCost) -> None:
        self._inquiry.ask(plan.budget, cost)

    def result(self) -> Resolved:
        inquiry = self._inquiry
        verdicts = inquiry.said()
        decided = [self._decided(self._doubts[key], verdict) for key, verdict in verdicts.items()]
        counted = Counter(verdict.verdict for verdict in verdicts.values())
        return Resolved(
            decided,
            inquiry.letters(),
            inquiry.answers(),
            DecisionCounts(
                same=counted["same"],
                different=counted["different"],
                unclear=counted["unclear"],
                failed=inquiry.n_failed,
                waiting=len(self._unsettled) + inquiry.n_waiting,
            ),
        )

    def _task(self, key: str) -> DecisionTask | None:
        doubt = self._doubts[key]
        return None if key in self._unsettled else DecisionTask(key, doubt.document_id, doubt.question)

    @staticmethod
    def _decided(doubt: Doubt, verdict: Verdict) -> Decided:
        return Decided(
            doubt.series_id, doubt.first_id, doubt.second_id, doubt.ordinal, verdict.verdict, verdict.reason
        )


def _doubts(units: Sequence[TextUnit], extractions: Mapping[str, Extraction], wishes: Wishes) -> list[Doubt]:
    resolution = resolve(units, extractions)
    return doubts(units, extractions, resolution, Wished(wishes, resolution.entities.values()))


def _settled(units: Sequence[TextUnit], extracted: Extracted) -> dict[str, int]:
    """Return for each series with text units that wait for extraction the ordinal of the first of them."""
    found: dict[str, int] = {}
    for unit in units:
        if unit.text_unit_id in extracted.waiting:
            found[unit.series_id] = min(unit.ordinal, found.get(unit.series_id, unit.ordinal))
    return found
