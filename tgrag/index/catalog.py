"""Collections, their versions, and the pointer to the published one.

``<collection>/versions/<version_id>/{data/*.parquet, vectors/*, manifest.json}``; a version without its manifest
was not finished. ``<collection>/CURRENT/<number>.json`` are the pointers: the highest number is published. A
publication creates the number after the one that its run began from, which only one run can, so an older run
never publishes over a newer one.
"""

import json
import logging
import re
from collections.abc import Mapping, Set

import pyarrow as pa

from tgrag.errors import (
    InvalidRequest,
    NoVersion,
    PublishConflict,
    SchemaMismatch,
    StorageError,
    UnknownCollection,
    UnknownVersion,
)
from tgrag.hashing import bytes_hash
from tgrag.index.manifest import SCHEMA_VERSION, Manifest, Pointer, VersionInfo, now
from tgrag.records import DeadLetter, Document, Entity, Merge, TextUnit
from tgrag.store.root import Root
from tgrag.store.snapshot import Snapshot
from tgrag.store.tables import REPEATED, TABLES, from_row, read_table

logger = logging.getLogger(__name__)

COLLECTION_NAME = re.compile(r"[\w][\w.\-]{0,99}")
KEPT_POINTERS = 20
VECTORS = ("text_units", "entity_states", "communities")


class Catalog:
    """The collections below a root."""

    def __init__(self, root: Root) -> None:
        self._root = root

    def collections(self) -> list[str]:
        return [
            name
            for name in self._root.folders("")
            if self._root.folders(f"{name}/CURRENT") or self._has(name)
        ]

    def collection(self, name: str) -> "Collection":
        """Return a collection. Raises UnknownCollection when nothing was ever written to it."""
        if not COLLECTION_NAME.fullmatch(name) or not self._has(name):
            raise UnknownCollection(f"there is no collection {name!r} here; `tgrag collections` lists them")
        return Collection(self._root, name)

    def create(self, name: str) -> "Collection":
        """Return a collection that need not exist yet. Raises InvalidRequest on a name that cannot be a folder."""
        if not COLLECTION_NAME.fullmatch(name):
            raise InvalidRequest(f"collection name {name!r}: use letters, digits, '.', '_' and '-'")
        return Collection(self._root, name)

    def _has(self, name: str) -> bool:
        return any(folder in ("CURRENT", "versions", "memo", "lease") for folder in self._root.folders(name))


