"""The HTTP API: routes, their documentation and the one form of errors. It knows nothing of Ray.

``build_api(ask)`` takes the function that carries a request to the query path:
``await ask("query", request) -> Reply``; it may raise TgragError.
"""

import logging
from collections.abc import Sequence
from typing import Annotated, Any, Protocol

from fastapi import Body, FastAPI, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from tgrag import __version__
from tgrag.errors import InvalidRequest, TgragError
from tgrag.search.entities import LONGEST_PAGE, PAGE, EntityDetail, EntityList, Timeline
from tgrag.search.requests import Answer, QueryRequest, Retrieval
from tgrag.serve.listings import CollectionList, VersionList
from tgrag.serve.replies import ErrorBody, Internal, Reply, error_body, failure

logger = logging.getLogger(__name__)

DESCRIPTION = """
Answers with checked quotes from long documents, as of any chapter or date.

* **Collections** hold indexed documents; `collection` may be left out when there is exactly one.
* **`as_of`** limits everything that an answer can see to what a reader knew by then.
* Every answer names the index **version** it was given on (also in the header `X-Tgrag-Version`);
  `X-Request-Id` is sent back, or made when the request has none.
* Every **error** has the form `{"error": {"code": "…", "message": "…"}}`. Codes are stable. Code and status:
  `malformed_json` 400; `not_found`, `unknown_collection`, `unknown_book`, `unknown_chapter`,
  `entity_not_found` 404;
  `method_not_allowed` 405; `no_version`, `embedder_mismatch`, `schema_mismatch` 409;
  `invalid_request`, `empty_question`, `unknown_mode`, `ambiguous_as_of` 422; `internal` 500;
  `overloaded`, `not_ready`, `model_unavailable`, `storage_error` 503 with `Retry-After`; `timeout` 504.
"""

EXAMPLES: dict[str, Any] = {
    "plain": {
        "summary": "A question",
        "value": {"question": "Какие три карты назвала графиня Германну?", "collection": "demo"},
    },
    "as of a chapter": {
        "summary": "What a reader knows by the end of chapter 2",
        "value": {"question": "Кто такой Германн?", "collection": "demo", "as_of": {"chapter": 2}},
    },
    "one book, with context": {
        "summary": "In one book, classic mode, with the context that was used",
        "value": {
            "question": "Where did they first meet?",
            "mode": "classic",
            "books": ["The Queen of Spades"],
            "include_context": True,
        },
    },
}

ERRORS: dict[int | str, dict[str, Any]] = {
    404: {"model": ErrorBody, "description": "unknown collection, book, chapter or entity"},
    409: {"model": ErrorBody, "description": "no version published yet, or one that this server cannot read"},
    422: {"model": ErrorBody, "description": "the request is not valid; the message names the field"},
    503: {
        "model": ErrorBody,
        "description": "overloaded, or a part is down: try again after Retry-After seconds",
    },
    504: {"model": ErrorBody, "description": "no answer in time"},
}
UNAVAILABLE: dict[int | str, dict[str, Any]] = {503: ERRORS[503]}
LISTING: dict[int | str, dict[str, Any]] = {status: ERRORS[status] for status in (404, 422, 503)}

In = Annotated[str | None, Query(max_length=500, description="may be left out when there is exactly one")]
Named = Annotated[
    str | None, Query(max_length=500, description="a name, a part of one, an alias; in any form and case")
]
When = Annotated[
    str | None,
    Query(
        max_length=1000,
        description="3, Глава III, book=2,chapter=5, ordinal=40, date=1834-01, series=…,chapter=…",
    ),
]
Offset = Annotated[int, Query(ge=0, le=10**9)]
Limit = Annotated[int, Query(ge=1, le=LONGEST_PAGE)]

Question = Annotated[QueryRequest, Body(openapi_examples=EXAMPLES)]


class Ask(Protocol):
    async def __call__(self, method: str, *arguments: Any) -> Reply:
        """Call a method of the query path with builtins."""


