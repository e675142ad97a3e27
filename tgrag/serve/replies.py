"""What a retriever replica hands to the ingress: builtins only, for errors too.

An exception of ours that crossed a process border would make every process on its way import our libraries.
"""

import logging
from collections.abc import Callable
from typing import Literal, TypedDict

from pydantic import BaseModel, Field
from typing_extensions import TypeIs

from tgrag import logs
from tgrag.errors import TgragError

logger = logging.getLogger(__name__)


class Reply(TypedDict):
    """An HTTP answer before it is one. body: JSON text."""

    status: int
    body: str
    headers: dict[str, str]


class Told(TypedDict):
    """What is heard of an answer while it is written. data: JSON text of a Delta or a Restart."""

    event: Literal["delta", "restart"]
    data: str


Streamed = Told | Reply


def is_reply(item: Streamed) -> TypeIs[Reply]:
    """Tell whether this is the reply, which comes last."""
    return "status" in item


class ErrorDetail(BaseModel):
    code: str = Field(description="stable: what a program switches on", examples=["unknown_collection"])
    message: str = Field(description="for a person: what is wrong and what to do", examples=["…"])
    request_id: str | None = Field(
        None,
        description="by which the server's log names the request; over HTTP only",
        exclude_if=lambda value: value is None,
    )


class ErrorBody(BaseModel):
    """The one form of every error."""

    error: ErrorDetail


class NotReady(TgragError):
    """The application is still starting, or a part of it is down."""

    code = "not_ready"
    status = 503


class Overloaded(TgragError):
    """More requests wait than the server is set up to hold."""

    code = "overloaded"
    status = 503


class TimedOut(TgragError):
    code = "timeout"
    status = 504


class Internal(TgragError):
    """A fault of ours; the log has the traceback, the caller does not."""

    code = "internal"
    status = 500


RETRY_AFTER_SECONDS = 1
TELLING = {503: {"Retry-After": str(RETRY_AFTER_SECONDS)}, 401: {"WWW-Authenticate": "Bearer"}}


def success(body: BaseModel, version: str | None = None) -> Reply:
    headers = {"X-Tgrag-Version": version} if version else {}
    return Reply(status=200, body=body.model_dump_json(), headers=headers)


def failure(error: TgragError) -> Reply:
    body = error_body(error.code, error.message)
    return Reply(status=error.status, body=body.model_dump_json(), headers=TELLING.get(error.status, {}))


def error_body(code: str, message: str) -> ErrorBody:
    return ErrorBody(error=ErrorDetail(code=code, message=message, request_id=logs.request_id.get() or None))


def guarded(work: Callable[[], Reply]) -> Reply:
    """Do the work; whatever it raises becomes a reply. The unexpected is logged and told as ``internal``."""
    try:
        return work()
    except TgragError as error:
        return failure(error)
    except Exception:
        logger.exception("unexpected error while answering a request")
        return failure(Internal("something went wrong inside tgrag; its log has the details"))
