"""Collections, their versions, and the pointer to the published one.

``<collection>/versions/<version_id>/{data/*.parquet, vectors/*, manifest.json}``; a version without its manifest
was not finished. ``<collection>/CURRENT/<number>.json`` are the pointers: the highest number is published. A
publication creates the number after the one that its run began from, which only one run can, so an older run
never publishes over a newer one.
"""

import json
import re
from collections.abc import Mapping

import pyarrow as pa

from tgrag.errors import (
    InvalidRequest,
    NoVersion,
    PublishConflict,
    SchemaMismatch,
    UnknownCollection,
    UnknownVersion,
)
from tgrag.index.manifest import SCHEMA_VERSION, Manifest, Pointer, VersionInfo, now
from tgrag.records import DeadLetter, Document
from tgrag.store.root import Root
from tgrag.store.snapshot import Snapshot
from tgrag.store.tables import TABLES, from_row, read_table

COLLECTION_NAME = re.compile(r"[\w][\w.\-]{0,99}")
KEPT_POINTERS = 20
VECTORS = ("text_units", "entity_states")


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
            raise UnknownCollection(
                f"there is no collection {name!r} below {self._root.address}; `tgrag collections` lists them"
            )
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
                return Pointer(**json.loads(self.root.read(infos[-1].path)))
            except FileNotFoundError:  # tidied up since it was listed: a newer one is there
                continue

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
            if Pointer(**json.loads(self.root.read(info.path))).version_id in version_ids:
                self.root.delete(info.path)

    def previous(self) -> str | None:
        """Return the version published before the current one and still kept, if any."""
        pointers = [
            Pointer(**json.loads(self.root.read(i.path))) for i in self.root.objects(f"{self.name}/CURRENT")
        ]
        current = pointers[-1].version_id if pointers else None
        kept = set(self.version_ids())
        return next(
            (p.version_id for p in reversed(pointers) if p.version_id != current and p.version_id in kept),
            None,
        )

    def version_ids(self) -> list[str]:
        """Return the ids of all finished versions, in no particular order."""
        return [
            v
            for v in self.root.folders(f"{self.name}/versions")
            if self.root.exists(self._path(v, "manifest.json"))
        ]

    def versions(self) -> list[VersionInfo]:
        """Describe all finished versions, newest first."""
        pointer = self.current()
        manifests = [self.manifest(version_id) for version_id in self.version_ids()]
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

    def manifest(self, version_id: str) -> Manifest:
        """Read a manifest. Raises UnknownVersion, or SchemaMismatch for a version of another layout."""
        if not re.fullmatch(r"[0-9a-f]+", version_id):
            raise UnknownVersion(f"{version_id!r} is no version id; `tgrag versions` lists them")
        try:
            fields = json.loads(self.root.read(self._path(version_id, "manifest.json")))
        except FileNotFoundError:
            raise UnknownVersion(
                f"collection {self.name!r} has no version {version_id}; `tgrag versions` lists them"
            ) from None
        if fields.get("schema_version") != SCHEMA_VERSION:
            raise SchemaMismatch(
                f"version {version_id} has layout {fields.get('schema_version')}, this tgrag reads {SCHEMA_VERSION}; "
                "run the index job again to build it anew (parsed files and vectors are kept)"
            )
        return Manifest(**fields)

    def documents(self, version_id: str) -> list[Document]:
        return [from_row(Document, row) for row in self.table(version_id, "documents").to_pylist()]

    def dead_letters(self, version_id: str) -> list[DeadLetter]:
        return self.manifest(version_id).dead_letters

    def table(self, version_id: str, name: str) -> pa.Table:
        return read_table(self.root.read(self._path(version_id, f"data/{name}.parquet")))

    def vector_keys(self, version_id: str) -> set[str]:
        """Return the memo keys of all vectors of a version."""
        keys: set[str] = set()
        for name in VECTORS:
            table = read_table(self.root.read(self._path(version_id, f"vectors/{name}.keys.parquet")))
            keys.update(table["key"].to_pylist())
        return keys

    def write_files(self, version_id: str, files: Mapping[str, bytes]) -> None:
        """Write the files of a version by path below it. It cannot be read before ``finish``."""
        for path, data in files.items():
            self.root.write(self._path(version_id, path), data)

    def finish(self, manifest: Manifest) -> None:
        """Write the manifest, which makes a version readable; one that is finished already stays as it is."""
        path = self._path(manifest.version_id, "manifest.json")
        self.root.create(path, manifest.model_dump_json(indent=1).encode())

    def open(self, version_id: str) -> Snapshot:
        """Load a version into memory. Raises UnknownVersion, SchemaMismatch."""
        manifest = self.manifest(version_id)
        return Snapshot.from_parts(
            collection=self.name,
            version_id=version_id,
            manifest=manifest.model_dump(),
            tables={name: self.table(version_id, name) for name in TABLES},
            vectors={
                name: self.root.read(self._path(version_id, f"vectors/{name}.faiss")) for name in VECTORS
            },
            lexical=self.table(version_id, "lexical"),
        )

    def open_current(self) -> Snapshot:
        """Load the published version. Raises NoVersion."""
        return self.open(self.require_current().version_id)

    def drop_version(self, version_id: str) -> None:
        """Delete a version, its manifest first, so that no reader finds half of it."""
        self.root.delete(self._path(version_id, "manifest.json"))
        self.root.delete_folder(f"{self.name}/versions/{version_id}")

    def _path(self, version_id: str, name: str) -> str:
        return f"{self.name}/versions/{version_id}/{name}"

    def _pointer_path(self, number: int) -> str:
        return f"{self.name}/CURRENT/{number:010}.json"
