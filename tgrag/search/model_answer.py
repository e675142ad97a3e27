"""The answer of a language model over the context, its quotes looked up in the text units that it was shown.

Calls go through the chain of costly calls, but without a memo: answers depend on whole contexts, so they hardly ever
repeat, and a question writes nothing under the root of the indexes.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from tgrag.calls import Call, Counters, Handler, ask, chain
from tgrag.calls.loop import CallLoop
from tgrag.index.memo import Failure
from tgrag.models.chat import CallFailed, ChatModel, ChatReply, ChatRequest
from tgrag.models.chats import open_chat
from tgrag.prompts import prompt, repair_message
from tgrag.records import TextUnit
from tgrag.search.answer import ExtractiveAnswer
from tgrag.search.caller import Caller
from tgrag.search.citations import cite
from tgrag.search.question import Question
from tgrag.search.quoting import Written, read_answer
from tgrag.search.requests import ContextItem
from tgrag.search.view import View
from tgrag.settings import ChatSettings

MAX_ANSWER_TOKENS = 1_000  # the prompt asks for a brief answer
PURPOSE = "answer"


_open_urgent = partial(open_chat, urgent=True)


class NoMemory:
    """Remembers nothing: see above."""

    def get(self, key: str) -> None:
        return None

    def put(self, owner: str, key: str, reply: ChatReply) -> ChatReply:
        return reply

    def given_up(self, key: str) -> None:
        return None

    def put_failure(self, owner: str, key: str, failure: Failure) -> None:
        return None


class AnswerWriter:
    """Answers with the chat model of the settings, from any thread, until it is closed.

    All questions share its connections, slots and rate limits. within: seconds that an answer and its repair have
    together, waiting for a slot included.
    """

    def __init__(
        self,
        settings: ChatSettings,
        open_model: Callable[[ChatSettings], ChatModel] = _open_urgent,
        within: float | None = None,
    ) -> None:
        self._settings, self._open, self._within = settings, open_model, within
        self._loop = CallLoop("answers")
        self._model: ChatModel | None = None
        self._handler: Handler | None = None

    def answer(
        self, question: Question, as_of: str, items: Sequence[ContextItem], view: View, caller: Caller
    ) -> tuple[ExtractiveAnswer, Counters]:
        """Return the answer over a context and what it cost.

        Raises CallFailed when the model gives none, Unreadable when a quote is not found after a retry,
        ConfigurationError when the settings name no model, CallerLeft.
        """
        spent = Counters()
        work = self._ask(question, as_of, items, view, caller, spent)
        written = caller.wait(self._loop.submit(work))
        citations = [
            cite(place, quote.text, quote.unit, view) for place, quote in enumerate(written.quotes, start=1)
        ]
        return ExtractiveAnswer(written.text, bool(citations), citations), spent

    def close(self) -> None:
        """Release the connections."""
        if self._model:
            self._loop.submit(self._model.close()).result()
        self._loop.close()

    async def _ask(
        self,
        question: Question,
        as_of: str,
        items: Sequence[ContextItem],
        view: View,
        caller: Caller,
        spent: Counters,
    ) -> Written:
        call = Call(
            answer_request(question, as_of, items), PURPOSE, PURPOSE, caller if caller.hears else None
        )
        mend = partial(repair_message, language=question.language)
        try:
            async with asyncio.timeout(self._within):
                handler = tallied(self._calls(), spent)
                return await ask(
                    handler, call, lambda text: read_answer(text, items, partial(units_of, view=view)), mend
                )
        except TimeoutError:
            raise CallFailed(f"no answer within {self._within:g} s", transient=True) from None

    def _calls(self) -> Handler:
        """Return the chain of calls, made when the first question needs it."""
        if self._handler is None:
            self._model = self._open(self._settings)
            self._handler = chain(self._model, NoMemory(), self._settings, Counters())
        return self._handler


def answer_writer(settings: ChatSettings, within: float | None = None) -> AnswerWriter | None:
    """Return what answers with the model of the settings; None where they name none.

    within: seconds that a question has: an answer and its repair then get a third each and are not tried again, so
    that there is time left for quotes.
    """
    if settings.backend == "none":
        return None
    if within is None:
        return AnswerWriter(settings)
    seconds = min(settings.timeout_seconds, within / 3)
    settings = settings.model_copy(update={"timeout_seconds": seconds, "attempts": 1})
    return AnswerWriter(settings, within=2 * within / 3)


def answer_request(question: Question, as_of: str, items: Sequence[ContextItem]) -> ChatRequest:
    passages = [
        {"number": n, "place": item.label, "text": item.text} for n, item in enumerate(items, start=1)
    ]
    messages = prompt("answer_strict", question.language).messages(
        question=question.text, as_of=as_of, passages=passages
    )
    return ChatRequest(messages, MAX_ANSWER_TOKENS)


def units_of(item: ContextItem, view: View) -> Iterable[TextUnit]:
    """Return the text units that a line of the context shows or was made from."""
    return view.text_units_called([item.id] if item.kind == "text_unit" else item.text_unit_ids)


def tallied(following: Handler, spent: Counters) -> Handler:
    """Count the tokens of one question's calls."""

    async def handle(call: Call) -> ChatReply:
        reply = await following(call)
        spent.tokens_in += reply.tokens_in
        spent.tokens_out += reply.tokens_out
        return reply

    return handle
