"""The answer of a language model over the context, its quotes looked up in the text units that it was shown.

Calls go through the chain of costly calls, but without a memo: answers depend on whole contexts, so they hardly ever
repeat, and a question writes nothing under the root of the indexes.
"""

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from tgrag.calls import Call, Counters, ask, chain
from tgrag.index.memo import Failure
from tgrag.models.chat import ChatModel, ChatReply, ChatRequest, InvalidAnswer
from tgrag.models.chats import open_chat
from tgrag.prompts import prompt, repair_message
from tgrag.records import TextUnit
from tgrag.search.answer import ExtractiveAnswer
from tgrag.search.citations import cite, verify
from tgrag.search.question import Question
from tgrag.search.requests import ContextItem
from tgrag.search.view import View
from tgrag.settings import ChatSettings

MAX_ANSWER_TOKENS = 1_000  # the prompt asks for a brief answer
PURPOSE = "answer"

_QUOTED = re.compile(r"(?:«([^«»]+)»|“([^“”]+)”|„([^„“”]+)[“”]|\"([^\"]+)\")\s*\[(\d+)\]")
_NOT_THERE = re.compile(
    r"passages do not answer|в приведённых отрывках ответа нет|у наведених уривках відповіді немає",
    re.IGNORECASE,
)


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


@dataclass(frozen=True, slots=True)
class Quoted:
    """A quote as it stands in the text of the unit, and the passage that it was said to be of, from 1."""

    text: str
    number: int


@dataclass(frozen=True, slots=True)
class Written:
    """A readable answer. quotes: in order, every one of them found; empty when the context has no answer."""

    text: str
    quotes: tuple[Quoted, ...]


class AnswerWriter:
    """Answers with the chat model of the settings, opened anew for each question, from any thread."""

    def __init__(self, settings: ChatSettings, open_model: Callable[[ChatSettings], ChatModel]) -> None:
        self._settings, self._open = settings, open_model

    def answer(
        self,
        question: Question,
        as_of: str,
        items: Sequence[ContextItem],
        units: Sequence[TextUnit],
        view: View,
    ) -> tuple[ExtractiveAnswer, Counters]:
        """Return the answer over a context and what it cost. units: the text units of the context.

        Raises CallFailed when the model gives none, Unreadable when a quote is not found after a retry.
        """
        shown = {unit.text_unit_id: unit for unit in units}
        request = answer_request(question, as_of, items)
        counters = Counters()
        written = asyncio.run(self._ask(request, question, items, shown, counters))
        citations = [
            cite(place, quote.text, shown[items[quote.number - 1].id], view)
            for place, quote in enumerate(written.quotes, start=1)
        ]
        return ExtractiveAnswer(written.text, bool(citations), citations), counters

    async def _ask(
        self,
        request: ChatRequest,
        question: Question,
        items: Sequence[ContextItem],
        units: Mapping[str, TextUnit],
        counters: Counters,
    ) -> Written:
        model = self._open(self._settings)
        try:
            handler = chain(model, NoMemory(), self._settings, counters)
            mend = partial(repair_message, language=question.language)
            return await ask(
                handler, Call(request, PURPOSE, PURPOSE), lambda text: read_answer(text, items, units), mend
            )
        finally:
            await model.close()


def answer_writer(settings: ChatSettings, within: float | None = None) -> AnswerWriter | None:
    """Return what answers with the model of the settings; None where they name none.

    within: seconds that a question has: an answer and its repair then get a third each and are not tried again, so
    that there is time left for quotes.
    """
    if settings.backend == "none":
        return None
    if within is not None:
        seconds = min(settings.timeout_seconds, within / 3)
        settings = settings.model_copy(update={"timeout_seconds": seconds, "attempts": 1})
    return AnswerWriter(settings, open_chat)


def answer_request(question: Question, as_of: str, items: Sequence[ContextItem]) -> ChatRequest:
    passages = [
        {"number": n, "place": item.label, "text": item.text} for n, item in enumerate(items, start=1)
    ]
    messages = prompt("answer_strict", question.language).messages(
        question=question.text, as_of=as_of, passages=passages
    )
    return ChatRequest(messages, MAX_ANSWER_TOKENS)


def read_answer(text: str, items: Sequence[ContextItem], units: Mapping[str, TextUnit]) -> Written:
    """Return the answer with its quotes numbered from 1. Raises InvalidAnswer that names each quote not found."""
    quotes: list[Quoted] = []
    missing: list[str] = []

    def numbered(match: re.Match[str]) -> str:
        said = next(group for group in match.groups()[:4] if group)
        number = int(match[5])
        unit = units.get(items[number - 1].id) if 1 <= number <= len(items) else None
        quote = as_it_stands(said, unit) if unit else None
        if quote is None:
            missing.append(f"«{said}» [{number}]")
            return match[0]
        quotes.append(Quoted(quote, number))
        return match[0][: match.start(5) - match.start()] + f"{len(quotes)}]"

    answer = _QUOTED.sub(numbered, text).strip()
    if missing:
        raise InvalidAnswer(
            f"not word for word in the text passage that is named: {'; '.join(missing)}. Quote the passages of text"
        )
    if not quotes and not _NOT_THERE.search(answer):
        raise InvalidAnswer("no statement has a quotation with the number of its passage, such as «…» [1]")
    return Written(answer, tuple(quotes))


def as_it_stands(quote: str, unit: TextUnit) -> str | None:
    """Return a quote with the white space of the text unit, letter for letter otherwise; None when it is not there."""
    words = quote.split()
    found = re.search(r"\s+".join(map(re.escape, words)), unit.text) if words else None
    return found[0] if found and verify(found[0], unit) is not None else None
