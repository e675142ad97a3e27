"""A catalogue and an engine that hold no index: what a version is called is all that they know."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from tgrag.errors import EmptyQuestion, NoVersion, StorageError, TgragError, UnknownCollection, UnknownMode
from tgrag.index.manifest import Pointer
from tgrag.search.caller import Caller
from tgrag.search.requests import MODES, Answer, QueryRequest, Retrieval


class FakeSnapshot(str):
    """The version that it is of, which has one dead letter."""

    manifest: ClassVar[dict[str, list[str]]] = {"dead_letters": ["a page that could not be read"]}


class FakeCollection:
    def __init__(self, name: str, catalog: "FakeCatalog") -> None:
        self.name = name
        self._catalog = catalog

    def current(self) -> Pointer | None:
        if self._catalog.broken:
            raise StorageError("the disk is gone")
        version = self._catalog.published[self.name]
        return version and Pointer(number=1, version_id=version, published_at="2020-01-01", reason="index")

    def require_current(self) -> Pointer:
        pointer = self.current()
        if pointer is None:
            raise NoVersion("nothing published")
        return pointer

    def open(self, version_id: str) -> "FakeSnapshot":
        self._catalog.opened.append((self.name, version_id))
        if version_id in self._catalog.unreadable:
            raise self._catalog.unreadable[version_id]
        return FakeSnapshot(version_id)

    def versions(self) -> list[Any]:
        return []


class FakeCatalog:
    def __init__(self, **published: str | None) -> None:
        self.published: dict[str, str | None] = published
        self.unreadable: dict[str, Exception] = {}
        self.opened: list[tuple[str, str]] = []
        self.broken = False

    def collections(self) -> list[str]:
        return sorted(self.published)

    def collection(self, name: str) -> FakeCollection:
        if name not in self.published:
            raise UnknownCollection(f"there is no collection {name!r}")
        return FakeCollection(name, self)

    @contextmanager
    def out_of_order(self) -> Iterator[None]:
        self.broken = True
        yield
        self.broken = False


class FakeEngine:
    """Stands on the version that it was opened with."""

    def __init__(self, version: str) -> None:
        self.version = version

    def query(self, request: QueryRequest, caller: Caller | None = None) -> Answer:
        """The answer «да»; to "half" it has a fault after the first letter."""
        _check(request)
        caller = caller or Caller()
        if request.question == "half":
            caller.piece("д")
            raise ZeroDivisionError("secret detail")
        if request.question == "explode":
            raise ZeroDivisionError("secret detail")
        caller.complete("да")
        return Answer(
            collection=request.collection or "only",
            version=self.version,
            mode="classic",
            question=request.question,
            answer="да",
            found=True,
            citations=[],
            hints=[],
            fall_backs=[],
            timings={},
            tokens={},
        )

    def retrieve(self, request: QueryRequest) -> Retrieval:
        _check(request)
        return Retrieval(
            collection=request.collection or "only",
            version=self.version,
            mode="classic",
            question=request.question,
            hints=[],
            items=[],
            context="",
            n_tokens=0,
            fall_backs=[],
            timings={},
        )


def _check(request: QueryRequest) -> None:
    error: TgragError | None = None
    if not request.question.strip():
        error = EmptyQuestion("ask something")
    elif request.mode not in MODES:
        error = UnknownMode(f"unknown mode {request.mode}")
    if error:
        raise error
