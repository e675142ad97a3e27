"""Mapping a worker class over rows: in this process when there is little to do, on a pool of Ray actors otherwise."""

import logging
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pyarrow as pa

from tgrag.cluster import connect
from tgrag.errors import StageFailed, TgragError

# What a worker raised, in the traceback that Ray hands on as text.
_RAISED = re.compile(r"^(?!ray\.)[\w.]*(?:Error|Exception)\b: .+$", re.MULTILINE)


class Worker(ABC):
    """What a stage does with one batch of rows; made once for many batches."""

    @abstractmethod
    def __call__(self, batch: pa.Table) -> pa.Table: ...

    def close(self) -> None:  # noqa: B027  (most hold nothing)
        """Release what the worker holds."""


def _in_process(rows: pa.Table, worker: type[Worker], arguments: dict[str, Any]) -> pa.Table:
    try:
        with closing(worker(**arguments)) as here:
            return here(rows)
    except TgragError:
        raise
    except Exception as error:
        raise broken(worker, f"{type(error).__name__}: {error}") from error


def broken(worker: type[Any], reason: str) -> StageFailed:
    """Return the error that says which worker broke off, and why."""
    return StageFailed(f"{worker.__name__} broke off: {reason}; what is done is kept: run again")


def pipeline(
    rows: pa.Table, worker: type[Worker], arguments: dict[str, Any], batch_rows: int, workers: int | None
) -> Iterator[pa.Table]:
    """Map a worker class over the rows in batches, on a pool of actors; yield result tables as they come."""
    if not rows.num_rows:
        return
    if rows.num_rows <= batch_rows:  # a single batch: an actor would do no better, and takes seconds to start
        yield _in_process(rows, worker, arguments)
        return
    connect()
    size = min(-(-rows.num_rows // batch_rows), workers or default_workers())
    yield from on_ray(rows, worker, arguments, batch_rows, size=size)


def on_ray(
    rows: pa.Table,
    worker: type[Any],
    arguments: dict[str, Any],
    batch_rows: int,
    *,
    size: int,
    batches_at_once: int | None = None,
    cpus: float = 1,
) -> Iterator[pa.Table]:
    """Map a worker class over the rows on ``size`` actors of the Ray that this process is connected to.

    batches_at_once: in an actor, of a class whose ``__call__`` is a coroutine; all of them share one event loop.
    Raises StageFailed when a worker raises.
    """
    import ray
    import ray.data

    logging.getLogger("ray.data").setLevel(logging.WARNING)
    logging.getLogger("ray.data._internal.progress").setLevel(logging.ERROR)  # tgrag shows its own
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    blocks = [rows.slice(start, batch_rows) for start in range(0, rows.num_rows, batch_rows)]
    dataset = ray.data.from_arrow(blocks).map_batches(
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
    )
    try:
        yield from dataset.iter_batches(batch_size=None, batch_format="pyarrow")
    except ray.exceptions.RayError as error:
        reason = (_RAISED.findall(str(error)) or [type(error).__name__])[-1]
        raise broken(worker, reason) from error


def default_workers() -> int:
    """Return how many workers a stage gets: all CPUs of the cluster but one, on one machine its real CPUs."""
    import ray

    nodes = [node for node in ray.nodes() if node["Alive"]]
    logical = int(ray.cluster_resources().get("CPU", 1))
    return max(1, min(logical - 1, os.cpu_count() or 1) if len(nodes) == 1 else logical - 1)
