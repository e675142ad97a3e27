"""The Serve application ``rag``: ingress and retriever replicas. What crosses processes is builtins.

A query makes one call to one retriever replica. The models are applications of their own (``tgrag.serve.models``).
"""

import asyncio
import logging
import threading
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, contextmanager
from contextvars import copy_context
from typing import Any

from fastapi import FastAPI
from ray import serve
from ray._private.authentication.authentication_utils import is_token_auth_enabled
from ray.exceptions import RayActorError
from ray.serve import Application
from ray.serve.context import _get_global_client
from ray.serve.exceptions import BackPressureError, DeploymentUnavailableError
from ray.serve.handle import DeploymentHandle

from tgrag import logs
from tgrag.errors import ConfigurationError, TgragError
from tgrag.index.catalog import Catalog
from tgrag.models.rerankers import open_reranker
from tgrag.models.served import ServedEmbedder
from tgrag.models.tokenizer import tokenizer
from tgrag.request_ids import give_to_serve, take_from_serve
from tgrag.search.caller import Caller
from tgrag.search.engine import Engine
from tgrag.search.model_answer import answer_writer
from tgrag.serve.access import Access, KeyDigest, digests, require_safe
from tgrag.serve.api import build_api
from tgrag.serve.config import RagArguments
from tgrag.serve.library import Library
from tgrag.serve.replies import NotReady, Overloaded, Reply, Streamed, TimedOut, guarded
from tgrag.serve.service import Service
from tgrag.serve.streaming import hear
from tgrag.serve.traffic import InFlight
from tgrag.settings import load_settings
from tgrag.shared_root import require_shared
from tgrag.store.root import open_root
from tgrag.tracing import Tracing, open_tracing

logger = logging.getLogger(__name__)

HEALTH_CHECK_SECONDS = 5  # Serve gives a replica up after three failed checks
READY_SECONDS = 5
EMBEDDER_SHARE = 0.5  # of a question's time, after which it is answered without vectors
INGRESS_REQUESTS = 10_000  # it only forwards


class Retriever:
    """Searches open snapshots in threads; a thread beside them follows what is published."""

    def __init__(self, arguments: dict[str, Any]) -> None:
        logs.set_up()
        args = RagArguments(**arguments)
        chat = args.chat.model_dump(mode="json", exclude={"api_key"}, exclude_unset=True)
        settings = load_settings(
            root=args.root, search=args.search, serve=args.serve, rerank=args.rerank, chat=chat
        )
        self._poll_seconds = settings.serve.poll_seconds
        self._embedder = ServedEmbedder(EMBEDDER_SHARE * settings.serve.timeout_seconds)
        _require_shared(settings.root)
        catalog = Catalog(open_root(settings.root))
        self._library = Library(
            catalog,
            lambda snapshot: Engine(
                snapshot,
                self._embedder,
                tokenizer(settings.chunk.tokenizer),
                settings.search,
                self._writer,
                self._reranker,
            ),
            settings.serve.max_open_collections,
        )
        self._service = Service(catalog, self._library, _tracing(settings.serve.traces))
        self._writer = answer_writer(settings.chat, settings.serve.timeout_seconds)
        self._reranker = open_reranker(settings.rerank)
        self._threads = ThreadPoolExecutor(settings.serve.max_ongoing_requests, thread_name_prefix="query")
        self._follower = threading.Thread(target=self._follow_published, daemon=True, name="follow")
        self._follower.start()

    async def query(self, request: dict[str, Any]) -> Reply:
        caller = Caller()
        try:
            return await self._run(lambda: self._service.query(request, caller))
        finally:
            caller.leave()

    async def stream(self, request: dict[str, Any]) -> AsyncIterator[Streamed]:
        """Yield what there is to hear of an answer while it is written, then the reply that ``query`` gives."""
        take_from_serve()
        async with aclosing(
            hear(lambda caller: self._service.query(request, caller), self._threads)
        ) as items:
            async for item in items:
                yield item

    async def retrieve(self, request: dict[str, Any]) -> Reply:
        return await self._run(lambda: self._service.retrieve(request))

    async def entities(self, *asked: Any) -> Reply:
        return await self._run(lambda: self._service.entities(*asked))

    async def entity(self, *asked: Any) -> Reply:
        return await self._run(lambda: self._service.entity(*asked))

    async def timeline(self, *asked: Any) -> Reply:
        return await self._run(lambda: self._service.timeline(*asked))

    async def collections(self, visible: list[str] | None) -> Reply:
        return await self._run(lambda: self._service.collections(visible))

    async def versions(self, collection: str) -> Reply:
        return await self._run(lambda: self._service.versions(collection))

    async def ready(self) -> Reply:
        """Ask the embedder for a vector."""
        return await self._run(lambda: guarded(self._embed_something))

    async def check_health(self) -> None:
        if not self._follower.is_alive():
            raise RuntimeError("the thread that follows published versions has ended")
        self._library.tell()  # Serve asks every few seconds

    def _embed_something(self) -> Reply:
        self._embedder.embed_queries(["ready"])
        return Reply(status=200, body='{"status":"ready"}', headers={})

    async def _run(self, work: Callable[[], Reply]) -> Reply:
        take_from_serve()
        run = copy_context().run
        return await asyncio.get_running_loop().run_in_executor(self._threads, run, work)

    def _follow_published(self) -> None:
        while True:
            time.sleep(self._poll_seconds)
            try:
                self._library.refresh()
            except Exception:
                logger.exception("looking for newly published versions failed; trying again")


