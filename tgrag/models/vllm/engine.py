"""One vLLM engine: started from the settings of a model, asked, watched, ended."""

import os
import sys
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import aclosing, contextmanager
from itertools import count
from typing import Any, Literal

from tgrag.models.start_lock import one_start_at_a_time
from tgrag.models.vllm.memory import sequences_that_fit
from tgrag.request_ids import carried_by_serve
from tgrag.settings import EngineSettings

Runner = Literal["generate", "pooling"]

URGENT, PATIENT = 0, 1  # priorities: somebody waits; an index run
BY_PRIORITY = {"scheduling_policy": "priority"}


class Engine:
    """Wraps vLLM's AsyncLLM; to be made in the event loop that asks it.

    Raises RuntimeError when the model does not fit the memory, told before a weight is read, and with vLLM's message
    when it cannot be loaded.
    """

    def __init__(
        self, settings: EngineSettings, runner: Runner, defaults: Mapping[str, Any] | None = None
    ) -> None:
        from vllm.engine.arg_utils import AsyncEngineArgs
        from vllm.usage.usage_lib import UsageContext
        from vllm.v1.engine.async_llm import AsyncLLM

        arguments = {**(defaults or {}), "runner": runner} | engine_arguments(settings)
        self._numbers = count()
        with builtin_errors(), one_start_at_a_time():
            fitting = sequences_that_fit(arguments)
            if fitting and runner == "generate":
                arguments.setdefault("max_num_seqs", fitting)
            self._engine = AsyncLLM.from_engine_args(
                AsyncEngineArgs(**arguments),
                usage_context=UsageContext.OPENAI_API_SERVER,  # whose larger batches a GPU needs
                stat_loggers=_metrics(),
            )
        self.tokenizer: Any = self._engine.get_tokenizer()
        self.max_model_len: int = self._engine.model_config.max_model_len
        self.dimension: int = self._engine.model_config.get_hidden_size()

    async def generate(self, prompt: list[int], parameters: Any, priority: int) -> AsyncGenerator[Any, None]:
        """Yield vLLM's outputs; the request is aborted when the iteration is given up.

        priority: vLLM serves the lowest number first. Raises ConnectionError when the engine is dead.
        """
        request_id = self._request_id()
        outputs = self._engine.generate(
            {"prompt_token_ids": prompt}, parameters, request_id, priority=priority
        )
        with self._told():
            async with aclosing(outputs):
                async for output in outputs:
                    yield output

    async def encode(self, prompt: list[int], parameters: Any, priority: int) -> list[float]:
        """Return what a pooling model makes of a prompt. priority and errors as of ``generate``."""
        request_id = self._request_id()
        values: list[float] = []
        with self._told():
            async for output in self._engine.encode(
                {"prompt_token_ids": prompt}, parameters, request_id, priority=priority
            ):
                values = output.outputs.data.flatten().tolist()
        if not values:
            raise ConnectionError("the engine gave the request up")
        return values

    def _request_id(self) -> str:
        """Return a new one, which begins with that of the question where the request is part of one."""
        return f"{carried_by_serve() or 'tgrag'}-{os.getpid()}-{next(self._numbers)}"

    def pending(self) -> int:
        """Return how many requests are not finished."""
        return int(self._engine.get_num_unfinished_requests())

    async def check_health(self) -> None:
        """Raise RuntimeError when the engine is dead, whatever the process around it is."""
        with builtin_errors():
            await self._engine.check_health()

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn what vLLM raises into builtins: ConnectionError when the engine is dead."""
        try:
            with builtin_errors():
                yield
        except RuntimeError as error:
            if self._engine.errored:
                raise ConnectionError(f"the engine is dead: {error}") from None
            raise

    def shutdown(self) -> None:
        """End the engine and free its memory."""
        if sys.meta_path is not None:  # then vLLM's own modules are gone already
            self._engine.shutdown()


class EngineHost:
    """What every deployment of an engine owes to Serve: its health is the engine's, and it ends with it."""

    _engine: Engine

    async def check_health(self) -> None:
        await self._engine.check_health()

    def shutdown(self) -> None:
        """End the engine and free its memory."""
        self._engine.shutdown()

    def __del__(self) -> None:
        if hasattr(self, "_engine"):
            self.shutdown()


def engine_arguments(settings: EngineSettings) -> dict[str, Any]:
    """Return vLLM's own engine arguments for a model; what ``settings.engine`` says goes before everything else."""
    stated = {
        "model": settings.model,
        "revision": settings.revision or None,
        "gpu_memory_utilization": settings.memory_share,
        "max_model_len": settings.max_model_len,
        "max_num_seqs": settings.max_sequences,
        "tensor_parallel_size": settings.tensor_parallel,
    }
    if settings.tensor_parallel > 1:
        stated["distributed_executor_backend"] = "ray"  # in the placement group of the deployment
    return {name: value for name, value in stated.items() if value is not None} | settings.engine


@contextmanager
def builtin_errors() -> Iterator[None]:
    """Turn what vLLM raises into builtins: ValueError where the request is at fault, else RuntimeError."""
    try:
        yield
    except ValueError as error:
        raise ValueError(str(error)) from None
    except Exception as error:
        raise RuntimeError(f"{type(error).__name__}: {error}") from None


def _metrics() -> list[Any] | None:
    """Return vLLM's metrics as Ray's, so that they come out of the node's metrics port; none outside of Ray."""
    import ray

    if not ray.is_initialized():
        return None
    from vllm.v1.metrics.ray_wrappers import RayPrometheusStatLogger

    return [RayPrometheusStatLogger]
