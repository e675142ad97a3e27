"""Models that run on this Ray as Serve applications, as the rest of tgrag sees them. For threads without an event loop."""

from collections.abc import Sequence
from functools import cached_property
from time import monotonic, sleep
from typing import Any

import numpy as np

from tgrag.cluster import connect
from tgrag.errors import EmbedderMismatch, ModelUnavailable
from tgrag.models.protocols import EmbedderIdentity, Relevance, Vectors

EMBED, RERANK = "embed", "rerank"  # applications
DOWN_SECONDS = 5.0
PATIENCE_SECONDS = 300.0  # of an index run: a replica that died is back in a minute or two
PAUSE_SECONDS = 2.0


class Served:
    """An application of one deployment, whose handle is taken when it is first needed.

    Raises ModelUnavailable when the application is not up or does not answer in time, and at once for DOWN_SECONDS
    after that: a question has to be answered without it before its own time is over. patient: ask for
    PATIENCE_SECONDS before giving up, as an index run wants to.
    """

    def __init__(self, application: str, timeout_seconds: float, *, patient: bool = False) -> None:
        self._application, self._timeout = application, timeout_seconds
        self._patience = PATIENCE_SECONDS if patient else 0.0
        self._down_until = 0.0

    def _call(self, method: str, *arguments: Any) -> Any:
        until = monotonic() + self._patience
        while True:
            try:
                return self._call_once(method, *arguments)
            except ModelUnavailable:
                if monotonic() >= until:
                    raise
                sleep(PAUSE_SECONDS)

    def _call_once(self, method: str, *arguments: Any) -> Any:
        from ray.exceptions import RayError, RayTaskError
        from ray.serve.exceptions import RayServeException

        if monotonic() < self._down_until and not self._patience:
            raise ModelUnavailable(
                f"the application {self._application!r} did not answer a moment ago; it is asked again in some seconds"
            )
        try:
            return getattr(self._handle, method).remote(*arguments).result(timeout_s=self._timeout)
        except RayTaskError as error:
            raise ModelUnavailable(f"the application {self._application!r} failed: {error.cause}") from None
        except (RayServeException, RayError, TimeoutError) as error:
            self._down_until = monotonic() + DOWN_SECONDS
            raise ModelUnavailable(
                f"the application {self._application!r} does not answer ({type(error).__name__}); is it deployed and "
                "healthy?"
            ) from error

    @cached_property
    def _handle(self) -> Any:
        import ray
        from ray import serve

        if not ray.is_initialized():
            connect()
        return serve.get_app_handle(self._application)

    def __getstate__(self) -> dict[str, Any]:
        """Leave the handle out: another process takes its own."""
        return {name: value for name, value in vars(self).items() if name != "_handle"}


class ServedEmbedder(Served):
    """An Embedder: the application ``embed``.

    Raises EmbedderMismatch when it serves another model than before; its identity is then asked for anew.
    """

    def __init__(self, timeout_seconds: float, *, patient: bool = False) -> None:
        super().__init__(EMBED, timeout_seconds, patient=patient)

    @cached_property
    def identity(self) -> EmbedderIdentity:
        return EmbedderIdentity(**self._call("identity"))

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self._vectors("embed_queries", texts)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return self._vectors("embed_passages", texts)

    def _vectors(self, method: str, texts: Sequence[str]) -> Vectors:
        known = self.identity
        answer = self._call(method, list(texts))
        if (now := EmbedderIdentity(**answer["identity"])) != known:
            vars(self).pop("identity", None)  # kept by cached_property
            raise EmbedderMismatch(
                f"the application {EMBED!r} serves {now.name!r} now, and served {known.name!r} before"
            )
        return np.asarray(answer["vectors"], dtype=np.float32)


class ServedReranker(Served):
    """A Reranker: the application ``rerank``."""

    def __init__(self, timeout_seconds: float) -> None:
        super().__init__(RERANK, timeout_seconds)

    def score(self, pairs: Sequence[tuple[str, str]]) -> Relevance:
        return np.asarray(self._call("score", list(pairs)), dtype=np.float64)
