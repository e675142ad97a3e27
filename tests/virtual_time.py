"""An event loop whose clock jumps to the next timer: waits cost no time, and what waits for ever is found out."""

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class VirtualLoop(asyncio.SelectorEventLoop):
    """Functions for threads run at once, in the loop's own thread."""

    def __init__(self) -> None:
        self._selects = _Selector()
        super().__init__(self._selects)

    def time(self) -> float:
        return self._selects.now

    def run_in_executor(self, executor: Any, func: Callable[..., T], *args: Any) -> "asyncio.Future[T]":
        future: asyncio.Future[T] = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as error:
            future.set_exception(error)
        return future


class _Selector(selectors.DefaultSelector):
    now = 0.0

    def select(self, timeout: float | None = None) -> Any:
        if timeout is None:
            raise AssertionError("everything waits, and nothing will ever happen")
        self.now += max(0.0, timeout)
        return super().select(0)


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run to the end, in virtual time. Fails when a task is left running."""

    async def checked() -> T:
        result = await main
        left = asyncio.all_tasks() - {asyncio.current_task()}
        assert not left, f"still running: {left}"
        return result

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(checked())


def now() -> float:
    """Return the seconds since the run began."""
    return asyncio.get_running_loop().time()
