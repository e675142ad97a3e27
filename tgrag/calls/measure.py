"""What a request to the model took: counted, and told in the log."""

import json
import logging
import time

from tgrag.calls.call import Call, Handler
from tgrag.calls.counters import Counters
from tgrag.calls.recall import KeyOf
from tgrag.metrics import tell
from tgrag.models.chat import CallFailed, ChatReply

logger = logging.getLogger(__name__)


def measured(following: Handler, key_of: KeyOf, counters: Counters) -> Handler:
    """Count every request that reaches the model, and log it at debug level as JSON without any text of it."""

    async def handle(call: Call) -> ChatReply:
        counters.attempts += 1
        begun = time.perf_counter()
        outcome, reply = "abandoned", None
        try:
            reply = await following(call)
            outcome = reply.finish_reason
            counters.tokens_in += reply.tokens_in
            counters.tokens_out += reply.tokens_out
            tell("tgrag_model_tokens", reply.tokens_in, purpose=call.purpose, direction="in")
            tell("tgrag_model_tokens", reply.tokens_out, purpose=call.purpose, direction="out")
            return reply
        except CallFailed as failure:
            outcome = "failed for now" if failure.transient else "failed"
            raise
        finally:
            seconds = time.perf_counter() - begun
            counters.seconds += seconds
            tell("tgrag_model_calls", purpose=call.purpose, outcome=outcome)
            tell("tgrag_model_call_seconds", seconds, purpose=call.purpose)
            if logger.isEnabledFor(logging.DEBUG):
                logger.debug("call %s", _told(call, key_of(call), outcome, seconds, reply))

    return handle


def _told(call: Call, key: str, outcome: str, seconds: float, reply: ChatReply | None) -> str:
    told: dict[str, object] = {"key": key, "purpose": call.purpose, "owner": call.owner, "outcome": outcome}
    told["seconds"] = round(seconds, 3)
    if reply:
        told |= {"tokens_in": reply.tokens_in, "tokens_out": reply.tokens_out}
    return json.dumps(told, ensure_ascii=False)
