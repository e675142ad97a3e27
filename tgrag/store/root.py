"""Where indexes live: a local folder or an S3 bucket behind one small interface.

Objects are immutable or replaced whole. ``create`` is the one primitive of concurrency: of several writers
of a path exactly one succeeds, and nobody ever reads half an object.
"""

import os
import random
import secrets
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar
from urllib.parse import urlsplit

import obstore
from obstore.exceptions import (
    AlreadyExistsError,
    BaseError,
    InvalidPathError,
    NotFoundError,
    PermissionDeniedError,
    UnauthenticatedError,
)
from obstore.store import S3Store

from tgrag.errors import ConfigurationError, StorageError

TEMPORARY = ".tmp-"
TEMPORARY_IS_STALE_SECONDS = 3600.0
CREATE_ATTEMPTS = 8
LIST_ATTEMPTS = 4
LONGEST_PAUSE_SECONDS = 5.0
Result = TypeVar("Result")
LASTING = (PermissionDeniedError, UnauthenticatedError, NotFoundError, InvalidPathError)


@dataclass(frozen=True, slots=True)
class ObjectInfo:
    """written_at: seconds since the epoch, by the store's clock."""

    path: str
    n_bytes: int
    written_at: float


class Root(Protocol):
    """Paths are relative, with forward slashes. Every method raises StorageError when the store cannot be used."""

    address: str

    def read(self, path: str) -> bytes:
        """Return an object. Raises FileNotFoundError when there is none."""

    def exists(self, path: str) -> bool: ...

    def create(self, path: str, data: bytes) -> bool:
        """Write an object unless the path is taken; return whether it was written. Durable on return."""

    def write(self, path: str, data: bytes) -> None:
        """Write or replace an object as a whole. Durable on return."""

    def objects(self, prefix: str) -> list[ObjectInfo]:
        """Return all objects below a folder, sorted by path."""

    def folders(self, prefix: str) -> list[str]:
        """Return the names of the folders right below a folder, sorted; "" is the root itself."""

    def delete(self, path: str) -> None:
        """Delete an object; one that is gone already is no error."""

    def delete_folder(self, prefix: str) -> int:
        """Delete everything below a folder and return how many objects that was."""


class LocalRoot:
    """A local folder. Writers use a temporary name, fsync, and an exclusive link or a rename."""

    def __init__(self, folder: Path) -> None:
        self.address = str(folder)
        self._folder = folder

    def read(self, path: str) -> bytes:
        try:
            return (self._folder / path).read_bytes()
        except FileNotFoundError:
            raise
        except OSError as error:
            raise StorageError(f"cannot read {path} below {self.address}: {error.strerror}") from error

    def exists(self, path: str) -> bool:
        return (self._folder / path).is_file()

    def create(self, path: str, data: bytes) -> bool:
        target = self._folder / path
        if target.exists():
            return False
        try:
            temporary = self._write_temporary(target, data)
            try:
                os.link(temporary, target)
            except FileExistsError:
                return False
            finally:
                temporary.unlink()
            self._sync_folder(target.parent)
        except OSError as error:
            raise self._write_error(path, error) from error
        return True

    def write(self, path: str, data: bytes) -> None:
        target = self._folder / path
        try:
            self._write_temporary(target, data).rename(target)
            self._sync_folder(target.parent)
        except OSError as error:
            raise self._write_error(path, error) from error

    def objects(self, prefix: str) -> list[ObjectInfo]:
        base = self._folder / prefix
        files = []
        for folder, _, names in os.walk(base, onerror=self._cannot_list):
            for name in names:
                if name.startswith(TEMPORARY):
                    continue
                file = Path(folder, name)
                try:
                    stat = file.stat()
                except FileNotFoundError:  # deleted since the folder was read
                    continue
                path = file.relative_to(self._folder).as_posix()
                files.append(ObjectInfo(path, stat.st_size, stat.st_mtime))
        return sorted(files, key=lambda info: info.path)

    def folders(self, prefix: str) -> list[str]:
        try:
            return sorted(entry.name for entry in os.scandir(self._folder / prefix) if entry.is_dir())
        except OSError as error:
            self._cannot_list(error)
            return []

    def delete(self, path: str) -> None:
        try:
            (self._folder / path).unlink(missing_ok=True)
        except OSError as error:
            raise StorageError(f"cannot delete {path} below {self.address}: {error.strerror}") from error

    def delete_folder(self, prefix: str) -> int:
        n_objects = len(self.objects(prefix))
        shutil.rmtree(self._folder / prefix, ignore_errors=True)
        if (self._folder / prefix).exists():
            raise StorageError(f"cannot delete {prefix} below {self.address}; check its permissions")
        return n_objects

    def sweep(self, prefix: str, older_than: float) -> None:
        """Delete the temporary files below a folder that killed writers left behind so many seconds ago."""
        for file in (self._folder / prefix).rglob(TEMPORARY + "*"):
            try:
                if time.time() - file.stat().st_mtime >= older_than:
                    file.unlink()
            except FileNotFoundError:  # its writer lives
                continue

    def _write_temporary(self, target: Path, data: bytes) -> Path:
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.parent / f"{TEMPORARY}{secrets.token_hex(8)}"
        try:
            with temporary.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        except OSError:  # a full disk must not keep the half of it
            temporary.unlink(missing_ok=True)
            raise
        return temporary

    def _cannot_list(self, error: OSError) -> None:
        """Raise StorageError unless the folder is just not there."""
        if not isinstance(error, FileNotFoundError):
            raise StorageError(
                f"cannot list {error.filename}: {error.strerror}; check its permissions"
            ) from error

    @staticmethod
    def _sync_folder(folder: Path) -> None:
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def _write_error(self, path: str, error: OSError) -> StorageError:
        return StorageError(
            f"cannot write {path} below {self.address}: {error.strerror}; check free space and permissions"
        )


