from types import SimpleNamespace

import pytest

from tgrag.errors import ModelUnavailable
from tgrag.models import served
from tgrag.models.served import DOWN_SECONDS, ServedEmbedder


def test_an_embedder_that_did_not_answer_is_left_alone_for_a_while(monkeypatch):
    asked, now = [], [100.0]
    monkeypatch.setattr(served, "monotonic", lambda: now[0])

    def remote(texts):
        asked.append(texts)
        return SimpleNamespace(result=result)

    def result(timeout_s):
        if len(asked) == 1:
            raise TimeoutError
        return [[1.0, 0.0]]

    embedder = ServedEmbedder(30)
    embedder._handle = SimpleNamespace(embed_queries=SimpleNamespace(remote=remote))
    for _ in range(3):
        with pytest.raises(ModelUnavailable):
            embedder.embed_queries(["Кто?"])
    assert len(asked) == 1
    now[0] += DOWN_SECONDS
    assert embedder.embed_queries(["Кто?"]).tolist() == [[1.0, 0.0]]