class Collection:
    def __init__(self, root: Root, name: str) -> None:
        self.root = root
        self.name = name

    def current(self) -> Pointer | None:
        """Return the pointer to the published version, or None before the first publication."""
        while True:
            infos = self.root.objects(f"{self.name}/CURRENT")
            if not infos:
                return None
            try:
                return self._pointer(infos[-1].path)
            except FileNotFoundError:  # tidied up since it was listed: a newer one is there
                continue

    def published_at(self) -> float:
        """Return when the last publication was written, by the store's clock. Raises NoVersion."""
        self.require_current()
        return self.root.objects(f"{self.name}/CURRENT")[-1].written_at

    def require_current(self) -> Pointer:
        """Like current, but raises NoVersion."""
        pointer = self.current()
        if pointer is None:
            raise NoVersion(
                f"collection {self.name!r} has no published version yet; "
                f"run `tgrag index PATH --collection {self.name}`, or wait for a run to end"
            )
        return pointer

    def publish(self, version_id: str, reason: str, after: Pointer | None) -> Pointer:
        """Point at a version, if ``after`` is still the newest pointer. Raises PublishConflict when it is not."""
        number = after.number + 1 if after else 1
        pointer = Pointer(number=number, version_id=version_id, published_at=now(), reason=reason)
        newest = self.current()
        if (newest.number if newest else 0) != number - 1 or not self.root.create(
            self._pointer_path(number), pointer.model_dump_json().encode()
        ):
            raise PublishConflict(
                f"another run published to {self.name!r} since this one began; run again to build on it "
                "(what was computed is kept)"
            )
        for info in self.root.objects(f"{self.name}/CURRENT")[:-KEPT_POINTERS]:
            self.root.delete(info.path)
        return pointer

    def forget_pointers(self, version_ids: set[str]) -> None:
        """Delete the pointers to versions that are gone; never the newest pointer."""
        for info in self.root.objects(f"{self.name}/CURRENT")[:-1]:
            if self._pointer(info.path).version_id in version_ids:
                self.root.delete(info.path)

    def previous(self) -> str | None:
        """Return the version published before the current one and still kept, if any.

        A rollback undoes what was published after its version, so that rolling back again goes further back.
        """
        history: list[str] = []
        for info in self.root.objects(f"{self.name}/CURRENT"):
            pointer = self._pointer(info.path)
            if pointer.reason == "rollback" and pointer.version_id in history:
                del history[history.index(pointer.version_id) :]
            history.append(pointer.version_id)
        kept = set(self.version_ids()) - set(history[-1:])
        return next((version_id for version_id in reversed(history) if version_id in kept), None)

    def version_ids(self) -> list[str]:
        """Return the ids of all finished versions, in no particular order."""
        return [
            v
            for v in self.root.folders(f"{self.name}/versions")
            if self.root.exists(self._path(v, "manifest.json"))
        ]

    def versions(self) -> list[VersionInfo]:
        """Describe all finished versions that can be read, newest first."""
        pointer = self.current()
        manifests = []
        for version_id in self.version_ids():
            try:
                manifests.append(self.manifest(version_id))
            except (SchemaMismatch, StorageError) as error:
                logger.warning("%s", error)
        return [
            VersionInfo(
                version_id=m.version_id,
                created_at=m.created_at,
                current=pointer is not None and pointer.version_id == m.version_id,
                n_documents=m.counts["documents"],
                n_failed=m.counts["failed_documents"],
                n_text_units=m.counts["text_units"],
                n_entities=m.counts["entities"],
            )
            for m in sorted(manifests, key=lambda m: (m.created_at, m.version_id), reverse=True)
        ]

    def version_beginning(self, text: str) -> str:
        """Return the one version whose id begins so. Raises UnknownVersion."""
        matches = [version_id for version_id in self.version_ids() if version_id.startswith(text)]
        if len(matches) != 1:
            found = "several versions begin" if matches else "no version begins"
            raise UnknownVersion(f"{found} with {text!r}; `tgrag versions` lists them")
        return matches[0]

    def manifest(self, version_id: str) -> Manifest:
        """Read a manifest.

        Raises UnknownVersion, SchemaMismatch for a version of another layout, StorageError for a damaged one.
        """
        if not re.fullmatch(r"[0-9a-f]+", version_id):
            raise UnknownVersion(f"{version_id!r} is no version id; `tgrag versions` lists them")
        try:
            fields = json.loads(self.root.read(self._path(version_id, "manifest.json")))
        except FileNotFoundError:
            raise UnknownVersion(
                f"collection {self.name!r} has no version {version_id}; `tgrag versions` lists them"
            ) from None
        except ValueError:
            raise self._damaged(version_id, "manifest.json") from None
        if fields.get("schema_version") != SCHEMA_VERSION:
            raise SchemaMismatch(
                f"version {version_id} has layout {fields.get('schema_version')}, this tgrag reads {SCHEMA_VERSION}; "
                "index everything into a new collection"
            )
        try:
            return Manifest(**fields)
        except ValueError:
            raise self._damaged(version_id, "manifest.json") from None

    def verified(self, version_id: str) -> Manifest:
        """Read a manifest and check every file of its version. Raises as ``manifest`` does."""
        manifest = self.manifest(version_id)
        for path in manifest.files:
            self._file(manifest, path)
        return manifest

    def intact(self, version_id: str) -> Manifest | None:
        """Like verified, but returns None for a version that cannot be used."""
        try:
            return self.verified(version_id)
        except UnknownVersion:
            return None
        except (SchemaMismatch, StorageError) as error:
            logger.warning("%s", error)
            return None

    def documents(self, version_id: str) -> list[Document]:
        return [from_row(Document, row) for row in self.table(version_id, "documents").to_pylist()]

    def entities(self, version_id: str) -> list[Entity]:
        return [from_row(Entity, row) for row in self.table(version_id, "entities").to_pylist()]

    def merges(self, version_id: str) -> list[Merge]:
        return [from_row(Merge, row) for row in self.table(version_id, "merges").to_pylist()]

    def text_units(self, version_id: str) -> list[TextUnit]:
        return [from_row(TextUnit, row) for row in self.table(version_id, "text_units").to_pylist()]

    def dead_letters(self, version_id: str) -> list[DeadLetter]:
        return self.manifest(version_id).dead_letters

    def table(self, version_id: str, name: str) -> pa.Table:
        """Read a table of a version. Raises UnknownVersion, SchemaMismatch, StorageError."""
        return self._table(self.manifest(version_id), name)

    def vector_keys(self, version_id: str) -> set[str]:
        """Return the memo keys of all vectors of a version."""
        keys: set[str] = set()
        manifest = self.manifest(version_id)
        for name in VECTORS:
            table = read_table(self._file(manifest, f"vectors/{name}.keys.parquet"))
            keys.update(table["key"].to_pylist())
        return keys

    def write_files(self, version_id: str, files: Mapping[str, bytes]) -> None:
        """Write the files of a version by path below it. It cannot be read before ``finish``."""
        for path, data in files.items():
            self.root.write(self._path(version_id, path), data)

    def finish(self, manifest: Manifest) -> None:
        """Write the manifest, which makes a version readable."""
        path = self._path(manifest.version_id, "manifest.json")
        self.root.write(path, manifest.model_dump_json(indent=1).encode())

    def open(self, version_id: str) -> Snapshot:
        """Load a version into memory. Raises UnknownVersion, SchemaMismatch, StorageError."""
        manifest = self.manifest(version_id)
        return Snapshot.from_parts(
            collection=self.name,
            version_id=version_id,
            manifest=manifest.model_dump(),
            tables={
                name: self._table(manifest, name, REPEATED - {kind.key}) for name, kind in TABLES.items()
            },
            vectors={name: self._file(manifest, f"vectors/{name}.faiss") for name in VECTORS},
            lexical=self._table(manifest, "lexical"),
            names=self._table(manifest, "names"),
        )

    def open_current(self) -> Snapshot:
        """Load the published version. Raises NoVersion."""
        return self.open(self.require_current().version_id)

    def drop_version(self, version_id: str) -> None:
        """Delete a version, its manifest first, so that no reader finds half of it."""
        self.root.delete(self._path(version_id, "manifest.json"))
        self.root.delete_folder(f"{self.name}/versions/{version_id}")

    def _table(self, manifest: Manifest, name: str, repeated: Set[str] = frozenset()) -> pa.Table:
        return read_table(self._file(manifest, f"data/{name}.parquet"), repeated)

    def _file(self, manifest: Manifest, path: str) -> bytes:
        """Read a file of a version. Raises StorageError when it is not as it was written."""
        try:
            data = self.root.read(self._path(manifest.version_id, path))
        except FileNotFoundError:
            raise self._damaged(manifest.version_id, path) from None
        if manifest.files.get(path) != bytes_hash(data):
            raise self._damaged(manifest.version_id, path)
        return data

    def _damaged(self, version_id: str, path: str) -> StorageError:
        lists_documents = path in ("manifest.json", "data/documents.parquet")
        advice = "index everything into a new collection" if lists_documents else "run the index job again"
        return StorageError(
            f"{path} of version {version_id} in {self.name!r} is missing or damaged; {advice}, or go back to another "
            "version with `tgrag rollback`"
        )

    def _pointer(self, path: str) -> Pointer:
        try:
            return Pointer(**json.loads(self.root.read(path)))
        except ValueError:
            raise StorageError(
                f"{path} below {self.root.address} is damaged: it says which version is published; delete it, and "
                "what was published before counts again"
            ) from None

    def _path(self, version_id: str, name: str) -> str:
        return f"{self.name}/versions/{version_id}/{name}"

    def _pointer_path(self, number: int) -> str:
        return f"{self.name}/CURRENT/{number:010}.json"