class S3Root:
    """A prefix of an S3 bucket, through conditional PUT (If-None-Match). Set up by the usual AWS_* variables."""

    def __init__(self, address: str) -> None:
        self.address = address
        parts = urlsplit(address)
        if not parts.netloc:
            raise ConfigurationError(f"{address} names no bucket; write s3://bucket or s3://bucket/prefix")
        bucket, prefix = parts.netloc, parts.path.strip("/") or None
        over_http = os.environ.get("AWS_ENDPOINT_URL", "").startswith("http://")
        self._store = S3Store(bucket, prefix=prefix, client_options={"allow_http": over_http})
        self._once = S3Store(
            bucket, prefix=prefix, client_options={"allow_http": over_http}, retry_config={"max_retries": 0}
        )

    def read(self, path: str) -> bytes:
        try:
            return bytes(obstore.get(self._store, path).bytes())
        except FileNotFoundError:
            raise
        except (BaseError, OSError) as error:
            raise self._error("read", path, error) from error

    def exists(self, path: str) -> bool:
        try:
            obstore.head(self._store, path)
        except FileNotFoundError:
            return False
        except (BaseError, OSError) as error:
            raise self._error("read", path, error) from error
        return True

    def create(self, path: str, data: bytes) -> bool:
        """Try again by itself where a write may have failed: what is there then may be one's own, its answer lost."""
        for attempt in range(CREATE_ATTEMPTS):
            try:
                obstore.put(self._once, path, data, mode="create", use_multipart=False)
            except AlreadyExistsError:
                return attempt > 0 and self.read(path) == data
            except (BaseError, OSError) as error:
                self._pause_or_give_up(attempt, CREATE_ATTEMPTS, "write", path, error)
            else:
                return True
        raise AssertionError("the last attempt returns or raises")

    def write(self, path: str, data: bytes) -> None:
        try:
            obstore.put(self._store, path, data)
        except (BaseError, OSError) as error:
            raise self._error("write", path, error) from error

    def objects(self, prefix: str) -> list[ObjectInfo]:
        def found() -> list[ObjectInfo]:
            chunks = obstore.list(self._store, prefix or None)
            return [
                ObjectInfo(meta["path"], meta["size"], meta["last_modified"].timestamp())
                for chunk in chunks
                for meta in chunk
            ]

        return sorted(self._again("list", prefix, found), key=lambda info: info.path)

    def folders(self, prefix: str) -> list[str]:
        result = self._again("list", prefix, lambda: obstore.list_with_delimiter(self._store, prefix or None))
        return sorted(path.rstrip("/").rsplit("/", 1)[-1] for path in result["common_prefixes"])

    def delete(self, path: str) -> None:
        try:
            obstore.delete(self._store, path)
        except FileNotFoundError:
            return
        except (BaseError, OSError) as error:
            raise self._error("delete", path, error) from error

    def delete_folder(self, prefix: str) -> int:
        paths = [info.path for info in self.objects(prefix)]
        if paths:
            self._again("delete", prefix, lambda: obstore.delete(self._store, paths))
        return len(paths)

    def _again(self, verb: str, path: str, request: Callable[[], Result]) -> Result:
        """Make a request that does no harm twice; the client repeats it itself, but not where an answer breaks off."""
        for attempt in range(LIST_ATTEMPTS):
            try:
                return request()
            except (BaseError, OSError) as error:
                self._pause_or_give_up(attempt, LIST_ATTEMPTS, verb, path, error)
        raise AssertionError("the last attempt returns or raises")

    def _pause_or_give_up(self, attempt: int, most: int, verb: str, path: str, error: Exception) -> None:
        """Raise StorageError when the error lasts or the attempt, counted from 0, was the last; else wait a little."""
        if isinstance(error, LASTING) or attempt == most - 1:
            raise self._error(verb, path, error) from error
        time.sleep(random.uniform(0, min(LONGEST_PAUSE_SECONDS, 0.1 * 2**attempt)))

    def _error(self, verb: str, path: str, error: Exception) -> StorageError:
        reason = str(error).splitlines()[0]
        return StorageError(
            f"cannot {verb} {path or 'objects'} below {self.address}: {reason}; check the bucket and the AWS_* variables"
        )


def open_root(address: str) -> Root:
    """Open a root by its address: a folder or ``s3://bucket/prefix``. Raises ConfigurationError on another scheme."""
    if address.startswith("s3://"):
        return S3Root(address)
    if "://" in address:
        raise ConfigurationError(f"root {address}: only a folder or an s3:// address can hold indexes")
    folder = Path(address)
    if folder.exists() and not folder.is_dir():
        raise ConfigurationError(f"root {address} is a file; name a folder or an s3:// address")
    return LocalRoot(folder)
