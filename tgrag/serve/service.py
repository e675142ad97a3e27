"""The query path without Ray: builtins in, a Reply out. One call answers on one snapshot."""

from typing import Any

from tgrag.index.catalog import Catalog
from tgrag.search.requests import QueryRequest
from tgrag.serve.library import Library
from tgrag.serve.listings import list_collections, list_versions
from tgrag.serve.replies import Reply, guarded, success


class Service:
    """request: a QueryRequest in JSON form, validated by the caller."""

    def __init__(self, catalog: Catalog, library: Library) -> None:
        self._catalog = catalog
        self._library = library

    def query(self, request: dict[str, Any]) -> Reply:
        return guarded(lambda: self._query(QueryRequest.model_validate(request)))

    def retrieve(self, request: dict[str, Any]) -> Reply:
        return guarded(lambda: self._retrieve(QueryRequest.model_validate(request)))

    def collections(self) -> Reply:
        return guarded(lambda: success(list_collections(self._catalog)))

    def versions(self, collection: str) -> Reply:
        return guarded(lambda: success(list_versions(self._catalog, collection)))

    def _query(self, request: QueryRequest) -> Reply:
        answer = self._library.engine(request.collection).query(request)
        return success(answer, answer.version)

    def _retrieve(self, request: QueryRequest) -> Reply:
        retrieval = self._library.engine(request.collection).retrieve(request)
        return success(retrieval, retrieval.version)
