"""Answers of a language model, with parts that really break."""

import re

import pytest

from tests.unit.calls.fakes import FakeModel, lasting, reply
from tests.unit.search.graphs import ToyEmbedder, ToyTokenizer
from tgrag.search.engine import Engine
from tgrag.search.model_answer import AnswerWriter
from tgrag.search.requests import QueryRequest
from tgrag.settings import ChatSettings, SearchSettings

ASKED = QueryRequest(question="Кто потерял медный ключ?", mode="classic", include_context=True)
QUOTE = "Над дверью висел медный ключ."
CHAT = ChatSettings(attempts=1)


class Model(FakeModel):
    """A model that closes."""

    async def close(self):
        pass


def ask(snapshot, *outcomes, request=ASKED):
    model = Model(*outcomes, seconds=0)
    writer = AnswerWriter(CHAT, lambda settings: model)
    engine = Engine(snapshot, ToyEmbedder(), ToyTokenizer(), SearchSettings(), writer)
    return engine.query(request), model


@pytest.fixture(scope="module")
def number(engine):
    context = engine.query(ASKED).context
    return next(n for n, item in enumerate(context, start=1) if QUOTE in item.text)


def chat_fall_backs(answer):
    return [f for f in answer.fall_backs if f.wanted == "chat model"]


def test_a_quote_is_looked_up_in_the_unit_it_is_said_to_be_of(snapshot, number):
    answer, model = ask(snapshot, reply(f"Ключ висел: «{QUOTE}» [{number}]"))
    assert answer.answer == f"Ключ висел: «{QUOTE}» [1]"
    (citation,) = answer.citations
    assert answer.found
    assert citation.verified
    assert citation.quote == QUOTE
    assert answer.tokens["prompt"] == 10
    assert answer.tokens["answer"] == 5
    assert not chat_fall_backs(answer)
    assert len(model.requests) == 1


def test_a_wrong_quote_is_asked_for_once_more_and_named(snapshot, number):
    right = reply(f"«{QUOTE}» [{number}]")
    answer, model = ask(snapshot, reply(f"«Ключа не было.» [{number}]"), right)
    assert answer.citations[0].verified
    assert re.search("Ключа не было", model.requests[1].messages[-1].content)


@pytest.mark.parametrize(
    "outcome", [lasting("down"), reply("Да."), reply("«Выдумано.» [1]"), reply(f"«{QUOTE}» [99]")]
)
def test_without_a_readable_answer_quotes_answer_and_it_is_on_record(snapshot, outcome):
    answer, _ = ask(snapshot, outcome)
    assert answer.found
    assert all(citation.verified for citation in answer.citations)
    (taken,) = chat_fall_backs(answer)
    assert taken.used == "extractive quotes"


def test_not_in_the_context_is_an_answer(snapshot):
    answer, model = ask(snapshot, reply("В приведённых отрывках ответа нет."))
    assert (answer.found, answer.citations, chat_fall_backs(answer)) == (False, [], [])
    assert len(model.requests) == 1
