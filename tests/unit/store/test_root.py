import os
import threading
import time
from pathlib import Path

import pytest

from tests.roots import make_bucket
from tests.s3_faults import Faults, faulty_s3
from tgrag.errors import ConfigurationError, StorageError
from tgrag.store.root import TEMPORARY, LocalRoot, open_root


def test_create_writes_once(root_address: str) -> None:
    root = open_root(root_address)
    assert root.create("a/b.bin", b"first")
    assert not root.create("a/b.bin", b"second")
    assert root.read("a/b.bin") == b"first"


def test_write_replaces(root_address: str) -> None:
    root = open_root(root_address)
    root.write("a", b"1")
    root.write("a", b"22")
    assert root.read("a") == b"22"


def test_read_of_nothing(root_address: str) -> None:
    root = open_root(root_address)
    assert not root.exists("a/b")
    with pytest.raises(FileNotFoundError):
        root.read("a/b")


def test_list_folders_and_delete(root_address: str) -> None:
    root = open_root(root_address)
    for path in ("c/1/x", "c/2/x", "c/2/y", "d/1"):
        root.write(path, b"abc")
    assert [(i.path, i.n_bytes) for i in root.objects("c")] == [("c/1/x", 3), ("c/2/x", 3), ("c/2/y", 3)]
    assert root.folders("") == ["c", "d"]
    assert root.folders("c") == ["1", "2"]
    assert root.objects("nothing") == [] and root.folders("nothing") == []
    root.delete("c/1/x")
    root.delete("c/1/x")
    assert root.delete_folder("c/2") == 2
    assert [i.path for i in root.objects("")] == ["d/1"]


def test_a_prefix_is_a_whole_folder_name(root_address: str) -> None:
    root = open_root(root_address)
    root.write("ab/x", b"")
    root.write("a/x", b"")
    assert [i.path for i in root.objects("a")] == ["a/x"]
    root.delete_folder("a")
    assert root.exists("ab/x")


def test_one_of_many_creators_wins(root_address: str) -> None:
    root = open_root(root_address)
    won: list[int] = []

    def create(number: int) -> None:
        if root.create("contested", bytes([number])):
            won.append(number)

    threads = [threading.Thread(target=create, args=(n,)) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1
    assert root.read("contested") == bytes(won)


def test_names_of_any_script(root_address: str) -> None:
    root = open_root(root_address)
    root.write("книга/Пиковая дама.txt", b"x")
    assert [i.path for i in root.objects("книга")] == ["книга/Пиковая дама.txt"]
    assert root.read("книга/Пиковая дама.txt") == b"x"


def test_half_written_files_are_never_listed(tmp_path: Path) -> None:
    root = LocalRoot(tmp_path)
    root.write("a/whole", b"x")
    (tmp_path / "a" / f"{TEMPORARY}0123").write_bytes(b"half")
    assert [i.path for i in root.objects("")] == ["a/whole"]
    root.sweep("", 3600)
    assert (tmp_path / "a" / f"{TEMPORARY}0123").exists(), "a writer may still be at it"
    old = time.time() - 7200
    os.utime(tmp_path / "a" / f"{TEMPORARY}0123", (old, old))
    root.sweep("", 3600)
    assert not (tmp_path / "a" / f"{TEMPORARY}0123").exists()


def test_a_root_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StorageError, match="cannot write"):
        LocalRoot(tmp_path / "file").write("a", b"")


def test_a_bucket_that_is_not_there(s3_endpoint: str) -> None:
    root = open_root("s3://no-such-bucket/prefix")
    with pytest.raises(StorageError, match="check the bucket"):
        root.write("a", b"")


@pytest.mark.parametrize("address", ["gs://bucket", "s3:///prefix"])
def test_addresses_that_cannot_be(address: str) -> None:
    with pytest.raises(ConfigurationError):
        open_root(address)


def test_a_root_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match="is a file"):
        open_root(str(tmp_path / "file"))


def test_a_full_disk_keeps_no_half_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageError, match="No space left"):
        LocalRoot(tmp_path).write("a/b", b"data")
    assert list((tmp_path / "a").iterdir()) == []


def test_a_store_that_loses_answers_keeps_its_promises(
    s3_endpoint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Errors, and writes whose confirmation never comes: each path is written once, and its writer knows it."""
    address = make_bucket(s3_endpoint, "faulty")
    faults = Faults(error=0.1, cut=0.3, torn=0.2, slow_seconds=0.02, seed=1)
    with faulty_s3(s3_endpoint, faults) as proxy:
        monkeypatch.setenv("AWS_ENDPOINT_URL", proxy)
        root = open_root(address)
        for number in range(40):
            assert root.create(f"c/{number}", b"mine %d" % number), (
                "one's own write, whatever became of its answer"
            )
            assert not root.create(f"c/{number}", b"another's")
            assert root.read(f"c/{number}") == b"mine %d" % number
        root.write("c/0", b"replaced")
        assert root.read("c/0") == b"replaced"
        for _ in range(20):
            assert len(root.objects("c")) == 40
            assert root.folders("") == ["c"]
        assert root.delete_folder("c") == 40
        assert root.objects("c") == []
    assert faults.seen["torn"] > 10
    assert faults.seen["cut"] > 5 and faults.seen["error"] > 10
