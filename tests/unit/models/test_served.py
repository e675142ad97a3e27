from types import SimpleNamespace

import pytest

from tgrag.errors import EmbedderMismatch, ModelUnavailable
from tgrag.models import served
from tgrag.models.protocols import EmbedderIdentity
from tgrag.models.served import DOWN_SECONDS, ServedEmbedder
from tgrag.search.matching import MatchingEmbedder

ONE = {
    "name": "one",
    "revision": "",
    "dimension": 2,
    "normalized": True,
    "query_prefix": "",
    "passage_prefix": "",
    "max_tokens": 512,
}
OTHER = ONE | {"name": "other"}


def test_an_embedder_that_did_not_answer_is_left_alone_for_a_while(monkeypatch):
    asked, now = [], [100.0]
    monkeypatch.setattr(served, "monotonic", lambda: now[0])

    def remote(texts):
        asked.append(texts)
        return SimpleNamespace(result=result)

    def result(timeout_s):
        if len(asked) == 1:
            raise TimeoutError
        return {"identity": ONE, "vectors": [[1.0, 0.0]]}

    embedder = ServedEmbedder(30)
    embedder.identity = EmbedderIdentity(**ONE)
    embedder._handle = SimpleNamespace(embed_queries=SimpleNamespace(remote=remote))
    for _ in range(3):
        with pytest.raises(ModelUnavailable):
            embedder.embed_queries(["Кто?"])
    assert len(asked) == 1
    now[0] += DOWN_SECONDS
    assert embedder.embed_queries(["Кто?"]).tolist() == [[1.0, 0.0]]


class Deployment:
    """Stands for the application's handle."""

    def __init__(self) -> None:
        self.serves = ONE

    def __getattr__(self, method):
        def told(*arguments):
            if method == "identity":
                return self.serves
            return {"identity": self.serves, "vectors": [[1.0, 0.0]] * len(arguments[0])}

        return SimpleNamespace(remote=lambda *a: SimpleNamespace(result=lambda timeout_s: told(*a)))


def test_vectors_of_another_model_than_the_indexs_are_refused_also_when_it_is_replaced_later():
    deployment, embedder = Deployment(), ServedEmbedder(30)
    embedder._handle = deployment
    old = MatchingEmbedder(embedder, ONE, "library")
    assert old.embed_queries(["Кто?"]).shape == (1, 2)
    deployment.serves = OTHER
    for _ in range(2):
        with pytest.raises(EmbedderMismatch, match=r"«library».*'one'.*'other'"):
            old.embed_queries(["Кто?"])
    new = MatchingEmbedder(embedder, OTHER, "library")
    assert new.embed_passages(["Он.", "Она."]).shape == (2, 2)
    deployment.serves = ONE
    with pytest.raises(EmbedderMismatch):
        new.embed_passages(["Он."])
    assert old.embed_queries(["Кто?"]).shape == (1, 2)
