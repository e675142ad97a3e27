"""What a run's calls come to, before the first is paid for."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from pydantic import BaseModel

from tgrag.index.manifest import StageCost
from tgrag.models.tokenizer import tokenizer
from tgrag.prompts import prompt
from tgrag.settings import Settings

if TYPE_CHECKING:
    from tgrag.index.batch import Pending
    from tgrag.index.reports import PendingCalls

ANSWER_TOKENS = 740
"""Of an answer before any run has told better: the mean of a strong model's 36 answers on a Russian novella, units of
370 tokens (the longest had 1,010)."""


DECISION_TOKENS = 60
"""Of a decision on who is who: a word and one sentence; not measured."""

REPORT_TOKENS = 560
"""The same of the three reports of that novella."""

FACT_TOKENS = 390
"""What the report of a window reads of each of its text units, in the same recording."""


class Estimate(BaseModel):
    """tokens_in: counted with the pinned tokenizer. seconds: None when nothing says how fast the model is."""

    calls: int
    tokens_in: int
    tokens_out: int
    seconds: float | None
    max_in_flight: int
    how: list[str]

    @classmethod
    def none(cls, settings: Settings) -> "Estimate":
        """Return the estimate of a run without a language model."""
        return cls(
            calls=0,
            tokens_in=0,
            tokens_out=0,
            seconds=0.0,
            max_in_flight=settings.chat.max_in_flight,
            how=["extract.method is fast: no call is made"],
        )

    def lines(self) -> list[str]:
        time = "unknown" if self.seconds is None else f"about {self.seconds:,.0f} s"
        return [
            f"calls to make: {self.calls:,}",
            f"tokens: {self.tokens_in:,} in, about {self.tokens_out:,} out",
            f"time with {self.max_in_flight} calls in flight: {time}",
            *(f"  {line}" for line in self.how),
            "nothing was called and nothing published",
        ]


def estimated(
    pending: "PendingCalls", settings: Settings, last: Mapping[str, StageCost], tokens_a_second: float | None
) -> Estimate:
    """Estimate the calls of a run. last: what the stages of the published version came to.

    tokens_a_second: tokens that the model writes, of all calls in flight together.
    """
    how = [f"tokens in: counted with {settings.chunk.tokenizer}; the model's own tokenizer may differ"]
    n_units, tokens_in = _counted(pending.extractions, settings)
    n_decisions, of_decisions = _counted(pending.decisions, settings)
    n_reports, of_reports = _counted(pending.reports, settings)
    n_unsettled = len(pending.unsettled)
    tokens_in += of_decisions + of_reports + _unsettled_tokens(pending.unsettled, settings)
    if settings.decisions_by_llm and n_units:
        how.append("decisions on who is who are counted as far as text units are extracted")
    if n_unsettled:
        how.append(
            f"{n_unsettled:,} reports of windows are among the calls; what they read is not extracted yet, and is "
            f"reckoned as {FACT_TOKENS} tokens a text unit"
        )
    most = settings.extract.max_answer_tokens, DECISION_TOKENS, settings.report.max_answer_tokens
    tokens_out = (
        _tokens_out("extraction", n_units, last.get("extract"), ANSWER_TOKENS, most[0], how)
        + _tokens_out("decision", n_decisions, last.get("resolve"), DECISION_TOKENS, most[1], how, "a guess")
        + _tokens_out("report", n_reports + n_unsettled, last.get("reports"), REPORT_TOKENS, most[2], how)
    )
    how.append("repairs and the calls that follow an answer that is cut off are not foreseen")
    stages = map(last.get, ("extract", "resolve", "reports"))
    measured = [cost for cost in stages if cost and cost.tokens_out]
    seconds = sum(cost.seconds for cost in measured)
    pace = tokens_a_second or (sum(cost.tokens_out for cost in measured) / seconds if seconds else None)
    if pace:
        whence = "as stated" if tokens_a_second else "as in the last run"
        how.append(f"time: {pace:,.0f} tokens out a second, {whence}")
    else:
        how.append("time: state the model's speed with --tokens-per-second; later runs know it from this one")
    return Estimate(
        calls=n_units + n_decisions + n_reports + n_unsettled,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        seconds=round(tokens_out / pace, 1) if pace else None,
        max_in_flight=settings.chat.max_in_flight,
        how=how,
    )


def _counted(calls: "Iterable[Pending]", settings: Settings) -> tuple[int, int]:
    """Return how many calls these are, and the tokens of their messages."""
    count = tokenizer(settings.chunk.tokenizer).count
    n_calls = n_tokens = 0
    for call in calls:
        n_calls += 1
        n_tokens += sum(count(message.content) for message in call.request.messages)
    return n_calls, n_tokens


def _unsettled_tokens(sizes: Sequence[int], settings: Settings) -> int:
    """Return about how many tokens the reports of windows of so many text units read."""
    if not sizes:
        return 0
    count = tokenizer(settings.chunk.tokenizer).count
    wording = sum(count(message.content) for message in prompt("community_report", "ru").sample())
    return sum(wording + min(settings.report.max_input_tokens, FACT_TOKENS * size) for size in sizes)


def _tokens_out(
    what: str,
    n_calls: int,
    last: StageCost | None,
    usual: int,
    most: int,
    how: list[str],
    whence: str = "a strong model's mean",
) -> int:
    """Return about how many tokens so many answers have; say how that is known."""
    if not n_calls:
        return 0
    if last and last.calls and last.tokens_out:
        a_call = last.tokens_out / last.calls
        how.append(f"tokens out: as in the last run, {a_call:,.0f} a call ({what})")
        return round(n_calls * a_call)
    how.append(f"tokens out: {usual:,} a call ({what}), {whence}, as no run here has told better")
    return n_calls * min(usual, most)
