"""Asking for an answer that can be read: validation, and one repair.

Stands outside the memo, which keeps raw answers: mending a reader pays for nothing again. The repair is a call of
its own, under its own memo key.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from tgrag.calls.call import Call, Handler, Truncated, Unreadable
from tgrag.models.chat import CallFailed, ChatMessage, ChatRequest, InvalidAnswer

T = TypeVar("T")


async def ask(handler: Handler, call: Call, read: Callable[[str], T], mend: Callable[[str], str]) -> T:
    """Return the answer as ``read`` understands it; what it finds invalid is asked to be mended, once.

    read: raises InvalidAnswer. mend: from what is wrong, the message that asks the model to mend it.
    Raises CallFailed; Truncated when the answer was cut off; Unreadable when the repair is invalid too.
    """
    text = await _text(handler, call)
    try:
        return read(text)
    except InvalidAnswer as fault:
        request = repair_request(call.request, text, mend(str(fault)))
    try:
        return read(await _text(handler, replace(call, request=request)))
    except InvalidAnswer as fault:
        raise Unreadable(f"the answer is invalid after a repair: {fault}", (call.request, request)) from fault


def repair_request(request: ChatRequest, answer: str, message: str) -> ChatRequest:
    """Return the request that shows the model its answer and asks to mend it."""
    said = (ChatMessage("assistant", answer), ChatMessage("user", message))
    return replace(request, messages=request.messages + said)


async def _text(handler: Handler, call: Call) -> str:
    reply = await handler(call)
    match reply.finish_reason:
        case "length":
            raise Truncated(call)
        case "filter":
            raise CallFailed("the server's content filter withheld the answer", transient=False)
        case "stop":
            return reply.text
