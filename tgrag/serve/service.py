"""The query path without Ray: builtins in, a Reply out. One call answers on one snapshot."""

from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import Any

from tgrag.index.catalog import Catalog
from tgrag.metrics import tell
from tgrag.search.caller import Caller
from tgrag.search.entities import Entities, EntityDetail, EntityList, Timeline
from tgrag.search.requests import Answer, QueryRequest, Retrieval
from tgrag.search.written import parse_as_of
from tgrag.serve.library import Library
from tgrag.serve.listings import list_collections, list_versions
from tgrag.serve.replies import Reply, guarded, success


class Service:
    """request: a QueryRequest in JSON form, validated by the caller."""

    def __init__(self, catalog: Catalog, library: Library) -> None:
        self._catalog = catalog
        self._library = library

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
        begun = perf_counter()
        answer = self._library.engine(request.collection).query(request, caller=caller)
        _tell(answer, perf_counter() - begun, answer.tokens)
        return success(answer, answer.version)

    def _retrieve(self, request: QueryRequest) -> Reply:
        begun = perf_counter()
        retrieval = self._library.engine(request.collection).retrieve(request)
        _tell(retrieval, perf_counter() - begun, {"context": retrieval.n_tokens})
        return success(retrieval, retrieval.version)


def _tell(told: Answer | Retrieval, seconds: float, tokens: Mapping[str, int]) -> None:
    """Count what a question took."""
    tell("tgrag_query_seconds", seconds, mode=told.mode)
    for step, value in told.timings.items():
        tell("tgrag_query_step_seconds", value, mode=told.mode, step=step)
    for kind, n in tokens.items():
        tell("tgrag_query_tokens", n, kind=kind)
    for fall_back in told.fall_backs:
        tell("tgrag_query_fall_backs", step=fall_back.step, used=fall_back.used)
