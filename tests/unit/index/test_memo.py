from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tgrag.index.memo import ATTEMPTS, Failure, ParseMemo, VectorMemo, purge, vector_key
from tgrag.models.protocols import EmbedderIdentity
from tgrag.records import Box, Element, Fragment, ParsedDocument
from tgrag.store.root import LocalRoot, open_root

IDENTITY = EmbedderIdentity("toy", "1", 4, True, "q: ", "p: ", 512)
DOCUMENT = ParsedDocument(
    "ok",
    title="Пиковая дама",
    elements=(
        Element("heading", "I", 1),
        Element("paragraph", "Однажды…", fragments=(Fragment(0, 3, Box(1, 2, 3.5, 4)),)),
    ),
)


def test_a_parsed_document_comes_back_equal(root_address: str) -> None:
    root = open_root(root_address)
    ParseMemo(root, "c").put("doc", "key", DOCUMENT)
    memo = ParseMemo(root, "c")
    assert "key" in memo
    assert memo.get("key") == DOCUMENT
    assert memo.get("other") is None


def test_the_first_answer_stays(root_address: str) -> None:
    root = open_root(root_address)
    ParseMemo(root, "c").put("doc", "key", DOCUMENT)
    ParseMemo(root, "c").put("doc", "key", replace(DOCUMENT, title="another"))
    assert ParseMemo(root, "c").get("key") == DOCUMENT


def test_an_answer_is_found_wherever_it_was_paid(root_address: str) -> None:
    root = open_root(root_address)
    ParseMemo(root, "c").put("old-name", "key", DOCUMENT)
    assert ParseMemo(root, "c").get("key") == DOCUMENT


@pytest.mark.parametrize("cut", [0, 1, 20, -1, -9])
def test_a_cut_object_is_never_read(tmp_path: Path, cut: int) -> None:
    ParseMemo(LocalRoot(tmp_path), "c").put("doc", "key", DOCUMENT)
    (path,) = tmp_path.rglob("*.gz")
    path.write_bytes(path.read_bytes()[:cut])
    memo = ParseMemo(LocalRoot(tmp_path), "c")
    assert memo.get("key") is None
    memo.put("doc", "key", DOCUMENT)
    assert ParseMemo(LocalRoot(tmp_path), "c").get("key") == DOCUMENT


@pytest.mark.parametrize("position", [12, 30, -6])
def test_a_flipped_bit_is_noticed(tmp_path: Path, position: int) -> None:
    ParseMemo(LocalRoot(tmp_path), "c").put("doc", "key", DOCUMENT)
    (path,) = tmp_path.rglob("*.gz")
    data = bytearray(path.read_bytes())
    data[position] ^= 0x10
    path.write_bytes(bytes(data))
    assert ParseMemo(LocalRoot(tmp_path), "c").get("key") is None


def test_lasting_failures_are_given_up_and_transient_ones_are_not(tmp_path: Path) -> None:
    root = LocalRoot(tmp_path)
    for attempt in range(ATTEMPTS):
        assert ParseMemo(root, "c").is_outstanding("key"), attempt
        ParseMemo(root, "c").put_failure("doc", "key", Failure("out of memory", transient=False))
    assert not ParseMemo(root, "c").is_outstanding("key")
    assert len(ParseMemo(root, "c").failures("key")) == ATTEMPTS
    ParseMemo(root, "c").put_failure("doc", "key", Failure("disk", transient=True))
    assert ParseMemo(root, "c").is_outstanding("key")
    ParseMemo(root, "c").forget_failures(["key"])
    assert ParseMemo(root, "c").failures("key") == []
    ParseMemo(root, "c").put("doc", "key", DOCUMENT)
    assert not ParseMemo(root, "c").is_outstanding("key")


