"""The open collections of one retriever replica, each on one immutable snapshot.

Thread-safe. A newly published version is opened beside the old one and takes its place by one assignment;
a query that has begun keeps the engine, and so the snapshot, that it began with.
"""

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tgrag.errors import StorageError, UnknownCollection
from tgrag.metrics import tell
from tgrag.serve.listings import only_collection

if TYPE_CHECKING:
    from tgrag.index.catalog import Catalog
    from tgrag.search.engine import Engine
    from tgrag.store.snapshot import Snapshot

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class OpenVersion:
    """n_dead_letters: documents and calls without an outcome in it."""

    collection: str
    version_id: str
    engine: "Engine"
    n_dead_letters: int


class Library:
    """Opens collections when they are first asked for and keeps the ``max_open`` most recently used."""

    def __init__(
        self, catalog: "Catalog", open_engine: "Callable[[Snapshot], Engine]", max_open: int
    ) -> None:
        self._catalog = catalog
        self._open_engine = open_engine
        self._max_open = max_open
        self._open: OrderedDict[str, OpenVersion] = OrderedDict()
        self._unreadable: dict[str, str] = {}  # collection -> version that could not be opened
        self._access = threading.Lock()
        self._opening = threading.Lock()

    def engine(self, collection: str | None) -> "Engine":
        """Return what ``open`` does, its engine alone."""
        return self.open(collection).engine

    def open(self, collection: str | None) -> OpenVersion:
        """Return the open version of a collection, of the only one there is when None.

        Raises UnknownCollection, NoVersion, and whatever opening a version raises.
        """
        name = collection or only_collection(self._catalog)
        if found := self._recently_used(name):
            return found
        with self._opening:
            if found := self._recently_used(name):
                return found
            opened = self._open_current(name)
            with self._access:
                self._open[name] = opened
                while len(self._open) > self._max_open:
                    self._open.popitem(last=False)
            return opened

    def tell(self) -> None:
        """Tell which versions answer; to be told again every few seconds."""
        with self._access:
            held = list(self._open.values())
        tell("tgrag_open_collections", len(held))
        for opened in held:
            tell("tgrag_index_version", collection=opened.collection, version=opened.version_id)
            tell("tgrag_dead_letters", opened.n_dead_letters, collection=opened.collection)

    def refresh(self) -> None:
        """Bring every open collection to its published version. What cannot be opened is logged; the old one stays."""
        with self._access:
            held = list(self._open.items())
        for name, old in held:
            try:
                self._refresh_one(name, old)
            except StorageError as error:
                logger.warning("collection %s stays on version %s: %s", name, old.version_id, error.message)

    def _refresh_one(self, name: str, old: OpenVersion) -> None:
        try:
            pointer = self._catalog.collection(name).current()
        except UnknownCollection:
            pointer = None
        if pointer is None:
            self._replace(name, old, None)
            return
        if pointer.version_id in (old.version_id, self._unreadable.get(name)):
            return
        try:
            new = self._open_version(name, pointer.version_id)
        except StorageError:
            raise
        except Exception:
            logger.exception("collection %s: version %s cannot be opened", name, pointer.version_id)
            self._unreadable[name] = pointer.version_id
            return
        self._replace(name, old, new)
        logger.info("collection %s: version %s replaces %s", name, new.version_id, old.version_id)

    def _replace(self, name: str, old: OpenVersion, new: OpenVersion | None) -> None:
        with self._access:
            if self._open.get(name) is not old:
                return  # closed meanwhile as the least recently used
            if new is None:
                del self._open[name]
            else:
                self._open[name] = new

    def _recently_used(self, name: str) -> OpenVersion | None:
        with self._access:
            found = self._open.get(name)
            if found:
                self._open.move_to_end(name)
            return found

    def _open_current(self, name: str) -> OpenVersion:
        return self._open_version(name, self._catalog.collection(name).require_current().version_id)

    def _open_version(self, name: str, version_id: str) -> OpenVersion:
        snapshot = self._catalog.collection(name).open(version_id)
        n_dead_letters = len(snapshot.manifest["dead_letters"])
        return OpenVersion(name, version_id, self._open_engine(snapshot), n_dead_letters)
