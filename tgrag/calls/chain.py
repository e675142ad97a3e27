"""The chain of a costly call, the same for extraction, reports, rewriting, answers and judging.

From the outside to the model, each link a function of the next:

1. count: asked, saved, answered, failed, abandoned;
2. recall: stored answers, equal calls in flight, what was given up; a final failure is recorded;
3. retry: of transient failures, with growing pauses, in nobody's way;
4. pace: requests and tokens a minute;
5. slot: so many calls at once; only from here on is one held;
6. keep: the raw answer is durable before its slot is free again;
7. time limit: of one request, whatever the back end does;
8. measure: requests, tokens, seconds, a line in the log;
9. faults: only in tests;
10. the model.

Whether an answer can be read is asked outside, by ``ask``: what is stored is what the model said.
"""

import asyncio

from tgrag.calls.call import Call, Handler
from tgrag.calls.counters import Counters
from tgrag.calls.faults import FaultRule, faulty
from tgrag.calls.keep import kept
from tgrag.calls.measure import measured
from tgrag.calls.pace import Bucket, paced
from tgrag.calls.recall import Memory, Recall
from tgrag.calls.retry import retried
from tgrag.calls.slots import Slots, in_slot
from tgrag.models.chat import CallFailed, ChatModel, ChatReply, call_key
from tgrag.settings import ChatSettings


def chain(
    model: ChatModel,
    memory: Memory,
    settings: ChatSettings,
    counters: Counters,
    slots: Slots | None = None,
    share: float = 1.0,
    faults: FaultRule | None = None,
) -> Handler:
    """Return what makes calls to a model, within one event loop.

    counters: what it counts into. slots: settings.max_in_flight without it. share: of the rate limits, for one of
    several workers. The handler raises CallFailed, and StorageError when the memory cannot be used.
    """
    identity = model.identity

    def key_of(call: Call) -> str:
        return call_key(identity, call.request)

    async def complete(call: Call) -> ChatReply:
        if call.listener is None:
            return await model.complete(call.request)
        call.listener.begun()
        return await model.stream(call.request, call.listener.piece)

    handler: Handler = complete
    if faults:
        handler = faulty(handler, faults, key_of)
    handler = measured(handler, key_of, counters)
    handler = timed(handler, settings.timeout_seconds)
    handler = kept(handler, memory, key_of)
    handler = in_slot(handler, slots or Slots(settings.max_in_flight))
    handler = paced(
        handler,
        Bucket(settings.requests_per_minute * share) if settings.requests_per_minute else None,
        Bucket(settings.tokens_per_minute * share) if settings.tokens_per_minute else None,
    )
    handler = retried(handler, settings.attempts, settings.attempts * settings.timeout_seconds)
    handler = Recall(handler, memory, key_of, counters)
    return counted(handler, counters)


def counted(following: Handler, counters: Counters) -> Handler:
    """Count calls and those that get no answer; who finds an answer counts where from."""

    async def handle(call: Call) -> ChatReply:
        counters.asked += 1
        try:
            return await following(call)
        except asyncio.CancelledError:
            counters.abandoned += 1
            raise
        except Exception:
            counters.failed += 1
            raise

    return handle


def timed(following: Handler, seconds: float) -> Handler:
    """Give a request up after so many seconds, as a transient failure."""

    async def handle(call: Call) -> ChatReply:
        try:
            async with asyncio.timeout(seconds):
                return await following(call)
        except TimeoutError:
            raise CallFailed(f"no answer within {seconds:g} s", transient=True) from None

    return handle
