"""The memo store: every costly answer, kept under the hash of exactly what it depends on.

``memo/<kind>/<document_id>/…`` below a collection. The folder names the document that paid for an answer, so
that purging a document is deleting its folders; look-ups are by key alone, wherever the answer lies. Writing
is first-write-wins; an object that cannot be read back (cut, corrupted) is dropped and made again.

Two shapes: an *answer* is one object (a parsed file); *vectors* are many keys to an immutable Parquet object,
because one object a vector would be slow on S3.
"""

import gzip
import json
import logging
import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import asdict, dataclass
from functools import cached_property
from io import BytesIO
from math import inf

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import TypeAdapter

from tgrag.hashing import stable_hash
from tgrag.models.protocols import EmbedderIdentity, Vectors
from tgrag.records import ParsedDocument
from tgrag.store.root import Root

logger = logging.getLogger(__name__)

_ANSWER = TypeAdapter(ParsedDocument)

ATTEMPTS = 3  # a call that fails for a lasting reason is made so often, then only on request


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a costly call failed. transient: the next run tries again by itself."""

    reason: str
    transient: bool


class ParseMemo:
    """Parsed documents by parse key, and the failures of parsing them.

    Keys are listed once, when first asked for: make a new object to see what others have written since.
    """

    def __init__(self, root: Root, collection: str) -> None:
        self._root = root
        self._folder = f"{collection}/memo/parse"

    @cached_property
    def _paths(self) -> dict[str, str]:
        paths = (info.path for info in self._root.objects(self._folder))
        return {
            path.rsplit("/", 1)[-1].removesuffix(".json.gz"): path
            for path in paths
            if path.endswith(".json.gz")
        }

    @cached_property
    def _failures(self) -> dict[str, list[str]]:
        failures: dict[str, list[str]] = {}
        for info in self._root.objects(self._folder):
            name = info.path.rsplit("/", 1)[-1]
            if name.endswith(".failed"):
                failures.setdefault(name.split(".", 1)[0], []).append(info.path)
        return failures

    def __contains__(self, key: str) -> bool:
        return key in self._paths

    def get(self, key: str) -> ParsedDocument | None:
        """Return the answer, or None when there is none that can be read."""
        path = self._paths.get(key)
        if path is None:
            return None
        try:
            return _ANSWER.validate_json(gzip.decompress(self._root.read(path)))
        except FileNotFoundError:
            del self._paths[key]
            return None
        except (OSError, EOFError, zlib.error, ValueError, TypeError) as error:
            logger.warning("memo object %s is damaged (%s): dropped, it will be made again", path, error)
            self._root.delete(path)
            del self._paths[key]
            return None

    def load(self, keys: Iterable[str]) -> dict[str, ParsedDocument]:
        """Return the answers to those keys that have one."""
        found = {key: self.get(key) for key in keys}
        return {key: answer for key, answer in found.items() if answer is not None}

    def put(self, document_id: str, key: str, document: ParsedDocument) -> None:
        data = gzip.compress(_ANSWER.dump_json(document, exclude_defaults=True), compresslevel=6, mtime=0)
        path = f"{self._folder}/{document_id}/{key}.json.gz"
        self._root.create(path, data)
        self._paths[key] = path

    def failures(self, key: str) -> list[Failure]:
        """Return the failed attempts at this key, oldest first."""
        return [Failure(**json.loads(self._root.read(path))) for path in sorted(self._failures.get(key, []))]

    def put_failure(self, document_id: str, key: str, failure: Failure) -> None:
        paths = self._failures.setdefault(key, [])
        path = f"{self._folder}/{document_id}/{key}.{len(paths) + 1:03}.failed"
        self._root.create(path, json.dumps(asdict(failure), ensure_ascii=False).encode())
        paths.append(path)

    def forget_failures(self, keys: Iterable[str]) -> None:
        for key in keys:
            for path in self._failures.pop(key, []):
                self._root.delete(path)

    def is_outstanding(self, key: str) -> bool:
        """Say whether the next run should make this call: never answered, and not given up."""
        if key in self:
            return False
        failures = self.failures(key)
        return len(failures) < ATTEMPTS or failures[-1].transient

    def drop_unused(self, used: Set[str], written_before: float = inf) -> int:
        """Delete old answers and failures whose key is not used; return how many objects that was."""
        unused = [
            info.path
            for info in self._root.objects(self._folder)
            if info.written_at < written_before and info.path.rsplit("/", 1)[-1].split(".", 1)[0] not in used
        ]
        for path in unused:
            self._root.delete(path)
        return len(unused)


def vector_key(identity: EmbedderIdentity, text: str) -> str:
    """Return the memo key of a passage's vector."""
    return stable_hash(asdict(identity), text)


