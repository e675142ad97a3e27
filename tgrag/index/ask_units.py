"""The calls of a stage: so many in flight, of all workers together, and every answer stored at once.

A worker runs any number of tasks at a time in one event loop; the slots are what bounds it, so they stay full from
one bundle to the next. Answers go to the memo store, only counts come back.
"""

import asyncio
import secrets
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import pyarrow as pa

from tgrag import logs
from tgrag.calls.call import Call
from tgrag.calls.chain import chain
from tgrag.calls.counters import Counters
from tgrag.calls.slots import Slots
from tgrag.errors import ConfigurationError
from tgrag.index.answers import AnswerMemo
from tgrag.index.budget import Budget, Spending
from tgrag.index.own_engines import Pool, asking_pool
from tgrag.index.pipeline import default_workers, on_ray, slices
from tgrag.index.quota import Shares, keep_share
from tgrag.index.standing import Ask, Method, Task
from tgrag.models.chat import CallFailed, ChatIdentity, ChatModel, ChatReply, ChatRequest, Misconfigured
from tgrag.models.chats import open_chat
from tgrag.settings import ChatSettings, EngineSettings, Settings
from tgrag.store.root import open_root
from tgrag.store.tables import from_row, to_table

IN_PROCESS = 64  # as many or fewer are asked without Ray, which takes seconds to start
SLOTS_A_WORKER = 64  # one event loop keeps so many busy
TASKS_IN_PROCESS = 2_000  # that wait for a slot at once where there is no Ray
BUNDLE = (4, 64)  # tasks, at least and at most


@dataclass(slots=True)
class Asked:
    """What became of some tasks. calls: made by the model, with an answer or without; repairs and halves among them.

    attempts: requests that the model saw, retries included. followed: calls that an answer made needed.
    halved: answers that were cut off, so that less was asked. tokens: of the answers, as the server counts them.
    """

    calls: int = 0
    attempts: int = 0
    followed: int = 0
    failed: int = 0
    repaired: int = 0
    halved: int = 0
    tokens_in: int = 0
    tokens_out: int = 0

    def add(self, other: "Asked") -> None:
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))


class BudgetSpent(Misconfigured):
    """The run may make no more calls: it says nothing of this one."""

    def __init__(self) -> None:
        super().__init__("the budget of the run is used up")


class Budgeted:
    """A chat model that is asked only as long as the budget lasts. unasked: requests that it did not get."""

    def __init__(self, model: ChatModel, spending: Spending) -> None:
        self._model, self._spending = model, spending
        self.unasked = 0

    @property
    def identity(self) -> ChatIdentity:
        return self._model.identity

    async def complete(self, request: ChatRequest) -> ChatReply:
        if not self._spending.begin():
            self.unasked += 1
            raise BudgetSpent
        reply = await self._model.complete(request)
        self._spending.end(reply)
        return reply

    async def stream(self, request: ChatRequest, heard: Callable[[str], None]) -> ChatReply:
        reply = await self.complete(request)
        heard(reply.text)
        return reply

    async def close(self) -> None:
        await self._model.close()


class AskWorker:
    """Makes the calls of bundles of tasks. Its methods belong to one event loop.

    slots: of this worker; None when ``shares`` tells it. shares: the handle of a Shares actor.
    share: of the rate limits. engine: that the worker starts, for want of a model that is served.
    """

    def __init__(
        self,
        root: str,
        collection: str,
        chat: ChatSettings,
        method: Method,
        budget: Budget,
        share: float = 1.0,
        shares: Any = None,
        engine: EngineSettings | None = None,
    ) -> None:
        logs.set_up()
        self._memo = AnswerMemo(open_root(root), collection)
        self._model = Budgeted(open_chat(chat, engine=engine), Spending(budget))
        self._collection, self._method = collection, method
        self._slots = Slots(0 if shares is not None else chat.max_in_flight)
        self._shares, self._name = shares, secrets.token_hex(8)
        self._keeping: asyncio.Task[None] | None = None
        self._running = 0
        self._asked, self._counters, self._told = Asked(), Counters(), Counters()
        self._handler = chain(self._model, self._memo, chat, self._counters, self._slots, share)

    async def __call__(self, batch: pa.Table) -> pa.Table:
        tasks = [from_row(self._method.task_class, row) for row in batch.to_pylist()]
        self._running += len(tasks)
        if self._shares is not None and (self._keeping is None or self._keeping.done()):
            keeping = keep_share(self._slots, self._shares, self._name, lambda: self._running)
            self._keeping = asyncio.create_task(keeping)
        try:
            with logs.about(self._collection):
                async with asyncio.TaskGroup() as group:
                    for task in tasks:
                        group.create_task(self._ask(task))
        except BaseExceptionGroup as errors:
            first = errors.exceptions[0]
            if isinstance(first, Misconfigured):
                raise ConfigurationError(first.reason) from None
            raise first from None
        return to_table(Asked, [self._news()])

    async def close(self) -> None:
        await self._model.close()

    def _news(self) -> Asked:
        """Return what was done since the last news, for whatever bundle."""
        news, self._asked = self._asked, Asked()
        counted, self._told = self._counters - self._told, replace(self._counters)
        news.calls, news.attempts = counted.answered + news.failed, counted.attempts - self._model.unasked
        self._model.unasked = 0
        news.tokens_in, news.tokens_out = counted.tokens_in, counted.tokens_out
        return news

    async def _ask(self, task: Task) -> None:
        """Make the calls that a task needs, until it is done or one has failed."""
        answers: dict[str, ChatReply] = {}

        def find(key: str) -> ChatReply | None:
            return answers.get(key) or self._memo.get(key)

        try:
            while missing := self._method.standing(task, find).next:
                kinds = Counter(ask.kind for ask in missing)
                self._asked.followed += len(missing) - kinds["first"]
                self._asked.repaired += kinds["repair"]
                self._asked.halved += (1 + kinds["half"]) // 2 + kinds["smaller"]
                replies = await asyncio.gather(*(self._call(task, ask) for ask in missing))
                if None in replies:
                    break
                answers |= {ask.key: reply for ask, reply in zip(missing, replies, strict=True) if reply}
        finally:
            self._running -= 1

    async def _call(self, task: Task, ask: Ask) -> ChatReply | None:
        """Return the answer; None when there is none, which is recorded if it says anything of the call."""
        try:
            return await self._handler(Call(ask.request, self._method.purpose, task.owner))
        except BudgetSpent:
            return None
        except Misconfigured:
            raise
        except CallFailed:
            self._asked.failed += 1
        return None


