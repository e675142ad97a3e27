import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from tests.unit.search.graphs import BrokenEmbedder, ToyEmbedder, ToyTokenizer, library
from tgrag.errors import EmbedderMismatch, EmptyQuestion, UnknownBook, UnknownMode
from tgrag.search.engine import READERS, Engine
from tgrag.search.requests import MODES, QueryRequest
from tgrag.settings import SearchSettings


@pytest.mark.parametrize("question", ["", " \n", "?", "… — !"])
def test_a_question_without_a_word_is_refused(engine, question):
    with pytest.raises(EmptyQuestion):
        engine.query(QueryRequest(question=question))


def test_an_unknown_mode_is_refused_with_the_known_ones(engine):
    with pytest.raises(UnknownMode, match="classic, temporal"):
        engine.retrieve(QueryRequest(question="Кто?", mode="globe"))


def test_an_unknown_book_is_refused(engine):
    with pytest.raises(UnknownBook):
        engine.query(QueryRequest(question="Кто потерял ключ?", books=["Пропавшая книга"]))


def test_an_index_of_another_embedder_is_refused(snapshot):
    other = ToyEmbedder()
    other.identity = replace(other.identity, revision="2")
    with pytest.raises(EmbedderMismatch, match="revision"):
        Engine(snapshot, other, ToyTokenizer(), SearchSettings())


class AwayEmbedder(BrokenEmbedder):
    """One that does not even say who it is, until it is back."""

    away = True

    @property
    def identity(self):
        if self.away:
            raise RuntimeError("no answer from the model server")
        return replace(ToyEmbedder.identity, revision="2")


def test_an_index_is_opened_without_its_embedder_which_is_checked_when_it_is_back(snapshot):
    embedder = AwayEmbedder()
    engine = Engine(snapshot, embedder, ToyTokenizer(), SearchSettings())
    answer = engine.query(QueryRequest(question="Кто потерял медный ключ?"))
    assert answer.found
    assert "embed" in {fall_back.step for fall_back in answer.fall_backs}
    embedder.away = False
    with pytest.raises(EmbedderMismatch, match="revision"):
        engine.query(QueryRequest(question="Кто нашёл медный ключ?"))


@pytest.mark.parametrize("mode", MODES)
def test_without_an_embedder_lexical_search_answers_and_says_so(snapshot, mode):
    engine = Engine(snapshot, BrokenEmbedder(), ToyTokenizer(), SearchSettings())
    answer = engine.query(QueryRequest(question="Кто потерял медный ключ?", mode=mode))
    assert answer.found
    assert "embed" in {fall_back.step for fall_back in answer.fall_backs}


class HeldEmbedder(ToyEmbedder):
    """Embeds passages only when it is let."""

    def __init__(self):
        self.let, self.n_waiting = threading.Event(), threading.Semaphore(0)

    def embed_passages(self, texts):
        self.n_waiting.release()
        self.let.wait(30)
        return super().embed_queries(texts)


def test_more_questions_than_the_embedder_can_read_for_are_answered_by_words(snapshot):
    embedder = HeldEmbedder()
    engine = Engine(snapshot, embedder, ToyTokenizer(), SearchSettings())
    request = QueryRequest(question="Кто потерял медный ключ?")
    with ThreadPoolExecutor(READERS) as pool:
        held = [pool.submit(engine.query, request) for _ in range(READERS)]
        for _ in held:
            assert embedder.n_waiting.acquire(timeout=30)
        answer = engine.query(request)
        embedder.let.set()
    assert answer.found
    assert any("busy" in fall_back.reason for fall_back in answer.fall_backs)
    assert not any("busy" in fall_back.reason for done in held for fall_back in done.result().fall_backs)


@pytest.mark.parametrize("mode", MODES)
def test_the_profile_without_models_says_what_stood_in(engine, mode):
    answer = engine.query(QueryRequest(question="Кто потерял медный ключ?", mode=mode))
    assert {fall_back.step for fall_back in answer.fall_backs} == {"rerank", "answer"}
    assert {"view", "embed", "text_units", "answer"} <= answer.timings.keys()
    assert all(seconds >= 0 for seconds in answer.timings.values())


def test_a_vector_computed_by_the_caller_is_used(snapshot, engine):
    question = "Кто потерял медный ключ?"
    vector = ToyEmbedder().embed_queries([question])[0]
    broken = Engine(snapshot, BrokenEmbedder(), ToyTokenizer(), SearchSettings())
    asked = QueryRequest(question=question, mode="classic")
    assert broken.retrieve(asked, vector).items == engine.retrieve(asked).items


def test_without_the_embedder_there_is_no_second_search_and_the_response_says_so(snapshot):
    question = "Кто потерял медный ключ?"
    vector = ToyEmbedder().embed_queries([question])[0]
    broken = Engine(snapshot, BrokenEmbedder(), ToyTokenizer(), SearchSettings())
    found = broken.retrieve(QueryRequest(question=question), vector)
    assert found.items
    assert "a second search" in {taken.wanted for taken in found.fall_backs}


def test_the_context_comes_only_when_asked_for(engine):
    question = "Кто потерял медный ключ?"
    assert engine.query(QueryRequest(question=question)).context is None
    answer = engine.query(QueryRequest(question=question, include_context=True))
    retrieval = engine.retrieve(QueryRequest(question=question))
    assert answer.context == retrieval.items
    assert answer.tokens["context"] == retrieval.n_tokens > 0
    assert (answer.collection, answer.version) == (retrieval.collection, retrieval.version) == ("toy", "v1")


def test_classic_shows_the_best_few_units(engine):
    items = engine.retrieve(QueryRequest(question="Кто потерял медный ключ?", mode="classic")).items
    assert {item.kind for item in items} == {"text_unit"}
    assert len(items) == SearchSettings().classic_units


def test_books_restrict_what_is_searched(engine):
    request = QueryRequest(question="Кто потерял медный ключ?", books=["Рижский гость"])
    assert {item.book for item in engine.retrieve(request).items} == {"Рижский гость"}


@pytest.mark.parametrize("mode", MODES)
def test_an_empty_collection_answers_that_it_holds_nothing(mode):
    engine = Engine(library([]), ToyEmbedder(), ToyTokenizer(), SearchSettings())
    answer = engine.query(QueryRequest(question="Кто потерял медный ключ?", mode=mode))
    assert not answer.found
    assert answer.answer.startswith("Под заданные ограничения")
