"""Answers of a language model, with parts that really break."""

import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from tests.unit.calls.fakes import FakeModel, HalfSaid, lasting, reply
from tests.unit.search.graphs import ToyEmbedder, ToyTokenizer
from tests.unit.search.test_caller import Heard
from tgrag.errors import CallerLeft
from tgrag.search.caller import Caller
from tgrag.search.engine import Engine
from tgrag.search.model_answer import AnswerWriter
from tgrag.search.requests import QueryRequest
from tgrag.settings import ChatSettings, SearchSettings

ASKED = QueryRequest(question="Кто потерял медный ключ?", mode="classic", include_context=True)
QUOTE = "Над дверью висел медный ключ."
CHAT = ChatSettings(attempts=1)


def ask(snapshot, *outcomes, request=ASKED):
    model = FakeModel(*outcomes, seconds=0)
    with closing(AnswerWriter(CHAT, lambda settings: model)) as writer:
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


def streamed(snapshot, *outcomes, chat=CHAT, within=None, request=ASKED):
    """Return the answer, and what was heard of it: the text as a reader has it, its pieces, restarts."""
    heard = Heard()
    with closing(AnswerWriter(chat, lambda settings: FakeModel(*outcomes, seconds=0), within)) as writer:
        engine = Engine(snapshot, ToyEmbedder(), ToyTokenizer(), SearchSettings(), writer)
        return engine.query(request, caller=heard.caller), heard


def test_an_answer_is_heard_while_it_is_written(snapshot, number):
    answer, heard = streamed(snapshot, reply(f"Ключ висел: «{QUOTE}» [{number}]"))
    assert heard.text == answer.answer
    assert (len(heard.deltas) > 3, heard.restarts) == (True, 0)


@pytest.mark.parametrize("first", ["«Ключа не было.» [1]", "Да."])
def test_the_text_begins_anew_when_it_has_to_be_mended(snapshot, number, first):
    answer, heard = streamed(snapshot, reply(first), reply(f"«{QUOTE}» [{number}]"))
    assert heard.text == answer.answer
    assert heard.restarts == 1
    assert not chat_fall_backs(answer)


@pytest.mark.parametrize("failed", [lasting("down"), HalfSaid("Ключ висел на"), reply("«Выдумано.» [1]")])
def test_quotes_replace_what_the_model_does_not_bring_to_an_end(snapshot, failed):
    answer, heard = streamed(snapshot, failed)
    assert heard.text == answer.answer
    assert len(answer.citations) == answer.answer.count("\n") + 1
    assert chat_fall_backs(answer)


def test_a_try_that_failed_half_way_is_made_again(snapshot, number):
    whole = reply(f"«{QUOTE}» [{number}]")
    answer, heard = streamed(snapshot, HalfSaid("Ключ"), whole, chat=ChatSettings(attempts=2))
    assert (heard.text, heard.restarts) == (answer.answer, 1)
    assert not chat_fall_backs(answer)


def test_a_late_model_leaves_time_for_quotes(snapshot):
    slow = FakeModel(reply("Да."), seconds=600)
    with closing(AnswerWriter(CHAT, lambda settings: slow, within=0.05)) as writer:
        answer = Engine(snapshot, ToyEmbedder(), ToyTokenizer(), SearchSettings(), writer).query(ASKED)
    assert answer.found
    assert "no answer within 0.05 s" in chat_fall_backs(answer)[0].reason
    assert slow.left == 1


def test_who_leaves_stops_the_model_and_frees_its_slot(snapshot, number):
    held = FakeModel(reply(f"«{QUOTE}» [{number}]"), seconds=600)
    writer = AnswerWriter(ChatSettings(attempts=1, max_in_flight=1), lambda settings: held)
    engine = Engine(snapshot, ToyEmbedder(), ToyTokenizer(), SearchSettings(), writer)
    caller = Caller()
    with closing(writer), ThreadPoolExecutor(1) as pool:
        asked = pool.submit(engine.query, ASKED, caller=caller)
        while not held.requests:
            pass
        caller.leave()
        with pytest.raises(CallerLeft):
            asked.result(30)
        held.seconds = 0
        assert engine.query(ASKED).found
    assert held.left == 1


def test_who_left_before_is_not_answered(snapshot):
    caller = Caller()
    caller.leave()
    model = FakeModel(reply("Да."), seconds=0)
    with closing(AnswerWriter(CHAT, lambda settings: model)) as writer, pytest.raises(CallerLeft):
        Engine(snapshot, ToyEmbedder(), ToyTokenizer(), SearchSettings(), writer).query(ASKED, caller=caller)
    assert not model.requests


def test_all_questions_share_one_client_and_its_slots(snapshot):
    model, opened = FakeModel(reply("В приведённых отрывках ответа нет."), seconds=0.01), []

    def open_model(settings):
        opened.append(settings)
        return model

    writer = AnswerWriter(ChatSettings(max_in_flight=2), open_model)
    engine = Engine(snapshot, ToyEmbedder(), ToyTokenizer(), SearchSettings(), writer)
    questions = [ASKED.model_copy(update={"question": f"Кто потерял медный ключ {n}?"}) for n in range(8)]
    with closing(writer), ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(engine.query, questions))
    assert len(opened) == 1
    assert model.most_running == 2
    assert {answer.tokens["answer"] for answer in answers} == {5}


def test_a_line_of_the_graph_is_quoted_by_the_text_that_it_was_read_from(snapshot):
    request = ASKED.model_copy(update={"mode": "temporal", "question": "Кто такой Никита?"})
    settings = SearchSettings(
        budget_tokens=200, entities_share=1.0, communities_share=0.0
    )  # no room for text
    plain = Engine(snapshot, ToyEmbedder(), ToyTokenizer(), settings)
    context = plain.query(request).context
    place, line = next((n, item) for n, item in enumerate(context, start=1) if item.kind == "entity")
    quote = line.text.removeprefix(f"{line.name}: ").split(" | ")[0]
    model = FakeModel(reply(f"«{quote}» [{place}]"), seconds=0)
    with closing(AnswerWriter(CHAT, lambda settings: model)) as writer:
        answer = Engine(snapshot, ToyEmbedder(), ToyTokenizer(), settings, writer).query(request)
    (citation,) = answer.citations
    assert citation.verified
    assert citation.text_unit_id in line.text_unit_ids
    assert not chat_fall_backs(answer)
