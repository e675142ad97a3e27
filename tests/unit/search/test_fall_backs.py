"""Every part that can be missing is really missing once: an answer comes all the same, and says what stood in."""

from contextlib import closing

import pytest

from tests.unit.calls.fakes import FakeModel, lasting
from tests.unit.search.graphs import BookText, BrokenEmbedder, ToyEmbedder, ToyTokenizer, library
from tests.unit.search.test_rerank import Down
from tgrag.search.engine import Engine
from tgrag.search.model_answer import AnswerWriter
from tgrag.search.requests import MODES, QueryRequest
from tgrag.settings import ChatSettings, SearchSettings

ONE = library([BookText("s", 1, "Записка", [(["I"], ["Ключ потерял дворник. Его искали до ночи."])])])
NAMELESS = library([BookText("s", 1, "Записка", [(["I"], ["ключ потерян.", "его искали до ночи."])])])


def ask(snapshot, question, mode, embedder=ToyEmbedder, **parts):
    engine = Engine(snapshot, embedder(), ToyTokenizer(), SearchSettings(), **parts)
    return engine.query(QueryRequest(question=question, mode=mode, include_context=True))


def stood_in(answer):
    return {fall_back.wanted for fall_back in answer.fall_backs}


@pytest.mark.parametrize("mode", MODES)
def test_with_every_model_down_at_once_words_still_find_the_quote(snapshot, mode):
    model = FakeModel(lasting("no server"), seconds=0)
    with closing(AnswerWriter(ChatSettings(attempts=1), lambda settings: model)) as writer:
        answer = ask(
            snapshot, "Кто потерял медный ключ?", mode, BrokenEmbedder, writer=writer, reranker=Down("")
        )
    assert answer.found
    assert all(citation.verified for citation in answer.citations)
    assert {"vectors", "reranker", "chat model"} <= stood_in(answer)


@pytest.mark.parametrize("mode", MODES)
def test_one_document_of_one_text_unit_is_enough(mode):
    answer = ask(ONE, "Кто потерял ключ?", mode)
    assert answer.citations[0].quote.startswith("Ключ потерял дворник.")


def test_an_index_without_entities_answers_from_its_text_and_says_so():
    answer = ask(NAMELESS, "Что с ключом?", "temporal")
    assert answer.found
    assert "entities" in stood_in(answer)
    assert "entities" not in stood_in(ask(NAMELESS, "Что с ключом?", "classic"))


@pytest.mark.parametrize("mode", MODES)
def test_whom_nobody_knows_is_not_made_up(snapshot, mode):
    answer = ask(snapshot, "Где родился Квазимодо?", mode)
    assert "Квазимодо" not in answer.answer
    assert all(citation.verified for citation in answer.citations)
    assert answer.found is bool(answer.citations)


@pytest.mark.parametrize("mode", MODES)
def test_when_nothing_is_found_that_is_the_answer(snapshot, mode):
    answer = ask(snapshot, "Zzyzx qwrtpl?", mode, BrokenEmbedder)
    assert (answer.found, answer.citations) == (False, [])
    assert answer.answer


@pytest.mark.parametrize("mode", MODES)
def test_a_model_is_not_asked_about_an_empty_context(mode):
    model = FakeModel(seconds=0)
    with closing(AnswerWriter(ChatSettings(attempts=1), lambda settings: model)) as writer:
        answer = ask(library([]), "Кто потерял ключ?", mode, writer=writer)
    assert not answer.found
    assert not model.requests
