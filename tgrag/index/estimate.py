"""What a run's calls come to, before the first is paid for."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from pydantic import BaseModel

from tgrag.index.manifest import StageCost
from tgrag.models.tokenizer import tokenizer
from tgrag.settings import Settings

if TYPE_CHECKING:
    from tgrag.index.batch import Pending

ANSWER_TOKENS = 740
"""Of an answer before any run has told better: the mean of a strong model's 36 answers on a Russian novella, units of
370 tokens (the longest had 1,010)."""


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
    pending: "Iterable[Pending]", settings: Settings, last: StageCost | None, tokens_a_second: float | None
) -> Estimate:
    """Estimate the calls of a run. last: what the extraction of the published version came to.

    tokens_a_second: tokens that the model writes, of all calls in flight together.
    """
    count = tokenizer(settings.chunk.tokenizer).count
    n_calls = tokens_in = 0
    for call in pending:
        n_calls += 1
        tokens_in += sum(count(message.content) for message in call.request.messages)
    how = [f"tokens in: counted with {settings.chunk.tokenizer}; the model's own tokenizer may differ"]
    measured = last if last and last.calls and last.tokens_out else None
    if measured:
        tokens_out = round(n_calls * measured.tokens_out / measured.calls)
        how.append(f"tokens out: as in the last run, {measured.tokens_out / measured.calls:,.0f} a call")
    else:
        tokens_out = n_calls * min(ANSWER_TOKENS, settings.extract.max_answer_tokens)
        how.append(
            f"tokens out: {ANSWER_TOKENS:,} a call, a strong model's mean, as no run here has told better"
        )
    how.append("repairs and the halves of answers that are cut off are not foreseen")
    pace = tokens_a_second or (
        measured.tokens_out / measured.seconds if measured and measured.seconds else None
    )
    if pace:
        whence = "as stated" if tokens_a_second else "as in the last run"
        how.append(f"time: {pace:,.0f} tokens out a second, {whence}")
    else:
        how.append("time: state the model's speed with --tokens-per-second; later runs know it from this one")
    return Estimate(
        calls=n_calls,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        seconds=round(tokens_out / pace, 1) if pace else None,
        max_in_flight=settings.chat.max_in_flight,
        how=how,
    )
