"""One question from the command line: answered here, or by a server, and heard while it is written."""

import os
from contextlib import closing, nullcontext

import httpx
from httpx_sse import EventSource, SSEError
from pydantic import ValidationError

from tgrag.errors import InvalidRequest, TgragError
from tgrag.search.caller import Caller, Delta, Restart
from tgrag.search.requests import Answer, QueryRequest
from tgrag.serve.replies import ErrorBody, NotReady
from tgrag.settings import Settings

KEY_VARIABLE = "TGRAG_API_KEY"


def in_process(request: QueryRequest, settings: Settings, caller: Caller) -> Answer:
    """Open the published version and the embedder in this process: no Ray, one to two seconds."""
    from tgrag.index.catalog import Catalog
    from tgrag.models.embedders import open_embedder
    from tgrag.models.rerankers import open_reranker
    from tgrag.models.tokenizer import tokenizer
    from tgrag.search.engine import Engine
    from tgrag.search.model_answer import answer_writer
    from tgrag.serve.listings import only_collection
    from tgrag.store.root import open_root

    catalog = Catalog(open_root(settings.root))
    snapshot = catalog.collection(request.collection or only_collection(catalog)).open_current()
    writer, reranker = answer_writer(settings.chat), open_reranker(settings.rerank)
    with closing(writer) if writer else nullcontext():
        engine = Engine(
            snapshot,
            open_embedder(settings),
            tokenizer(settings.chunk.tokenizer),
            settings.search,
            writer,
            reranker,
        )
        return engine.query(request, caller=caller)


def over_http(url: str, request: QueryRequest, settings: Settings, caller: Caller) -> Answer:
    """Ask a server. Raises the server's error as it tells it, or NotReady when nothing answers there."""
    asked = request.model_dump(mode="json", exclude_none=True) | ({"stream": True} if caller.hears else {})
    timeout = settings.serve.timeout_seconds + 5  # the server gives up first, and says so
    try:
        with httpx.stream(
            "POST", f"{url.rstrip('/')}/v1/query", json=asked, headers=_key(), timeout=timeout
        ) as response:
            if caller.hears and response.is_success:
                return _heard(url, EventSource(response), caller)
            response.read()
    except httpx.InvalidURL as error:
        raise InvalidRequest(f"--url {url}: {error}") from None
    except httpx.HTTPError as error:
        raise NotReady(f"{url} does not answer ({error}); start a server with `tgrag serve`") from None
    try:
        if response.is_success:
            return Answer.model_validate_json(response.content)
        raise _told(response.text, response.status_code)
    except ValidationError:
        raise NotReady(f"{url} answered with status {response.status_code}, but not as tgrag does") from None


def _key() -> dict[str, str]:
    """Return the header with the caller's API key: a variable, since others can read a command line.

    Raises InvalidRequest when it cannot be a header.
    """
    key = os.environ.get(KEY_VARIABLE, "").strip()
    if not key.isascii():
        raise InvalidRequest(f"{KEY_VARIABLE} is no API key: it is not ASCII")
    return {"Authorization": f"Bearer {key}"} if key else {}


def _heard(url: str, source: EventSource, caller: Caller) -> Answer:
    """Pass on what is heard of an answer, and return it. Raises the server's error; NotReady on any other form."""
    try:
        for event in source.iter_sse():
            match event.event:
                case "delta":
                    caller.tell(Delta.model_validate_json(event.data))
                case "restart":
                    caller.tell(Restart())
                case "answer":
                    return Answer.model_validate_json(event.data)
                case "error":
                    raise _told(event.data, 500)
    except (ValidationError, SSEError):
        raise NotReady(f"{url} sends events, but not as tgrag does") from None
    raise NotReady(f"{url} broke off its answer; ask again")


def _told(body: str, status: int) -> TgragError:
    detail = ErrorBody.model_validate_json(body).error
    error = TgragError(detail.message)
    error.code, error.status = detail.code, status
    return error