class Ingress:
    """The HTTP API in front of the retrievers: asks for the key, validates, forwards, sheds what is too much.

    api_keys: digests; those of the keys that its own environment states are known as well.
    """

    def __init__(
        self, retriever: DeploymentHandle, timeout_seconds: float, api_keys: list[dict[str, Any]]
    ) -> None:
        logs.set_up()
        self._retriever = retriever
        self._timeout = timeout_seconds
        known = [*map(KeyDigest.model_validate, api_keys), *digests(load_settings().serve.api_keys)]
        _require_safe_proxies(has_keys=bool(known))
        self._access = Access(known)
        self._in_flight = InFlight()

    def __serve_build_asgi_app__(self) -> FastAPI:
        return build_api(self._ask, self._listen, self._access, self._in_flight)

    async def check_health(self) -> None:
        self._in_flight.tell()  # Serve asks every few seconds

    async def _ask(self, method: str, *arguments: Any) -> Reply:
        give_to_serve()
        timeout = READY_SECONDS if method == "ready" else self._timeout
        with _told():
            response = getattr(self._retriever, method).remote(*arguments)
            try:
                reply: Reply = await asyncio.wait_for(response, timeout)
                return reply
            except TimeoutError:
                response.cancel()
                if method == "ready":
                    raise NotReady(f"no retriever answered within {timeout:g} seconds") from None
                raise TimedOut(f"no answer within {timeout:g} seconds") from None

    async def _listen(self, request: dict[str, Any]) -> AsyncGenerator[Streamed, None]:
        """Yield the items of a streamed answer; they have to be complete in the time of any answer."""
        give_to_serve()
        now = asyncio.get_running_loop().time
        deadline = now() + self._timeout
        with _told():
            response = self._retriever.options(stream=True).stream.remote(request)
            try:
                while True:
                    yield await asyncio.wait_for(anext(response), deadline - now())
            except StopAsyncIteration:
                return
            except TimeoutError:
                raise TimedOut(f"no answer within {self._timeout:g} seconds") from None
            finally:
                response.cancel()


def _require_safe_proxies(has_keys: bool) -> None:
    """Raise RuntimeError when Serve's proxies listen beyond loopback, whoever told them to, and somebody is not asked."""
    try:
        require_safe(_get_global_client().http_config.host, has_keys, is_token_auth_enabled())
    except ConfigurationError as error:
        raise RuntimeError(error.message) from None


def _require_shared(root: str) -> None:
    """Raise RuntimeError when a node does not see the root: a replica there would find no collection."""
    try:
        require_shared(root)
    except TgragError as error:
        raise RuntimeError(error.message) from None


def _tracing(address: str) -> Tracing | None:
    """Return what traces questions. Raises RuntimeError when it is wanted and not installed."""
    try:
        return open_tracing(address)
    except TgragError as error:
        raise RuntimeError(error.message) from None


@contextmanager
def _told() -> Iterator[None]:
    """Turn what Serve raises when no replica can answer into errors that say what to do."""
    try:
        yield
    except BackPressureError:
        raise Overloaded("too many questions at once; try again in a moment") from None
    except (DeploymentUnavailableError, RayActorError) as error:
        raise NotReady(f"no retriever answers ({type(error).__name__}); try again in a moment") from error


def rag_app(arguments: RagArguments) -> Application:
    """Build the application ``rag``."""
    serving = arguments.serve
    retriever = serve.deployment(
        Retriever,
        num_replicas=serving.retrievers,
        max_ongoing_requests=serving.max_ongoing_requests,
        max_queued_requests=serving.max_queued_requests,
        health_check_period_s=HEALTH_CHECK_SECONDS,
        ray_actor_options={"num_cpus": 0.2},
    ).bind(arguments.model_dump(mode="json", exclude_unset=True))
    return serve.deployment(
        serve.ingress()(Ingress),
        max_ongoing_requests=INGRESS_REQUESTS,
        ray_actor_options={"num_cpus": 0.1},
    ).bind(
        retriever,
        serving.timeout_seconds,
        [key.model_dump(mode="json") for key in arguments.api_keys],
    )
