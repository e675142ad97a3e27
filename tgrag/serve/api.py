"""The HTTP API: routes, their documentation and the one form of errors. It knows nothing of Ray.

``build_api(ask, listen, …)`` takes the functions that carry a request to the query path: ``await ask("query", request)
-> Reply``, and ``listen(request)``, an iterator over an answer while it is written; both may raise TgragError.
"""

import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated, Any, Protocol, TypeVar

from fastapi import Body, Depends, FastAPI, Query, Request, Response, Security
from fastapi.security import HTTPBearer
from fastapi.sse import EventSourceResponse

from tgrag import __version__
from tgrag.errors import TgragError
from tgrag.search.entities import LONGEST_PAGE, PAGE, EntityDetail, EntityList, Timeline
from tgrag.search.requests import Answer, AskRequest, QueryRequest, Retrieval
from tgrag.serve.access import Access, Authentication, Grant
from tgrag.serve.faults import handle_errors, response_of
from tgrag.serve.listings import CollectionList, VersionList
from tgrag.serve.replies import ErrorBody, Internal, Reply, Streamed, failure, is_reply
from tgrag.serve.streaming import server_sent
from tgrag.serve.traffic import InFlight, Traffic

logger = logging.getLogger(__name__)

DESCRIPTION = """
Answers with checked quotes from long documents, as of any chapter or date.

* **Collections** hold indexed documents; `collection` may be left out when there is exactly one.
* **`as_of`** limits everything that an answer can see to what a reader knew by then.
* Every answer names the index **version** it was given on (also in the header `X-Tgrag-Version`);
  `X-Request-ID` is sent back, or made when the request has none (or one of over 128 characters, or of others than
  letters, digits and `._:=/+@-`).
* Where a server asks for an **API key**, it comes as `Authorization: Bearer KEY` and opens the collections it was
  made for; `/healthz`, `/readyz` and this page need none.
* Every **error** has the form `{"error": {"code": "…", "message": "…", "request_id": "…"}}`. Codes are stable. Code and
  status:
  `malformed_json` 400; `unauthorized` 401; `forbidden` 403;
  `not_found`, `unknown_collection`, `unknown_book`, `unknown_chapter`, `entity_not_found` 404;
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
    401: {"model": ErrorBody, "description": "no API key, or one that is not known"},
    403: {"model": ErrorBody, "description": "the API key does not open this collection"},
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
LISTING: dict[int | str, dict[str, Any]] = {status: ERRORS[status] for status in (401, 403, 404, 422, 503)}
LISTINGS: dict[int | str, dict[str, Any]] = {status: ERRORS[status] for status in (401, 503)}

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
Asked = Annotated[AskRequest, Body(openapi_examples=EXAMPLES)]

STREAM_HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}  # proxies pass events on at once
ANSWERED: dict[int | str, dict[str, Any]] = {
    200: {"content": {EventSourceResponse.media_type: {}}, "description": "the answer, or its events"}
}


class Listen(Protocol):
    def __call__(self, request: dict[str, Any]) -> AsyncGenerator[Streamed, None]:
        """Ask a question; yield what is heard of the answer, then the reply."""


class Ask(Protocol):
    async def __call__(self, method: str, *arguments: Any) -> Reply:
        """Call a method of the query path with builtins."""


BEARER = HTTPBearer(auto_error=False, description="an API key, where the server asks for one")


def _granted(request: Request, _: Annotated[Any, Security(BEARER)]) -> Grant:
    grant: Grant = request.state.grant
    return grant


Granted = Annotated[Grant, Depends(_granted)]


def build_api(ask: Ask, listen: Listen, access: Access, in_flight: InFlight | None = None) -> FastAPI:
    """Return the application; ``ask`` reaches query, retrieve, entities, collections, versions and ready."""
    api = FastAPI(title="tgrag", version=__version__, description=DESCRIPTION, redoc_url=None)
    api.add_middleware(Authentication, access=access)
    api.add_middleware(Traffic, in_flight=in_flight or InFlight())

    async def forward(method: str, *arguments: Any) -> Response:
        try:
            return response_of(await ask(method, *arguments))
        except Exception as error:
            return response_of(_told(error))

    async def heard(request: dict[str, Any]) -> AsyncGenerator[Streamed, None]:
        try:
            async with aclosing(listen(request)) as items:
                async for item in items:
                    yield item
        except Exception as error:
            yield _told(error)

    @api.post("/v1/query", response_model=Answer, responses=ANSWERED | ERRORS, tags=["questions"])
    async def query(request: Asked, grant: Granted) -> Response:
        """Answer a question with checked quotes: each says its book, chapter, pages and character span.

        With `stream`, send it while it is written, as server-sent events: `delta` (`{"text": …}`: the answer goes
        on), `restart` (the text so far is void, the answer begins anew), and at last `answer` (what comes without
        `stream`: citations, fall-backs, and the answer once more, as checked) or `error`. An error before the first
        event is an ordinary response with its status.
        """
        asked = of_collection(grant, request).model_dump(mode="json", exclude={"stream"})
        if not request.stream:
            return await forward("query", asked)
        items = heard(asked)
        first = await anext(items)
        if is_reply(first) and first["status"] != 200:
            return response_of(first)
        return EventSourceResponse(server_sent(resumed(first, items)), headers=STREAM_HEADERS)

    @api.post("/v1/retrieve", response_model=Retrieval, responses=ERRORS, tags=["questions"])
    async def retrieve(request: Question, grant: Granted) -> Response:
        """Return the context alone, as it would be shown to a model: for those who write the answer themselves."""
        return await forward("retrieve", of_collection(grant, request).model_dump(mode="json"))

    @api.get("/v1/entities", response_model=EntityList, responses=ERRORS, tags=["entities"])
    async def entities(
        grant: Granted,
        q: Named = None,
        collection: In = None,
        as_of: When = None,
        offset: Offset = 0,
        limit: Limit = PAGE,
    ) -> Response:
        """Find entities by any form of any of their names; without ``q`` list them, the most mentioned first."""
        return await forward("entities", grant.collection(collection), q, as_of, offset, limit)

    @api.get("/v1/entities/{entity_id}", response_model=EntityDetail, responses=ERRORS, tags=["entities"])
    async def entity(grant: Granted, entity_id: str, collection: In = None, as_of: When = None) -> Response:
        """Tell an entity's names and where it appears."""
        return await forward("entity", grant.collection(collection), entity_id, as_of)

    @api.get(
        "/v1/entities/{entity_id}/timeline", response_model=Timeline, responses=ERRORS, tags=["entities"]
    )
    async def timeline(
        grant: Granted,
        entity_id: str,
        collection: In = None,
        as_of: When = None,
        offset: Offset = 0,
        limit: Limit = PAGE,
    ) -> Response:
        """Tell how an entity develops: its states in story order, each description with its quote."""
        return await forward("timeline", grant.collection(collection), entity_id, as_of, offset, limit)

    @api.get("/v1/collections", response_model=CollectionList, responses=LISTINGS, tags=["indexes"])
    async def collections(grant: Granted) -> Response:
        """List the collections that the key opens, and their published versions."""
        return await forward("collections", grant.visible())

    @api.get(
        "/v1/collections/{collection}/versions",
        response_model=VersionList,
        responses=LISTING,
        tags=["indexes"],
    )
    async def versions(collection: str, grant: Granted) -> Response:
        """List the versions of a collection, newest first."""
        return await forward("versions", grant.collection(collection))

    @api.get("/healthz", tags=["health"])
    async def healthz() -> dict[str, str]:
        """Tell that the process is alive."""
        return {"status": "ok"}

    @api.get("/readyz", responses=UNAVAILABLE, tags=["health"])
    async def readyz() -> Response:
        """Tell whether questions can be answered: a retriever answers, and so does its embedder."""
        return await forward("ready")

    handle_errors(api)
    return api


Asking = TypeVar("Asking", bound=QueryRequest)


def of_collection(grant: Grant, request: Asking) -> Asking:
    """Return the request with the collection that its key opens. Raises Forbidden, InvalidRequest."""
    return request.model_copy(update={"collection": grant.collection(request.collection)})


async def resumed(first: Streamed, items: AsyncGenerator[Streamed, None]) -> AsyncGenerator[Streamed, None]:
    """Yield an item that was taken already, then the others."""
    async with aclosing(items):
        yield first
        async for item in items:
            yield item


def _told(error: Exception) -> Reply:
    if isinstance(error, TgragError):
        return failure(error)
    logger.error("unexpected error while answering a request", exc_info=error)
    return failure(Internal("something went wrong inside tgrag; its log has the details"))