def vectors(n: int, seed: int = 0) -> np.ndarray:
    rows = np.random.default_rng(seed).standard_normal((n, IDENTITY.dimension)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_vectors_come_back_rounded_to_half(root_address: str) -> None:
    root, rows = open_root(root_address), vectors(3)
    VectorMemo(root, "c", IDENTITY).put("doc", ["a", "b", "c"], rows)
    found = VectorMemo(root, "c", IDENTITY).load({"a", "c", "z"})
    assert set(found) == {"a", "c"}
    assert np.array_equal(found["a"], rows[0].astype(np.float16).astype(np.float32))
    assert np.array_equal(found["c"], rows[2].astype(np.float16).astype(np.float32))


def test_equal_stores_read_equal_whatever_was_written_first(tmp_path: Path) -> None:
    batches = [(["a", "b"], vectors(2, 1)), (["b", "c"], vectors(2, 2))]
    stores = []
    for name, order in (("one", batches), ("two", batches[::-1])):
        root = LocalRoot(tmp_path / name)
        for keys, rows in order:
            VectorMemo(root, "c", IDENTITY).put("doc", keys, rows)
        stores.append(VectorMemo(root, "c", IDENTITY).load({"a", "b", "c"}))
    assert all(np.array_equal(stores[0][key], stores[1][key]) for key in "abc")


def test_vectors_of_another_embedder_are_not_seen(tmp_path: Path) -> None:
    root = LocalRoot(tmp_path)
    VectorMemo(root, "c", IDENTITY).put("doc", ["a"], vectors(1))
    other = replace(IDENTITY, revision="2")
    assert VectorMemo(root, "c", other).load({"a"}) == {}
    assert vector_key(IDENTITY, "text") != vector_key(other, "text")


@pytest.mark.parametrize("damage", ["cut", "flip"])
def test_a_damaged_batch_is_made_again(tmp_path: Path, damage: str) -> None:
    memo = VectorMemo(LocalRoot(tmp_path), "c", IDENTITY)
    memo.put("doc", ["a", "b"], vectors(2))
    (path,) = tmp_path.rglob("*.parquet")
    data = bytearray(path.read_bytes())
    if damage == "cut":
        data = data[: len(data) // 2]
    else:
        data[data.index(vectors(2).astype(np.float16).tobytes()[:8]) + 2] ^= 0x01
    path.write_bytes(bytes(data))
    assert memo.load({"a", "b"}) == {}
    memo.put("doc", ["a", "b"], vectors(2))
    assert set(memo.load({"a", "b"})) == {"a", "b"}


def test_purge_and_garbage(root_address: str) -> None:
    root = open_root(root_address)
    for document in ("one", "two"):
        ParseMemo(root, "c").put(document, f"key-{document}", DOCUMENT)
        ParseMemo(root, "c").put_failure(document, f"bad-{document}", Failure("x", True))
        VectorMemo(root, "c", IDENTITY).put(document, [f"v-{document}"], vectors(1))
    assert purge(root, "c", {"one"}, {}) == 3
    assert [i.path for i in root.objects("c") if "/one/" in i.path] == []
    assert VectorMemo(root, "c", IDENTITY).drop_unused({"v-two"}) == 0
    assert ParseMemo(root, "c").drop_unused({"key-two"}) == 1
    assert VectorMemo(root, "c", IDENTITY).drop_unused(set()) == 1


def test_no_vector_that_nobody_uses_stays_beside_others(root_address: str) -> None:
    root, rows = open_root(root_address), vectors(3)
    VectorMemo(root, "c", IDENTITY).put("doc", ["a", "b", "c"], rows)
    assert VectorMemo(root, "c", IDENTITY).drop_unused({"a", "c", "z"}) == 1
    found = VectorMemo(root, "c", IDENTITY).load({"a", "b", "c"})
    assert found.keys() == {"a", "c"}
    assert np.array_equal(found["c"], rows[2].astype(np.float16).astype(np.float32))
    assert VectorMemo(root, "c", IDENTITY).drop_unused({"a", "c", "z"}) == 0


def test_an_answer_that_another_document_needs_outlives_the_purge(root_address: str) -> None:
    root = open_root(root_address)
    ParseMemo(root, "c").put("gone", "shared", DOCUMENT)
    ParseMemo(root, "c").put("gone", "own", DOCUMENT)
    purge(root, "c", {"gone"}, {"shared": "stays"})
    assert [i.path for i in root.objects("c")] == ["c/memo/parse/stays/shared.json.gz"]
    assert ParseMemo(root, "c").get("shared") == DOCUMENT


def test_vectors_that_another_document_needs_outlive_the_purge(root_address: str) -> None:
    root = open_root(root_address)
    memo = VectorMemo(root, "c", IDENTITY)
    rows = np.eye(3, IDENTITY.dimension, dtype=np.float32)
    memo.put("gone", ["a", "b", "c"], rows)
    memo.put("stays", ["c", "d"], rows[1:])
    memo.hand_over({"gone"}, {"a", "c", "d"}, "stays")
    purge(root, "c", {"gone"}, {})
    found = VectorMemo(root, "c", IDENTITY).load({"a", "b", "c", "d"})
    assert found.keys() == {"a", "c", "d"} and (found["a"] == rows[0]).all()
