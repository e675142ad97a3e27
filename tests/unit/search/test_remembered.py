import numpy as np
import pytest

from tgrag.search.context import RememberingTokenizer
from tgrag.search.remembered import RememberedVectors


def test_a_text_is_embedded_once_while_it_is_remembered():
    calls = []

    def embed(texts):
        calls.append(list(texts))
        return np.array([[len(text)] for text in texts], dtype=np.float32)

    remembered = RememberedVectors(embed, 2)
    assert [v[0] for v in remembered.of(["a", "bb", "a"])] == [1, 2, 1]
    assert [v[0] for v in remembered.of(["bb", "ccc"])] == [2, 3]
    remembered.of(["a"])
    assert calls == [["a", "bb"], ["ccc"], ["a"]]


def test_more_texts_than_are_kept_are_all_answered():
    remembered = RememberedVectors(lambda texts: np.ones((len(texts), 1), dtype=np.float32), 2)
    assert len(remembered.of(["a", "b", "c", "d"])) == 4


def test_a_failure_is_not_remembered():
    def embed(texts):
        raise RuntimeError("down")

    remembered = RememberedVectors(embed, 2)
    for _ in range(2):
        with pytest.raises(RuntimeError):
            remembered.of(["a"])


def test_a_line_is_counted_once():
    class Words:
        name = "words"
        calls = 0

        def count(self, text):
            self.calls += 1
            return len(text.split())

    words = Words()
    remembering = RememberingTokenizer(words)
    assert [remembering.count("a b"), remembering.count("a b")] == [2, 2]
    assert (words.calls, remembering.name) == (1, "words")
