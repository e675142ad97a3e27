"""A costly call and what may become of it."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from tgrag.models.chat import CallFailed, ChatReply, ChatRequest


@dataclass(frozen=True, slots=True)
class Call:
    """purpose: "extract", "report", …, for logs and costs; owner: the document_id that pays for the answer."""

    request: ChatRequest
    purpose: str
    owner: str


Handler = Callable[[Call], Coroutine[Any, Any, ChatReply]]
"""What answers a call. Raises CallFailed."""


class Truncated(CallFailed):
    """``max_tokens`` cut the answer off: ask for less at once."""

    def __init__(self, call: Call) -> None:
        super().__init__(
            f"the answer was cut off at {call.request.max_tokens} tokens; raise extract.max_answer_tokens",
            transient=False,
        )


class Unreadable(CallFailed):
    """Neither the answer nor its repair can be read. requests: both, whose stored answers a new try has to forget."""

    def __init__(self, reason: str, requests: tuple[ChatRequest, ...]) -> None:
        super().__init__(reason, transient=False)
        self.requests = requests
