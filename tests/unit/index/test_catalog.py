"""Publication, history, and versions that are not as they were written."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tgrag.errors import StorageError, UnknownVersion
from tgrag.graph.health import Health
from tgrag.hashing import bytes_hash
from tgrag.index.catalog import Catalog, Collection
from tgrag.index.manifest import Manifest
from tgrag.store.root import LocalRoot
from tgrag.store.tables import ordered_table, table_bytes


@pytest.fixture
def collection(tmp_path: Path) -> Collection:
    return Catalog(LocalRoot(tmp_path)).create("c")


def finished(collection: Collection, version_id: str) -> None:
    files = {"data/documents.parquet": table_bytes(ordered_table("documents", []))}
    collection.write_files(version_id, files)
    counts = dict.fromkeys(("documents", "failed_documents", "text_units", "entities"), 0)
    collection.finish(
        Manifest(
            tgrag_version="0",
            collection="c",
            version_id=version_id,
            recipe_id="r",
            parent=None,
            created_at="2026-01-01T00:00:00+00:00",
            settings={},
            files={path: bytes_hash(data) for path, data in files.items()},
            embedder={},
            collection_file=None,
            series=[],
            counts=counts,
            health=Health(**dict.fromkeys(Health.model_fields, 0)),
            stages={},
            dead_letters=[],
        )
    )


def publish(collection: Collection, version_id: str, reason: str = "index") -> None:
    collection.publish(version_id, reason, after=collection.current())


def test_rolling_back_again_goes_further_back(collection: Collection) -> None:
    for version_id in ("a1", "a2", "a3"):
        finished(collection, version_id)
        publish(collection, version_id)
    assert collection.previous() == "a2"
    publish(collection, "a2", "rollback")
    assert collection.previous() == "a1"
    publish(collection, "a1", "rollback")
    assert collection.previous() is None
    publish(collection, "a3", "rollback")
    assert collection.previous() == "a1"


def cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def flipped(data: bytes) -> bytes:
    return bytes([data[0] ^ 0x80]) + data[1:]


@pytest.mark.parametrize("damage", [cut, flipped])
@pytest.mark.parametrize("path", ["data/documents.parquet", "manifest.json"])
def test_a_damaged_version_is_never_read(
    collection: Collection, tmp_path: Path, path: str, damage: Callable[[bytes], bytes]
) -> None:
    finished(collection, "a1")
    assert collection.intact("a1")
    file = tmp_path / "c" / "versions" / "a1" / path
    file.write_bytes(damage(file.read_bytes()))
    with pytest.raises(StorageError, match=path):
        collection.documents("a1")
    assert collection.intact("a1") is None


def test_a_damaged_version_does_not_hide_the_others(collection: Collection, tmp_path: Path) -> None:
    for version_id in ("a1", "a2"):
        finished(collection, version_id)
    (tmp_path / "c" / "versions" / "a1" / "manifest.json").write_bytes(b"")
    assert [info.version_id for info in collection.versions()] == ["a2"]


def test_a_damaged_pointer_is_named(collection: Collection, tmp_path: Path) -> None:
    finished(collection, "a1")
    publish(collection, "a1")
    (tmp_path / "c" / "CURRENT" / "0000000001.json").write_bytes(b"{")
    with pytest.raises(StorageError, match=r"CURRENT/0000000001\.json"):
        collection.current()


def test_a_version_is_named_by_a_beginning_that_is_its_own(collection: Collection) -> None:
    for version_id in ("aa11", "aa22"):
        finished(collection, version_id)
    assert collection.version_beginning("aa2") == "aa22"
    with pytest.raises(UnknownVersion, match="several versions begin with 'aa'"):
        collection.version_beginning("aa")
    with pytest.raises(UnknownVersion, match="no version begins with 'b'"):
        collection.version_beginning("b")
