"""What a chat model is asked and what it answers, whatever stands behind it."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Literal, Protocol

from tgrag.hashing import stable_hash
from tgrag.settings import AnswerForm, LimitParameter


@dataclass(frozen=True, slots=True)
class ChatMessage:
    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class AnswerSchema:
    """A JSON schema that an answer has to fit.

    json: the schema as JSON text without spaces. Properties are written in its order, so it is not to be sorted.
    """

    name: str
    json: str


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """All that an answer depends on, the model apart. schema: None where free text is wanted."""

    messages: tuple[ChatMessage, ...]
    max_tokens: int
    schema: AnswerSchema | None = None
    temperature: float = 0.0


@dataclass(frozen=True, slots=True)
class ChatReply:
    """finish_reason: "length" when ``max_tokens`` cut the answer off. tokens: as the server counts them."""

    text: str
    finish_reason: Literal["stop", "length", "filter"]
    tokens_in: int
    tokens_out: int


@dataclass(frozen=True, slots=True)
class ChatIdentity:
    """Whose answers may stand for each other: the model, and how the parts of a request are put to its server.

    form: how it is held to a schema. limit_parameter: what it calls the longest answer.
    """

    name: str
    revision: str
    form: AnswerForm = "json_schema"
    limit_parameter: LimitParameter = "max_tokens"
    sends_temperature: bool = True


class CallFailed(Exception):
    """A call gave no answer.

    transient: the fault may lie outside of the request (overload, network), so that trying again is sane.
    retry_after: seconds that the server asks to wait.
    """

    def __init__(self, reason: str, *, transient: bool, retry_after: float | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.transient = transient
        self.retry_after = retry_after


class Misconfigured(CallFailed):
    """No call at all can succeed before the settings or the server are mended: it says nothing of this request."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, transient=False)


class InvalidAnswer(ValueError):
    """An answer that cannot be read. Its message tells the model what to mend."""


class ChatModel(Protocol):
    @property
    def identity(self) -> ChatIdentity: ...

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer one request. Raises CallFailed; a cancelled call is given up at the server too."""

    async def stream(self, request: ChatRequest, heard: Callable[[str], None]) -> ChatReply:
        """Answer one request as ``complete`` does, and tell the answer's text piece by piece while it is written."""

    async def close(self) -> None:
        """Release connections."""


def call_key(identity: ChatIdentity, request: ChatRequest) -> str:
    """Return the memo key of a call: everything that its answer depends on, so all that a server is told."""
    if request.schema is None:
        identity = replace(identity, form="text")
    return stable_hash("chat", asdict(identity), asdict(request))
