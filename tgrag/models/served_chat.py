"""A chat model that runs on this Ray: a Serve deployment asked through its handle.

The deployment's method ``complete`` takes a dict (of a ChatRequest), and whether it is urgent, and returns a dict (of a
ChatReply); ``stream`` yields the pieces of the answer's text and then that dict. What they raise has to be a builtin:
ValueError where the request is at fault, ConnectionError where its engine is dead, anything else where trying again is
sane.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import cached_property
from time import monotonic
from typing import Any

from pydantic import TypeAdapter, ValidationError

from tgrag.cluster import connect
from tgrag.models.chat import CallFailed, ChatReply, ChatRequest, Misconfigured
from tgrag.models.chat_wire import identity_of
from tgrag.settings import ChatSettings

APPLICATION = "chat"
DEPLOYMENT = "Chat"
BUSY_SECONDS = 1.0  # what a caller waits when every replica's queue is full
PATIENCE_SECONDS = 600.0  # of an index run: another replica has to load the model
PAUSE_SECONDS = 2.0

_REPLY = TypeAdapter(ChatReply)


class _Away(CallFailed):
    """No replica is alive."""


class ServedChat:
    """handle: of the deployment; that of the running application without it, looked up at the first request.

    urgent: somebody waits for the answers, so they go before those for an index, and fail at once when no replica is
    alive. Those for an index wait until one is back, for PATIENCE_SECONDS or as long as the caller lets them.
    """

    def __init__(self, settings: ChatSettings, handle: Any = None, *, urgent: bool = False) -> None:
        self.identity = identity_of(settings)
        self._given, self._urgent = handle, urgent

    async def complete(self, request: ChatRequest) -> ChatReply:
        until = monotonic() + (0.0 if self._urgent else PATIENCE_SECONDS)
        while True:
            try:
                return await self._complete(request)
            except _Away:
                if monotonic() >= until:
                    raise
            await asyncio.sleep(PAUSE_SECONDS)

    async def _complete(self, request: ChatRequest) -> ChatReply:
        with self._told():
            response = self._handle.complete.remote(asdict(request), self._urgent)
            try:
                return _REPLY.validate_python(await response)
            except asyncio.CancelledError:
                response.cancel()
                raise

    async def stream(self, request: ChatRequest, heard: Callable[[str], None]) -> ChatReply:
        with self._told():
            response = self._handle.options(stream=True).stream.remote(asdict(request), self._urgent)
            try:
                async for piece in response:
                    if not isinstance(piece, str):
                        return _REPLY.validate_python(piece)
                    heard(piece)
            except asyncio.CancelledError:
                response.cancel()
                raise
        raise CallFailed("the deployment's answer broke off", transient=True)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn what Ray raises into failures that say what to do."""
        from ray.exceptions import RayActorError, RayError, RayTaskError
        from ray.serve.exceptions import BackPressureError, RayServeException

        try:
            yield
        except BackPressureError:
            raise CallFailed("every replica is busy", transient=True, retry_after=BUSY_SECONDS) from None
        except ValidationError as error:
            raise CallFailed(f"the deployment answered in another form: {error}", transient=False) from None
        except ValueError as error:
            raise CallFailed(f"the request is refused: {_cause(error)}", transient=False) from None
        except (RayActorError, RayServeException, ConnectionError) as error:
            raise _Away(f"a replica died or is starting: {_cause(error)}", transient=True) from None
        except (RayTaskError, RayError, RuntimeError) as error:
            raise CallFailed(f"the model failed: {_cause(error)}", transient=True) from None

    async def close(self) -> None:
        """Nothing is held."""

    @cached_property
    def _handle(self) -> Any:
        if self._given is not None:
            return self._given
        import ray
        from ray import serve
        from ray.serve.exceptions import RayServeException

        if not ray.is_initialized():
            connect()
        try:
            return serve.get_deployment_handle(DEPLOYMENT, APPLICATION)
        except (KeyError, RayServeException) as error:
            raise Misconfigured(
                f"the application {APPLICATION} is not up on this Ray ({error}); deploy it"
            ) from None


def _cause(error: Exception) -> str:
    """Return the message without Ray's traceback."""
    cause = getattr(error, "cause", None) or error
    return str(cause).strip().splitlines()[-1] if str(cause).strip() else type(cause).__name__
