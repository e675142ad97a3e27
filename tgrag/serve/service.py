"""The query path without Ray: builtins in, a Reply out. One call answers on one snapshot."""

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

from tgrag import logs
from tgrag.index.catalog import Catalog
from tgrag.search.caller import Caller
from tgrag.search.engine import Engine
from tgrag.search.entities import Entities, EntityDetail, EntityList, Timeline
from tgrag.search.requests import Answer, QueryRequest, Retrieval
from tgrag.search.written import parse_as_of
from tgrag.serve.library import Library
from tgrag.serve.listings import list_collections, list_versions
from tgrag.serve.replies import Reply, guarded, success
from tgrag.serve.telling import tell_question
from tgrag.tracing import Tracing


class Service:
    """request: a QueryRequest in JSON form, validated by the caller."""

    def __init__(self, catalog: Catalog, library: Library, tracing: Tracing | None = None) -> None:
        self._catalog = catalog
        self._library = library
        self._tracing = tracing

    def query(self, request: dict[str, Any], caller: Caller | None = None) -> Reply:
        return guarded(lambda: self._query(QueryRequest.model_validate(request), caller))

    def retrieve(self, request: dict[str, Any]) -> Reply:
        return guarded(lambda: self._retrieve(QueryRequest.model_validate(request)))

    def entities(
        self, collection: str | None, q: str | None, as_of: str | None, offset: int, limit: int
    ) -> Reply:
        return self._entities(collection, lambda e: e.find(q, parse_as_of(as_of), offset, limit))

    def entity(self, collection: str | None, entity_id: str, as_of: str | None) -> Reply:
        return self._entities(collection, lambda e: e.detail(entity_id, parse_as_of(as_of)))

    def timeline(
        self, collection: str | None, entity_id: str, as_of: str | None, offset: int, limit: int
    ) -> Reply:
        return self._entities(collection, lambda e: e.timeline(entity_id, parse_as_of(as_of), offset, limit))

    def collections(self, visible: Sequence[str] | None) -> Reply:
        return guarded(lambda: success(list_collections(self._catalog, visible)))

    def versions(self, collection: str) -> Reply:
        return guarded(lambda: success(list_versions(self._catalog, collection)))

    def _entities(
        self, collection: str | None, ask: Callable[[Entities], EntityList | EntityDetail | Timeline]
    ) -> Reply:
        def work() -> Reply:
            told = ask(self._library.engine(collection).entities)
            return success(told, told.version)

        return guarded(work)

    def _query(self, request: QueryRequest, caller: Caller | None) -> Reply:
        return self._told(request, lambda engine: engine.query(request, caller=caller))

    def _retrieve(self, request: QueryRequest) -> Reply:
        return self._told(request, lambda engine: engine.retrieve(request))

    def _told(self, request: QueryRequest, search: Callable[[Engine], Answer | Retrieval]) -> Reply:
        begun = perf_counter()
        opened = self._library.open(request.collection)
        with logs.about(opened.collection, opened.version_id):
            found = search(opened.engine)
            tell_question(found, perf_counter() - begun, self._tracing)
        return success(found, found.version)
