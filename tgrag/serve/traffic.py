"""Each request over HTTP gets an id, is counted, and is told in the log; whatever became of it."""

import json
import logging
import re
from time import perf_counter

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tgrag import logs
from tgrag.metrics import tell
from tgrag.request_ids import HEADER, sane

logger = logging.getLogger(__name__)

LEFT = 499, "caller_left"  # as other servers call a request that nobody waits for any more
UNMATCHED = "unmatched"  # route of a path that there is not: callers' own words are no label
_ERROR_EVENT = re.compile(rb"event: error\r?\ndata: (.*)")


class InFlight:
    """How many requests a process is answering."""

    def __init__(self) -> None:
        self._n = 0

    def add(self, change: int) -> None:
        self._n += change
        self.tell()

    def tell(self) -> None:
        tell("tgrag_requests_in_flight", self._n)


class Traffic:
    """ASGI middleware, to be the outermost. A request keeps the id of its header where that is sane."""

    def __init__(self, app: ASGIApp, in_flight: InFlight) -> None:
        self._app, self._in_flight = app, in_flight

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        begun, sent_id = perf_counter(), Headers(scope=scope).get(HEADER)
        request_id = sane(sent_id)
        logs.request_id.set(request_id)
        status, code = LEFT

        async def send_and_note(message: Message) -> None:
            nonlocal status, code
            if message["type"] == "http.response.start":
                status, code = message["status"], "ok"
                if request_id != sent_id:  # else Serve's proxy sends it back
                    MutableHeaders(scope=message)[HEADER] = request_id
            elif message["type"] == "http.response.body":
                code = _code(status, message.get("body", b"")) or code
            await send(message)

        self._in_flight.add(+1)
        try:
            return await self._app(scope, receive, send_and_note)
        finally:
            self._in_flight.add(-1)
            route, seconds = getattr(scope.get("route"), "path", UNMATCHED), perf_counter() - begun
            tell("tgrag_requests", route=route, status=str(status), code=code)
            tell("tgrag_request_seconds", seconds, route=route)
            level = logging.DEBUG if route.endswith("z") else logging.INFO  # probes ask every few seconds
            logger.log(level, "%s %s: %d %s in %.3f s", scope["method"], route, status, code, seconds)


def _code(status: int, body: bytes) -> str | None:
    """Return the code of the error that a part of a response tells, in a body or as the last event of a stream."""
    if status < 400:
        told = _ERROR_EVENT.match(body)
        body = told[1] if told else b""
    if not body:
        return None
    try:
        return str(json.loads(body)["error"]["code"])
    except (ValueError, KeyError, TypeError):
        return None
