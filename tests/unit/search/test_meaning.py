import numpy as np

from tests.unit.search.graphs import ToyEmbedder
from tgrag.search import meaning
from tgrag.search.meaning import SentenceMeaning, affordable


class CountingEmbedder(ToyEmbedder):
    def __init__(self):
        self.seen = []

    def embed_passages(self, texts):
        self.seen += texts
        return super().embed_passages(texts)


def test_a_sentence_is_embedded_once(monkeypatch):
    embedder = CountingEmbedder()
    compared = SentenceMeaning(embedder)
    question = embedder.embed_queries(["дом"])[0]
    first = compared.similarities(question, ["дом", "сад"])
    assert embedder.seen == ["дом", "сад"]
    np.testing.assert_array_equal(compared.similarities(question, ["сад", "дом", "дом"]), first[[1, 0, 0]])
    assert embedder.seen == ["дом", "сад"]
    assert first[0] > 0.99 > first[1]


def test_only_the_latest_sentences_are_kept(monkeypatch):
    monkeypatch.setattr(meaning, "KEPT", 1)
    embedder = CountingEmbedder()
    compared = SentenceMeaning(embedder)
    question = embedder.embed_queries(["дом"])[0]
    compared.similarities(question, ["дом", "сад"])
    compared.similarities(question, ["сад", "дом"])
    assert embedder.seen == ["дом", "сад", "дом"]


def test_as_many_sentences_are_compared_as_words_allow(monkeypatch):
    monkeypatch.setattr(meaning, "WORDS", 5)
    assert affordable(["раз два", "три четыре пять", "шесть"]) == 2
    assert affordable(["раз два три четыре пять шесть"]) == 0
    assert affordable([]) == 0


def test_a_model_that_was_not_measured_gives_no_verdict():
    assert SentenceMeaning(ToyEmbedder()).least(same_language=True) is None
