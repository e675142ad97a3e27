"""Mapping a worker class over rows: in this process when there is little to do, on a pool of Ray actors otherwise."""

import gc
import logging
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from typing import Any

import pyarrow as pa

from tgrag.cluster import connect
from tgrag.errors import ConfigurationError, StageFailed, TgragError
from tgrag.shared_root import require_shared

ROWS_AT_ONCE = 8_192  # handed to Ray at once; what bounds the memory of the driver and of the object store

# What a worker raised, in the traceback that Ray hands on as text.
_RAISED = re.compile(r"^(?!ray\.)[\w.]*(?:Error|Exception)\b: .+$", re.MULTILINE)
_MISCONFIGURED = f"{ConfigurationError.__module__}.{ConfigurationError.__name__}: "


class Worker(ABC):
    """What a stage does with one batch of rows; made once for many batches."""

    @abstractmethod
    def __call__(self, batch: pa.Table) -> pa.Table: ...

    def close(self) -> None:  # noqa: B027  (most hold nothing)
        """Release what the worker holds."""


def _in_process(
    batches: Iterable[pa.Table], worker: type[Worker], arguments: dict[str, Any]
) -> Iterator[pa.Table]:
    try:
        with closing(worker(**arguments)) as here:
            yield from map(here, batches)
    except TgragError:
        raise
    except Exception as error:
        raise broken(worker, f"{type(error).__name__}: {error}") from error


def broken(worker: type[Any], reason: str) -> StageFailed:
    """Return the error that says which worker broke off, and why."""
    return StageFailed(f"{worker.__name__} broke off: {reason}; what is done is kept: run again")


def pipeline(
    rows: pa.Table,
    worker: type[Worker],
    arguments: dict[str, Any],
    batch_rows: int,
    workers: int | None,
    *,
    little: bool = False,
    options: Mapping[str, Any] | None = None,
) -> Iterator[pa.Table]:
    """Map a worker class over the rows in batches, on a pool of actors; yield result tables as they come.

    little: one process is done sooner than Ray and its actors have started, however many batches these are; it does
    the work unless a number of workers is asked for. options: of Ray, for each worker, which then never works here.
    """
    yield from streamed(
        rows.num_rows,
        lambda start, stop: rows.slice(start, stop - start),
        worker,
        arguments,
        batch_rows,
        workers,
        little=little,
        options=options,
    )


def streamed(
    n_rows: int,
    make: Callable[[int, int], pa.Table],
    worker: type[Worker],
    arguments: dict[str, Any],
    batch_rows: int,
    workers: int | None,
    *,
    little: bool = False,
    options: Mapping[str, Any] | None = None,
) -> Iterator[pa.Table]:
    """Do as ``pipeline``, over rows that are made as they are needed; make: from the first to before the last."""
    if not n_rows:
        return
    one_batch = n_rows <= batch_rows  # of which an actor would make no more than this process
    if not options and (one_batch or (little and workers is None)):
        batches = (make(start, min(start + batch_rows, n_rows)) for start in range(0, n_rows, batch_rows))
        yield from _in_process(batches, worker, arguments)
        return
    connect()
    size = min(-(-n_rows // batch_rows), workers or default_workers())
    for blocks in slices(n_rows, make, batch_rows):
        yield from on_ray(blocks, worker, arguments, batch_rows, size=size, options=options)


def slices(
    n_rows: int, make: Callable[[int, int], pa.Table], batch_rows: int
) -> Iterator[Iterator[pa.Table]]:
    """Cut rows into what is handed to Ray at once, and that into blocks, each made when it is taken."""
    step = max(ROWS_AT_ONCE // batch_rows, 1) * batch_rows
    for first in range(0, n_rows, step):
        last = min(first + step, n_rows)
        yield (make(start, min(start + batch_rows, last)) for start in range(first, last, batch_rows))


def on_ray(
    blocks: Iterable[pa.Table],
    worker: type[Any],
    arguments: dict[str, Any],
    batch_rows: int,
    *,
    size: int,
    batches_at_once: int | None = None,
    cpus: float = 1,
    options: Mapping[str, Any] | None = None,
) -> Iterator[pa.Table]:
    """Map a worker class over blocks of at most ``batch_rows`` rows, on ``size`` actors of the Ray that this process
    is connected to. All blocks are put into Ray's object store at once.

    options: more of Ray's, such as num_gpus.
    batches_at_once: in an actor, of a class whose ``__call__`` is a coroutine; all of them share one event loop.
    Raises ConfigurationError when a worker does, or when it works on a root that not every node sees; StageFailed when
    it raises anything else.
    """
    import ray
    import ray.data

    if "root" in arguments:
        require_shared(arguments["root"])

    logging.getLogger("ray.data").setLevel(logging.WARNING)
    logging.getLogger("ray.data._internal.progress").setLevel(logging.ERROR)  # tgrag shows its own
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    dataset = ray.data.from_arrow_refs([ray.put(block) for block in blocks]).map_batches(
        worker,
        fn_constructor_kwargs=arguments,
        batch_size=batch_rows,
        batch_format="pyarrow",
        zero_copy_batch=True,
        compute=ray.data.ActorPoolStrategy(
            size=size,
            max_concurrent_calls_per_actor=batches_at_once,
            max_tasks_in_flight_per_actor=batches_at_once and batches_at_once + 1,
        ),
        num_cpus=cpus,
        **(options or {}),
    )
    try:
        yield from dataset.iter_batches(batch_size=None, batch_format="pyarrow")
    except ray.exceptions.RayError as error:
        reason = (_RAISED.findall(str(error)) or [type(error).__name__])[-1]
        if reason.startswith(_MISCONFIGURED):
            raise ConfigurationError(reason.removeprefix(_MISCONFIGURED)) from None
        raise broken(worker, reason) from error
    finally:
        del dataset
        gc.collect()  # Ray Data's objects refer to each other, and to blocks that would fill the object store


def default_workers() -> int:
    """Return how many workers a stage gets: all CPUs of the cluster but one, on one machine its real CPUs."""
    import ray

    nodes = [node for node in ray.nodes() if node["Alive"]]
    logical = int(ray.cluster_resources().get("CPU", 1))
    return max(1, min(logical - 1, os.cpu_count() or 1) if len(nodes) == 1 else logical - 1)
