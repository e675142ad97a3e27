"""The embedder as the query path sees it: a handle to the ``models`` application, taken when first needed."""

from collections.abc import Sequence
from functools import cached_property
from time import monotonic
from typing import Any

import numpy as np
from ray import serve
from ray.exceptions import RayError
from ray.serve.exceptions import RayServeException

from tgrag.models.protocols import EmbedderIdentity, Vectors
from tgrag.serve.replies import ModelUnavailable

DOWN_SECONDS = 5.0


class ServedEmbedder:
    """An Embedder whose model runs in another application. For threads without an event loop.

    Every method raises ModelUnavailable when the application is not up or does not answer in time, and at once for
    DOWN_SECONDS after that: a question has to be answered without it before its own time is over.
    """

    def __init__(self, application: str, timeout_seconds: float) -> None:
        self._application = application
        self._timeout = timeout_seconds
        self._down_until = 0.0

    @cached_property
    def identity(self) -> EmbedderIdentity:
        return EmbedderIdentity(**self._call("identity"))

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return np.asarray(self._call("embed_queries", list(texts)), dtype=np.float32)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return np.asarray(self._call("embed_passages", list(texts)), dtype=np.float32)

    def _call(self, method: str, *arguments: Any) -> Any:
        if monotonic() < self._down_until:
            raise ModelUnavailable(
                "the embedder did not answer a moment ago; it is asked again in some seconds"
            )
        try:
            return getattr(self._handle, method).remote(*arguments).result(timeout_s=self._timeout)
        except (RayServeException, RayError, TimeoutError) as error:
            self._down_until = monotonic() + DOWN_SECONDS
            raise ModelUnavailable(
                f"the embedder does not answer ({type(error).__name__}); is the application "
                f"{self._application!r} deployed and healthy?"
            ) from error

    @cached_property
    def _handle(self) -> Any:
        return serve.get_app_handle(self._application)
