"""A costly call and what may become of it."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Protocol

from tgrag.models.chat import CallFailed, ChatReply, ChatRequest


class Listener(Protocol):
    """Hears an answer while it is written, in the thread of the calls."""

    def begun(self) -> None:
        """A request goes to the model: what was heard of one before is void."""

    def piece(self, text: str) -> None:
        """The answer goes on with this text."""


@dataclass(frozen=True, slots=True)
class Call:
    """purpose: "extract", "report", …, for logs and costs; owner: the document_id that pays for the answer.

    listener: of the requests that are made for this call; an answer that was stored is not told piece by piece.
    """

    request: ChatRequest
    purpose: str
    owner: str
    listener: Listener | None = None


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