def build_api(ask: Ask) -> FastAPI:
    """Return the application; ``ask`` reaches query, retrieve, collections, versions and ready."""
    api = FastAPI(title="tgrag", version=__version__, description=DESCRIPTION, redoc_url=None)

    async def forward(method: str, *arguments: Any) -> Response:
        try:
            return _response(await ask(method, *arguments))
        except TgragError as error:
            return _response(failure(error))
        except Exception:
            logger.exception("unexpected error in %s", method)
            return _response(failure(Internal("something went wrong inside tgrag; its log has the details")))

    @api.post("/v1/query", response_model=Answer, responses=ERRORS, tags=["questions"])
    async def query(request: Question) -> Response:
        """Answer a question with checked quotes: each says its book, chapter, pages and character span."""
        return await forward("query", request.model_dump(mode="json"))

    @api.post("/v1/retrieve", response_model=Retrieval, responses=ERRORS, tags=["questions"])
    async def retrieve(request: Question) -> Response:
        """Return the context alone, as it would be shown to a model: for those who write the answer themselves."""
        return await forward("retrieve", request.model_dump(mode="json"))

    @api.get("/v1/entities", response_model=EntityList, responses=ERRORS, tags=["entities"])
    async def entities(
        q: Named = None, collection: In = None, as_of: When = None, offset: Offset = 0, limit: Limit = PAGE
    ) -> Response:
        """Find entities by any form of any of their names; without ``q`` list them, the most mentioned first."""
        return await forward("entities", collection, q, as_of, offset, limit)

    @api.get("/v1/entities/{entity_id}", response_model=EntityDetail, responses=ERRORS, tags=["entities"])
    async def entity(entity_id: str, collection: In = None, as_of: When = None) -> Response:
        """Tell an entity's names and where it appears."""
        return await forward("entity", collection, entity_id, as_of)

    @api.get(
        "/v1/entities/{entity_id}/timeline", response_model=Timeline, responses=ERRORS, tags=["entities"]
    )
    async def timeline(
        entity_id: str,
        collection: In = None,
        as_of: When = None,
        offset: Offset = 0,
        limit: Limit = PAGE,
    ) -> Response:
        """Tell how an entity develops: its states in story order, each description with its quote."""
        return await forward("timeline", collection, entity_id, as_of, offset, limit)

    @api.get("/v1/collections", response_model=CollectionList, responses=UNAVAILABLE, tags=["indexes"])
    async def collections() -> Response:
        """List the collections and their published versions."""
        return await forward("collections")

    @api.get(
        "/v1/collections/{collection}/versions",
        response_model=VersionList,
        responses=LISTING,
        tags=["indexes"],
    )
    async def versions(collection: str) -> Response:
        """List the versions of a collection, newest first."""
        return await forward("versions", collection)

    @api.get("/healthz", tags=["health"])
    async def healthz() -> dict[str, str]:
        """Tell that the process is alive."""
        return {"status": "ok"}

    @api.get("/readyz", responses=UNAVAILABLE, tags=["health"])
    async def readyz() -> Response:
        """Tell whether questions can be answered: a retriever answers, and so does its embedder."""
        return await forward("ready")

    _handle_errors(api)
    return api


def _handle_errors(api: FastAPI) -> None:
    @api.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        faults = error.errors()
        if request.method == "POST" and "json" not in request.headers.get("content-type", ""):
            message = "send the question as JSON, with the header Content-Type: application/json"
            return _error(InvalidRequest.status, InvalidRequest.code, message)
        if any(fault["type"] == "json_invalid" for fault in faults):
            return _malformed()
        return _error(InvalidRequest.status, InvalidRequest.code, describe_faults(faults))

    @api.exception_handler(HTTPException)
    async def refused(request: Request, error: HTTPException) -> Response:
        if error.status_code == 404:
            return _error(404, "not_found", f"there is nothing at {request.url.path}; see /docs")
        if error.status_code == 405:
            message = f"{request.url.path} does not take {request.method}; see /docs"
            return _error(405, "method_not_allowed", message, dict(error.headers or {}))
        if (
            error.status_code == 400
        ):  # what the parser of JSON refuses: bytes that are no text, endless nesting
            return _malformed()
        return _error(error.status_code, "invalid_request", str(error.detail), dict(error.headers or {}))


def describe_faults(faults: Sequence[Any]) -> str:
    """Return one line that names each field and what is wrong with it."""
    lines = []
    for fault in faults:
        place = ".".join(str(part) for part in fault["loc"] if part not in ("body", "query"))
        text = fault["msg"].removeprefix("Value error, ")
        lines.append(f"{place or 'body'}: {text}")
    return "; ".join(dict.fromkeys(lines))


def _malformed() -> Response:
    message = 'the body is not valid JSON; send an object such as {"question": "…"}'
    return _error(400, "malformed_json", message)


def _error(status: int, code: str, message: str, headers: dict[str, str] | None = None) -> Response:
    return JSONResponse(error_body(code, message).model_dump(), status_code=status, headers=headers)


def _response(reply: Reply) -> Response:
    return Response(
        reply["body"], status_code=reply["status"], headers=reply["headers"], media_type="application/json"
    )
