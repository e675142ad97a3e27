"""A model that does as it is told, and a memory in a dict."""

import asyncio
from collections import defaultdict
from collections.abc import Callable

from tgrag.calls import Call
from tgrag.index.memo import ATTEMPTS, Failure
from tgrag.models.chat import CallFailed, ChatIdentity, ChatMessage, ChatReply, ChatRequest, call_key

IDENTITY = ChatIdentity("fake", "1")
PIECE = 4  # characters


def call(text: str = "Кто там?", max_tokens: int = 100) -> Call:
    return Call(ChatRequest((ChatMessage("user", text),), max_tokens), "extract", "document")


def reply(text: str = "Это я.") -> ChatReply:
    return ChatReply(text, "stop", 10, 5)


def key_of(asked: Call) -> str:
    return call_key(IDENTITY, asked.request)


def transient(reason: str = "busy", retry_after: float | None = None) -> CallFailed:
    return CallFailed(reason, transient=True, retry_after=retry_after)


def lasting(reason: str = "wrong") -> CallFailed:
    return CallFailed(reason, transient=False)


class HalfSaid(CallFailed):
    """A failure after a part of the answer was told."""

    def __init__(self, text: str) -> None:
        super().__init__("broke off", transient=True)
        self.text = text


def pieces(text: str) -> list[str]:
    return [text[start : start + PIECE] for start in range(0, len(text), PIECE)]


class FakeModel:
    """Gives the outcomes in order, the last one for ever; each takes so many seconds."""

    def __init__(self, *outcomes: ChatReply | BaseException, seconds: float = 1.0) -> None:
        self.identity = IDENTITY
        self._outcomes, self.seconds = list(outcomes) or [reply()], seconds
        self.requests: list[ChatRequest] = []
        self.begun: list[float] = []
        self.running = self.most_running = self.left = 0

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.requests.append(request)
        self.begun.append(asyncio.get_running_loop().time())
        outcome = self._outcomes[min(len(self.requests), len(self._outcomes)) - 1]
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        try:
            await asyncio.sleep(self.seconds)
        except asyncio.CancelledError:
            self.left += 1
            raise
        finally:
            self.running -= 1
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    async def stream(self, request: ChatRequest, heard: Callable[[str], None]) -> ChatReply:
        """Tell the text in pieces of PIECE characters; of one that fails half-way what was said by then."""
        try:
            answer = await self.complete(request)
        except HalfSaid as failure:
            for piece in pieces(failure.text):
                heard(piece)
            raise
        for piece in pieces(answer.text):
            heard(piece)
        return answer

    async def handle(self, asked: Call) -> ChatReply:
        return await self.complete(asked.request)

    async def close(self) -> None:
        pass


class DictMemory:
    def __init__(self, on_put: Callable[[], None] = lambda: None) -> None:
        self.answers: dict[str, ChatReply] = {}
        self.failures: defaultdict[str, list[Failure]] = defaultdict(list)
        self._on_put = on_put

    def get(self, key: str) -> ChatReply | None:
        return self.answers.get(key)

    def put(self, owner: str, key: str, answer: ChatReply) -> ChatReply:
        self._on_put()
        return self.answers.setdefault(key, answer)

    def given_up(self, key: str) -> Failure | None:
        wrong = [failure for failure in self.failures.get(key, []) if not failure.transient]
        return wrong[-1] if len(wrong) >= ATTEMPTS else None

    def put_failure(self, owner: str, key: str, failure: Failure) -> None:
        self.failures[key].append(failure)
