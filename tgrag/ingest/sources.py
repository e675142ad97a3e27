"""Which files there are: files, folders, globs and s3:// addresses to a list of sources with stable names.

A source is named by its input and its path inside it, never by where the input lies: the same folder in
another place, or on S3, holds the same documents.
"""

import errno
import glob
import os
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from tgrag.errors import ConfigurationError, StorageError
from tgrag.store.root import S3Root

COLLECTION_FILE = "collection.yaml"


@dataclass(frozen=True, slots=True)
class SourceFile:
    """source: stable name; location: absolute path or s3:// address; n_bytes: size."""

    source: str
    location: str
    n_bytes: int


def discover(inputs: Sequence[str]) -> list[SourceFile]:
    """Return the files of all inputs, sorted by source; hidden files and collection.yaml are no documents.

    Raises ConfigurationError when an input is empty or matches nothing, or when two files would have one name.
    """
    found: dict[str, SourceFile] = {}
    for text in inputs:
        if not text:
            raise ConfigurationError(
                "an input is empty; name a file, a folder, a quoted glob or an s3:// address"
            )
        files = list(_s3_files(text) if text.startswith("s3://") else _local_files(text))
        if not files:
            raise ConfigurationError(
                f"{text} holds no files; name a file, a folder, a quoted glob or an s3:// address"
            )
        for file in files:
            other = found.setdefault(file.source, file)
            if not _same_file(other.location, file.location):
                raise ConfigurationError(
                    f"{other.location} and {file.location} would both be the document {file.source!r}; rename one of"
                    " them, or give the folder above both as the one input"
                )
    return sorted(found.values(), key=lambda file: file.source)


def read_source(location: str) -> bytes:
    """Return the bytes of a file.

    Raises OSError when it cannot be read, FileNotFoundError when there is none, StorageError when a bucket fails.
    """
    if location.startswith("s3://"):
        bucket, key = _split(location)
        return S3Root(f"s3://{bucket}").read(key)
    path = Path(location)
    if path.exists() and not path.is_file():  # reading a pipe would wait for ever
        raise OSError(errno.EINVAL, "it is no regular file")
    return path.read_bytes()


def _local_files(text: str) -> Iterator[SourceFile]:
    path = Path(text).expanduser()
    if path.is_file():
        yield _file(path.name, path)
    elif path.is_dir():
        for file in _walk(path, frozenset()):
            yield _file(f"{_folder_name(path)}/{file.relative_to(path).as_posix()}", file)
    elif glob.has_magic(text):
        for hit in _hits(path):
            if hit.is_file() and _is_document(hit.name):
                yield _file(hit.name, hit)
    else:
        what = "is neither a file nor a folder" if path.exists() else "does not exist"
        raise ConfigurationError(f"{text} {what}; name a file, a folder, a quoted glob or an s3:// address")


def collection_files(inputs: Sequence[str]) -> list[tuple[str, str]]:
    """Return where a collection.yaml may lie and what the sources it speaks of begin with, the deepest first.

    It may lie in a folder that is an input, in any folder below it, and next to an input file.
    """
    places: dict[str, str] = {}
    for text in inputs:
        if text.startswith("s3://"):
            places |= _s3_collection_files(text)
            continue
        path = Path(text).expanduser()
        if path.is_dir():
            top = path.absolute()
            below = {folder for file in _walk(path, frozenset()) for folder in file.absolute().parents}
            for folder in {top, *(folder for folder in below if folder.is_relative_to(top))}:
                inside = PurePosixPath(_folder_name(path), folder.relative_to(top))
                places[str(folder / COLLECTION_FILE)] = f"{inside}/"
        for hit in [path] if path.is_file() else _hits(path):
            if hit.is_file():
                places.setdefault(str(hit.absolute().parent / COLLECTION_FILE), "")
    found = [(location, unicodedata.normalize("NFC", prefix)) for location, prefix in sorted(places.items())]
    return sorted(found, key=lambda place: -place[1].count("/"))


def _s3_collection_files(address: str) -> dict[str, str]:
    bucket, key = _split(address)
    root = S3Root(f"s3://{bucket}")
    if key and root.exists(key):
        return {"/".join(filter(None, (f"s3://{bucket}", key.rpartition("/")[0], COLLECTION_FILE))): ""}
    places = {}
    for path in (PurePosixPath(info.path) for info in root.objects(key)):
        inside = path.parent.relative_to(key)
        if path.name == COLLECTION_FILE and all(map(_is_document, inside.parts)):
            places[f"s3://{bucket}/{path}"] = f"{PurePosixPath(_s3_name(bucket, key), inside)}/"
    return places


def _hits(pattern: Path) -> list[Path]:
    return sorted(map(Path, glob.glob(str(pattern), recursive=True)))  # noqa: PTH207 (Path.glob takes no absolute one)


def _folder_name(path: Path) -> str:
    return path.name if path.name not in ("", "..") else path.resolve().name


def _s3_name(bucket: str, prefix: str) -> str:
    return PurePosixPath(prefix).name or bucket


def _walk(folder: Path, above: frozenset[Path]) -> Iterator[Path]:
    """Yield the documents below a folder; a link back to a folder that it lies in is not followed."""
    real = folder.resolve()
    if real in above:
        return
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        raise StorageError(f"cannot list {folder}: {error.strerror}; check its permissions") from error
    for entry in entries:
        if not _is_document(entry.name):
            continue
        if _leads_nowhere(entry):
            continue
        if entry.is_dir():
            yield from _walk(Path(entry.path), above | {real})
        elif entry.is_file():
            yield Path(entry.path)


def _leads_nowhere(entry: os.DirEntry[str]) -> bool:
    """Tell a link whose target is missing, or is the link itself, and a file that was just deleted."""
    try:
        entry.stat()
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ELOOP):
            return True
        raise StorageError(f"cannot read {entry.path}: {error.strerror}; check its permissions") from error
    return False


def _file(source: str, path: Path) -> SourceFile:
    try:
        n_bytes = path.stat().st_size
    except FileNotFoundError:  # deleted since it was listed: reading it will tell
        n_bytes = 0
    name = os.fsencode(source).decode("utf-8", errors="backslashreplace")  # old file names may be in CP1251
    return SourceFile(unicodedata.normalize("NFC", name), str(path.absolute()), n_bytes)


def _same_file(one: str, other: str) -> bool:
    return one == other or ("://" not in one + other and Path(one).resolve() == Path(other).resolve())


def _is_document(name: str) -> bool:
    return not name.startswith(".") and name != COLLECTION_FILE


def _s3_files(address: str) -> Iterator[SourceFile]:
    bucket, prefix = _split(address)
    root, name = S3Root(f"s3://{bucket}"), _s3_name(bucket, prefix)
    if prefix and root.exists(prefix):
        siblings = root.objects(prefix.rpartition("/")[0])
        named = [(name, info) for info in siblings if info.path == prefix]
    else:
        named = []
        for info in root.objects(prefix):
            inside = PurePosixPath(info.path).relative_to(prefix)
            if all(map(_is_document, inside.parts)):
                named.append((f"{name}/{inside}", info))
    for source, info in named:
        yield SourceFile(unicodedata.normalize("NFC", source), f"s3://{bucket}/{info.path}", info.n_bytes)


def _split(address: str) -> tuple[str, str]:
    parts = urlsplit(address)
    if not parts.netloc:
        raise ConfigurationError(f"{address} names no bucket; write s3://bucket or s3://bucket/prefix")
    return parts.netloc, address.removeprefix(f"s3://{parts.netloc}").strip("/")
