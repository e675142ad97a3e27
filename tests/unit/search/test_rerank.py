"""Reranking, with a reranker that likes one word, and with one that is down."""

import numpy as np
import pytest

from tests.unit.search.graphs import BOOKS, ToyEmbedder, ToyTokenizer, library
from tgrag.search.engine import Engine
from tgrag.search.requests import MODES, QueryRequest
from tgrag.settings import SearchSettings

QUESTION = "Кто потерял медный ключ?"


class Likes:
    """Scores a passage by whether it holds a word, a little more when the query says more."""

    def __init__(self, word):
        self.word, self.batches = word, []

    def score(self, pairs):
        self.batches.append(list(pairs))
        return np.array([(self.word in passage) * (0.5 + len(query) / 10_000) for query, passage in pairs])


class Down(Likes):
    def score(self, pairs):
        raise RuntimeError("CUDA error")


def found(snapshot, mode, reranker, **more):
    engine = Engine(snapshot, ToyEmbedder(), ToyTokenizer(), SearchSettings(**more), reranker=reranker)
    return engine.retrieve(QueryRequest(question=QUESTION, mode=mode, explain=True))


def all_units(snapshot):
    return snapshot.text_units.take(range(len(snapshot.text_units)))


def taken(retrieval):
    return {fall_back.wanted: fall_back for fall_back in retrieval.fall_backs}


@pytest.mark.parametrize("mode", MODES)
def test_what_the_reranker_likes_comes_first_and_all_pairs_go_in_one_batch(snapshot, mode):
    reranker, texts = (
        Likes("Оксана"),
        {u.text_unit_id: u.text for u in snapshot.text_units.take(range(len(snapshot.text_units)))},
    )
    retrieval = found(snapshot, mode, reranker)
    assert len(reranker.batches) == 1
    first = [texts[unit.text_unit_id] for unit in retrieval.ranked_units]
    liked = ["Оксана" in text for text in first]
    assert liked[0]
    assert liked == sorted(liked, reverse=True)
    assert "reranker" not in taken(retrieval)
    scores = [unit.score for unit in retrieval.ranked_units]
    assert scores == sorted(scores, reverse=True)


def test_entities_are_reranked_and_enrich_the_question(snapshot):
    reranker = Likes("Гаврила: ")  # as a state is described
    retrieval = found(snapshot, "temporal", reranker, entities=2, entity_factor=20)
    (states,) = [step.outputs for step in retrieval.steps if step.step == "entities"]
    assert len(states) == 2
    assert all("Гаврила" in state.label for state in states)
    enriched = {query for query, _ in reranker.batches[0]} - {QUESTION}
    assert enriched
    assert all(query.startswith(f"{QUESTION}. Контекст: ") for query in enriched)


@pytest.mark.parametrize("mode", MODES)
def test_without_the_reranker_the_fused_rank_stands_and_it_is_on_record(snapshot, mode):
    broken, plain = found(snapshot, mode, Down("")), found(snapshot, mode, None)
    assert broken.items == plain.items
    assert "CUDA error" in taken(broken)["reranker"].reason
    assert taken(broken)["reranker"].used == "fused rank"


@pytest.mark.parametrize("mode", MODES)
def test_an_empty_collection_has_nothing_to_rerank(mode):
    reranker = Likes("")
    assert found(library([]), mode, reranker).items == []
    assert reranker.batches == []


def test_what_comes_later_is_never_shown_to_the_reranker(snapshot):
    reranker = Likes("")
    engine = Engine(snapshot, ToyEmbedder(), ToyTokenizer(), SearchSettings(), reranker=reranker)
    request = QueryRequest(question=QUESTION, as_of={"series": BOOKS[0].series, "ordinal": 2})
    engine.retrieve(request)
    seen = {unit.text for unit in all_units(snapshot) if unit.ordinal <= 2}
    sentences = " ".join(seen)
    for _, passage in reranker.batches[0]:
        assert passage in seen or passage.partition(": ")[2].split(". ")[0] in sentences