def ask_all(
    tasks: Sequence[Task],
    method: Method,
    root: str,
    collection: str,
    settings: Settings,
    budget: Budget,
    told: Callable[[Asked], None],
) -> None:
    """Make the calls that tasks need; afterwards each has its answers or a failure in the memo store.

    told: what became of the tasks of a bundle, as bundles end. With a limited budget the driver asks by itself: the
    purse is with it alone, and no worker that is killed begins to count anew.
    Raises ConfigurationError when no call can succeed, StageFailed when a worker breaks.
    """
    if not tasks:
        return
    arguments = {
        "root": root,
        "collection": collection,
        "chat": settings.chat,
        "method": method,
        "budget": budget,
    }
    pool = asking_pool(settings, budget)
    if not pool.engine and (len(tasks) <= IN_PROCESS or budget.is_limited):
        asyncio.run(_here(tasks, arguments, told))
        return
    for table in _on_workers(tasks, arguments | {"engine": pool.engine}, settings, pool):
        for row in table.to_pylist():
            told(from_row(Asked, row))


async def _here(tasks: Sequence[Task], arguments: dict[str, Any], told: Callable[[Asked], None]) -> None:
    worker = AskWorker(**arguments)
    task_class, size = arguments["method"].task_class, BUNDLE[0]

    async def bundle(start: int) -> None:
        for row in (await worker(to_table(task_class, tasks[start : start + size]))).to_pylist():
            told(from_row(Asked, row))

    try:
        for first in range(0, len(tasks), TASKS_IN_PROCESS):
            last = min(first + TASKS_IN_PROCESS, len(tasks))
            async with asyncio.TaskGroup() as group:
                for start in range(first, last, size):
                    group.create_task(bundle(start))
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
    finally:
        await worker.close()


def _on_workers(
    tasks: Sequence[Task], arguments: dict[str, Any], settings: Settings, pool: Pool
) -> Iterator[pa.Table]:
    from tgrag.cluster import connect

    connect()
    total = settings.chat.max_in_flight
    wanted = pool.size or -(-total // SLOTS_A_WORKER)
    n_workers = max(1, min(wanted, total, wanted if pool.engine else default_workers()))
    if n_workers > 1:
        arguments |= {"share": 1 / n_workers, "shares": _shares(total)}
    size = min(max(total // n_workers, BUNDLE[0]), BUNDLE[1])
    at_once = 3 * -(-total // size)  # a worker that gets all slots has three times as many units at hand
    task_class = arguments["method"].task_class

    def rows(start: int, stop: int) -> pa.Table:
        return to_table(task_class, tasks[start:stop])

    for blocks in slices(len(tasks), rows, size):
        yield from on_ray(
            blocks,
            AskWorker,
            arguments,
            size,
            size=n_workers,
            batches_at_once=at_once,
            cpus=0.5,
            options=pool.options,
        )


def _shares(total: int) -> Any:
    """Start the actor that shares out the calls, where the driver is: another node may die while the run goes on.

    Should it be killed alone, it begins anew and learns from the next reports what each worker holds; until then there
    may be more calls in flight than the total.
    """
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
    actor = ray.remote(num_cpus=0, max_restarts=-1, max_task_retries=-1, scheduling_strategy=here)(Shares)
    return actor.remote(total)
