"""What `tgrag doctor` says of the root: a folder, an S3 server, and stores that are wrong in one way."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.roots import free_port
from tgrag.doctor.findings import Finding
from tgrag.doctor.storage import store
from tgrag.errors import StorageError
from tgrag.store.root import LocalRoot, ObjectInfo, open_root


def statuses(found: list[Finding]) -> list[str]:
    return [finding.status for finding in found]


def test_a_good_store_is_left_as_it_was(root_address: str) -> None:
    root = open_root(root_address)
    root.write("shelf/memo/a", b"a")
    assert statuses(store(root)) == ["ok", "ok", "ok"]
    assert [info.path for info in root.objects("")] == ["shelf/memo/a"]
    assert root.folders("") == ["shelf"]


def test_a_store_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{free_port()}")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "x")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x")
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    monkeypatch.setattr("tgrag.store.root.CREATE_ATTEMPTS", 1)
    (told,) = store(open_root("s3://bucket/prefix"))
    assert told.status == "failed" and "s3://bucket/prefix" in told.found


def test_a_bucket_that_is_not_there(s3_endpoint: str) -> None:
    (told,) = store(open_root("s3://no-such-bucket"))
    assert told.status == "failed"


class Overwriting(LocalRoot):
    """Ignores that it is to create only."""

    def create(self, path: str, data: bytes) -> bool:
        self.write(path, data)
        return True


class Stale(LocalRoot):
    """Reads what was there before."""

    def read(self, path: str) -> bytes:
        return b"of a cache"


class Keeping(LocalRoot):
    """Deletes nothing."""

    def delete_folder(self, prefix: str) -> int:
        return 0


class Full(LocalRoot):
    def create(self, path: str, data: bytes) -> bool:
        raise StorageError("cannot write: No space left on device")


class Slow(LocalRoot):
    """Its clock is behind."""

    behind = 100.0

    def objects(self, prefix: str) -> list[ObjectInfo]:
        return [
            ObjectInfo(info.path, info.n_bytes, info.written_at - self.behind)
            for info in super().objects(prefix)
        ]


class VerySlow(Slow):
    behind = 1000.0


@pytest.mark.parametrize(
    ("kind", "expected", "says"),
    [
        (LocalRoot, ["ok", "ok", "ok"], "written, read, deleted"),
        (Overwriting, ["ok", "failed", "ok"], "overwrote"),
        (Stale, ["failed", "failed", "ok"], "not read as it was written"),
        (Keeping, ["failed", "ok", "ok"], "a deleted object stays"),
        (Full, ["failed"], "No space left"),
        (Slow, ["ok", "ok", "warning"], "off by"),
        (VerySlow, ["ok", "ok", "failed"], "off by"),
    ],
)
def test_a_store_with_one_fault(
    kind: type[LocalRoot], expected: list[str], says: str, tmp_path: Path
) -> None:
    found = store(kind(tmp_path))
    assert statuses(found) == expected
    assert says in " ".join(finding.found for finding in found)
    assert all(bool(finding.advice) == (finding.status != "ok") for finding in found)


def test_a_store_that_takes_its_time_is_not_called_slow(tmp_path: Path) -> None:
    def now() -> Iterator[float]:
        yield time.time() - 100
        yield time.time() + 100

    moments = now()
    assert statuses(store(LocalRoot(tmp_path), lambda: next(moments))) == ["ok", "ok", "ok"]
