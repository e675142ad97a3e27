"""Rate limits: requests and tokens a minute, each a token bucket."""

import asyncio

from tgrag.calls.call import Call, Handler
from tgrag.models.chat import ChatReply, ChatRequest

CHARACTERS_A_TOKEN = 3  # a guess between Russian and English, set right by the server's count after the call
MINUTE = 60.0
NOTHING = 1e-6  # so little is lacking only by rounding


class Bucket:
    """Gives out so many a minute, a minute's worth at once at most, first come first served."""

    def __init__(self, per_minute: float) -> None:
        self._capacity = self._level = float(per_minute)
        self._filled_at: float | None = None
        self._turn = asyncio.Lock()

    async def take(self, amount: float) -> float:
        """Wait until so much is there and take it; return how much that was: what never fits counts as a full bucket."""
        amount = min(amount, self._capacity)
        async with self._turn:
            self._fill()
            while (lacking := amount - self._level) > NOTHING:
                await asyncio.sleep(lacking * MINUTE / self._capacity)
                self._fill()
            self._level -= amount
        return amount

    def give_back(self, amount: float) -> None:
        """Put back what was not used; a negative amount takes more, which those who come next wait for."""
        self._fill()
        self._level = min(self._capacity, self._level + amount)

    def _fill(self) -> None:
        now = asyncio.get_running_loop().time()
        if self._filled_at is not None:
            gained = (now - self._filled_at) * self._capacity / MINUTE
            self._level = min(self._capacity, self._level + gained)
        self._filled_at = now


def paced(following: Handler, requests: Bucket | None, tokens: Bucket | None) -> Handler:
    """Let a call go on when both buckets allow it. Tokens are reserved by estimate and settled by the reply's count;
    a call without an answer has used none of its answer's tokens."""

    async def handle(call: Call) -> ChatReply:
        if requests:
            await requests.take(1)
        if not tokens:
            return await following(call)
        asked = estimated_tokens(call.request)
        taken = await tokens.take(asked + call.request.max_tokens)
        used: float = min(asked, taken)
        try:
            reply = await following(call)
            used = reply.tokens_in + reply.tokens_out
            return reply
        finally:
            tokens.give_back(taken - used)

    return handle


def estimated_tokens(request: ChatRequest) -> int:
    """Return about how many tokens a request has."""
    return sum(len(message.content) for message in request.messages) // CHARACTERS_A_TOKEN
