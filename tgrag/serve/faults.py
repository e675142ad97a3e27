"""The one form of errors over HTTP: what the framework refuses, and what tgrag raises in a route."""

from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from tgrag.errors import InvalidRequest, TgragError
from tgrag.serve.replies import Reply, error_body, failure


def response_of(reply: Reply) -> Response:
    return Response(
        reply["body"], status_code=reply["status"], headers=reply["headers"], media_type="application/json"
    )


def handle_errors(api: FastAPI) -> None:
    @api.exception_handler(TgragError)
    async def told(_: Request, error: TgragError) -> Response:
        return response_of(failure(error))

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