class VectorMemo:
    """Passage vectors by vector key, rounded to float16: what is stored is what every decision reads.

    Where several objects hold a key, the one whose path sorts first counts, so that equal stores read equal.
    """

    def __init__(self, root: Root, collection: str, identity: EmbedderIdentity) -> None:
        self._root = root
        self._folder = f"{collection}/memo/vectors/{stable_hash(asdict(identity))}"

    @classmethod
    def of_every_embedder(cls, root: Root, collection: str) -> "list[VectorMemo]":
        """Return the memos of all embedders that a collection was ever embedded with."""
        memos = []
        for name in root.folders(f"{collection}/memo/vectors"):
            memo = cls.__new__(cls)
            memo._root, memo._folder = root, f"{collection}/memo/vectors/{name}"
            memos.append(memo)
        return memos

    def put(self, document_id: str, keys: Sequence[str], vectors: Vectors) -> None:
        """Store one batch of a document's vectors, shape (len(keys), dimension), as one object."""
        rows = np.asarray(vectors, dtype=np.float16)
        values = pa.array(rows.ravel())
        table = pa.table(
            {
                "key": pa.array(keys, pa.string()),
                "vector": pa.FixedSizeListArray.from_arrays(values, rows.shape[1]),
            }
        )
        sink = BytesIO()
        pq.write_table(table, sink, compression="NONE", use_dictionary=False, write_page_checksum=True)
        self._root.create(f"{self._folder}/{document_id}/{stable_hash(list(keys))}.parquet", sink.getvalue())

    def load(self, wanted: set[str]) -> dict[str, np.ndarray]:
        """Return the stored vectors (float32 rows) of those wanted keys that have one."""
        found: dict[str, np.ndarray] = {}
        for info in self._root.objects(self._folder):
            if len(found) == len(wanted):
                break
            table = self._read(info.path)
            if table is None:
                continue
            for key, row in zip(table["key"].to_pylist(), self._rows(table), strict=True):
                if key in wanted and key not in found:
                    found[key] = row
        return found

    def hand_over(self, owners: Collection[str], wanted: set[str], heir: str) -> None:
        """Give the wanted vectors that these owners alone have to a document that stays."""
        own: dict[str, np.ndarray] = {}
        for info in self._root.objects(self._folder):
            table = self._read(info.path)
            if table is None:
                continue
            keys = table["key"].to_pylist()
            if info.path.rsplit("/", 2)[1] in owners:
                rows = self._rows(table)
                own |= {key: row for key, row in zip(keys, rows, strict=True) if key in wanted}
            else:
                wanted = wanted.difference(keys)
        needed = sorted(wanted & own.keys())
        if needed:
            self.put(heir, needed, np.stack([own[key] for key in needed]))

    def drop_unused(self, used: Set[str], written_before: float = inf) -> int:
        """Delete old vectors whose key is not used; return how many objects that changed."""
        n_changed = 0
        for info in self._root.objects(self._folder):
            table = self._read(info.path) if info.written_at < written_before else None
            if table is None:
                continue
            keys = table["key"].to_pylist()
            kept = [number for number, key in enumerate(keys) if key in used]
            if len(kept) < len(keys):
                if kept:
                    owner = info.path.rsplit("/", 2)[1]
                    self.put(owner, [keys[number] for number in kept], self._rows(table)[kept])
                self._root.delete(info.path)
                n_changed += 1
        return n_changed

    def _rows(self, table: pa.Table) -> Vectors:
        vectors = table["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
        rows: Vectors = vectors.astype(np.float32).reshape(len(table), -1)
        return rows

    def _read(self, path: str) -> pa.Table | None:
        try:
            data = self._root.read(path)
            return pq.read_table(BytesIO(data), page_checksum_verification=True)
        except FileNotFoundError:
            return None
        except (OSError, pa.ArrowException) as error:
            logger.warning("memo object %s is damaged (%s): dropped, it will be made again", path, error)
            self._root.delete(path)
            return None


def purge(root: Root, collection: str, document_ids: Collection[str], heirs: Mapping[str, str]) -> int:
    """Delete every memo object that these documents paid for, of every kind; return how many objects that was.

    heirs: document_id by key; a parsed file, an answer or a failure that one of these documents needs becomes its own.
    """
    n_deleted = 0
    for info in root.objects(f"{collection}/memo"):
        folder, owner, name = info.path.rsplit("/", 2)
        if owner in document_ids:
            heir = heirs.get(name.split(".", 1)[0])
            if heir:
                root.create(f"{folder}/{heir}/{name}", root.read(info.path))
            root.delete(info.path)
            n_deleted += 1
    return n_deleted
