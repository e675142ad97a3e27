"""What a question took, told to whoever watches: metrics, the log, and traces where they are on."""

import logging

from tgrag import logs
from tgrag.metrics import tell
from tgrag.search.requests import Answer, Retrieval
from tgrag.tracing import Tracing

logger = logging.getLogger(__name__)


def tell_question(told: Answer | Retrieval, seconds: float, tracing: Tracing | None) -> None:
    tokens = told.tokens if isinstance(told, Answer) else {"context": told.n_tokens}
    tell("tgrag_query_seconds", seconds, mode=told.mode)
    for step, value in told.timings.items():
        tell("tgrag_query_step_seconds", value, mode=told.mode, step=step)
    for kind, n in tokens.items():
        tell("tgrag_query_tokens", n, kind=kind)
    for fall_back in told.fall_backs:
        tell("tgrag_query_fall_backs", step=fall_back.step, used=fall_back.used, cause=fall_back.cause)
    used = [f"{fall_back.step}: {fall_back.used} ({fall_back.cause})" for fall_back in told.fall_backs]
    logger.info(
        "a question in mode %s took %.3f s; %s", told.mode, seconds, ", ".join(used) or "no fall-back"
    )
    if tracing:
        attributes = {
            "tgrag.collection": told.collection,
            "tgrag.version": told.version,
            "tgrag.mode": told.mode,
        }
        attributes |= {"tgrag.request_id": logs.request_id.get()}
        counts = {f"tgrag.tokens.{kind}": n for kind, n in tokens.items()}
        tracing.question(seconds, told.timings, attributes | counts | {"tgrag.fall_backs": used})
