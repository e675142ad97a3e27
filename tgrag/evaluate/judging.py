"""Answers judged by language models: each by itself, and mode against mode, by every judge and in both orders."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

from tgrag.calls.ask import ask
from tgrag.calls.call import Call, Handler
from tgrag.calls.chain import chain
from tgrag.calls.counters import Counters
from tgrag.calls.recall import Memory
from tgrag.errors import ConfigurationError
from tgrag.evaluate.results import WIN_OVER, Result
from tgrag.evaluate.verdicts import (
    Pair,
    Rubric,
    Support,
    V,
    pair_request,
    read_verdict,
    rubric_request,
    support_request,
)
from tgrag.index.progress import Report
from tgrag.language import detect
from tgrag.models.chat import CallFailed, ChatModel, ChatRequest, Misconfigured
from tgrag.prompts import repair_message
from tgrag.settings import ChatSettings

PURPOSE, OWNER = "judge", "evaluation"
POINTS = {"first": 1.0, "tie": 0.5, "second": 0.0}
"""What a verdict on two answers is worth to the one shown first."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """A question that was asked, with the answer and the context of one mode. reference: the right answer."""

    set: str
    mode: str
    question_id: str
    type: str
    question: str
    reference: str
    answer: str
    context: str


class Judge:
    """One judging model. A verdict that cannot be had is None, and counted in ``failed``."""

    def __init__(self, model: ChatModel, memory: Memory, settings: ChatSettings) -> None:
        self._model = model
        self._handler: Handler = chain(model, memory, settings, Counters())
        self.failed = 0

    async def support(self, statements_of: str, context: str) -> float | None:
        """Return the share of a text's statements that a context supports."""
        verdict = await self._ask(Support, support_request(statements_of, context), statements_of)
        return verdict.share if verdict else None

    async def rubric(self, of: Transcript) -> float | None:
        """Return the grade of an answer, 0 to 1."""
        request = rubric_request(of.question, of.reference, of.answer)
        verdict = await self._ask(Rubric, request, of.question)
        return verdict.share if verdict else None

    async def pair(self, one: Transcript, other: Transcript) -> tuple[float, float] | None:
        """Return what the first of two answers is worth against the other (1, 0.5, 0), shown first and shown second."""
        asked = (
            self._ask(Pair, pair_request(one.question, one.reference, a.answer, b.answer), one.question)
            for a, b in ((one, other), (other, one))
        )
        shown_first, shown_second = await asyncio.gather(*asked)
        if shown_first is None or shown_second is None:
            return None
        return POINTS[shown_first.better], 1 - POINTS[shown_second.better]

    async def close(self) -> None:
        await self._model.close()

    async def _ask(self, kind: type[V], request: ChatRequest, speaks: str) -> V | None:
        mend = partial(repair_message, language=detect(speaks))
        try:
            return await ask(self._handler, Call(request, PURPOSE, OWNER), partial(read_verdict, kind), mend)
        except Misconfigured as error:
            raise ConfigurationError(f"the judge cannot be asked: {error.reason}") from None
        except CallFailed:
            self.failed += 1
            return None


async def judged(transcripts: Sequence[Transcript], judges: Sequence[Judge], report: Report) -> list[Result]:
    """Return the verdicts as results.

    - ``judge_score``: grade of the answer; ``context_recall``: share of the reference's statements that the context
      supports; ``faithfulness``: share of the answer's statements that it does. Each is the mean of the judges.
    - ``judge_win_over_MODE``: 1, 0.5 or 0 against the same question's answer in MODE, the mean of judges and orders.
    - ``judge_agreement``: 1 where all judges prefer the same; ``judge_order_agreement``: 1 where a judge does in
      both orders (of those, the mean).
    """
    try:
        report(f"judging {len(transcripts)} answers with {len(judges)} judges")
        by_question: dict[tuple[str, str], list[Transcript]] = defaultdict(list)
        for each in transcripts:
            by_question[each.set, each.question_id].append(each)
        pairs = [two for same in by_question.values() for two in combinations(same, 2)]
        found = await asyncio.gather(
            *(_single(each, judges) for each in transcripts),
            *(_pair(later, earlier, judges) for earlier, later in pairs),
        )
        if failed := sum(judge.failed for judge in judges):
            report(f"{failed} verdicts could not be had and are left out")
        return [result for results in found for result in results]
    finally:
        for judge in judges:
            await judge.close()


async def _single(of: Transcript, judges: Sequence[Judge]) -> list[Result]:
    asked = {
        "judge_score": [judge.rubric(of) for judge in judges],
        "context_recall": [judge.support(of.reference, of.context) for judge in judges],
        "faithfulness": [judge.support(of.answer, of.context) for judge in judges],
    }
    results = []
    for metric, coming in asked.items():
        values = [value for value in await asyncio.gather(*coming) if value is not None]
        if values:
            results.append(_result(of, metric, sum(values) / len(values)))
    return results


async def _pair(one: Transcript, other: Transcript, judges: Sequence[Judge]) -> list[Result]:
    verdicts = await asyncio.gather(*(judge.pair(one, other) for judge in judges))
    found = [verdict for verdict in verdicts if verdict is not None]
    if not found:
        return []
    worth = [sum(orders) / 2 for orders in found]
    results = [
        _result(one, f"{WIN_OVER}{other.mode}", sum(worth) / len(worth)),
        _result(one, "judge_order_agreement", sum(a == b for a, b in found) / len(found)),
    ]
    if len(found) > 1:
        preferred = {(value > 0.5) - (value < 0.5) for value in worth}
        results.append(_result(one, "judge_agreement", float(len(preferred) == 1)))
    return results


def _result(of: Transcript, metric: str, value: float) -> Result:
    return Result(of.set, of.mode, of.question_id, of.type, metric, value)
