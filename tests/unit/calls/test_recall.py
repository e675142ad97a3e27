import asyncio
import threading

import pytest

from tests.unit.calls.fakes import DictMemory, FakeModel, call, key_of, lasting, reply, transient
from tests.virtual_time import run
from tgrag.calls.counters import Counters
from tgrag.calls.keep import kept
from tgrag.calls.recall import Recall
from tgrag.index.memo import ATTEMPTS
from tgrag.models.chat import CallFailed, Misconfigured


class Recalled:
    """A model behind recall and keep, with what they count and remember."""

    def __init__(self, model: FakeModel) -> None:
        self.memory, self.counters = DictMemory(), Counters()
        self.handle = Recall(kept(model.handle, self.memory, key_of), self.memory, key_of, self.counters)


def test_a_stored_answer_is_not_called_for() -> None:
    model = FakeModel()
    recalled = Recalled(model)
    assert run(recalled.handle(call())) == run(recalled.handle(call())) == reply()
    assert len(model.requests) == 1
    assert (recalled.counters.answered, recalled.counters.saved) == (1, 1)


def test_another_request_is() -> None:
    model = FakeModel()
    recalled = Recalled(model)
    run(recalled.handle(call("А?")))
    run(recalled.handle(call("Б?")))
    assert len(model.requests) == 2


def test_equal_calls_at_once_share_one() -> None:
    async def main() -> None:
        assert await asyncio.gather(*(recalled.handle(call()) for _ in range(5))) == [reply()] * 5

    model = FakeModel()
    recalled = Recalled(model)
    run(main())
    assert len(model.requests) == 1
    assert (recalled.counters.answered, recalled.counters.saved) == (1, 4)


def test_equal_calls_at_once_share_a_failure_that_is_recorded_once() -> None:
    async def main() -> list[object]:
        return await asyncio.gather(*(recalled.handle(call()) for _ in range(3)), return_exceptions=True)

    recalled = Recalled(FakeModel(lasting()))
    assert all(isinstance(outcome, CallFailed) for outcome in run(main()))
    assert len(recalled.memory.failures[key_of(call())]) == 1


def test_a_shared_call_goes_on_when_the_first_caller_leaves() -> None:
    async def main() -> None:
        first, second = (asyncio.create_task(recalled.handle(call())) for _ in range(2))
        await asyncio.sleep(0.5)
        first.cancel()
        assert await second == reply()
        assert first.cancelled()

    model = FakeModel()
    recalled = Recalled(model)
    run(main())
    assert (len(model.requests), model.left) == (1, 0)


def test_a_call_that_nobody_waits_for_is_left_and_can_be_made_anew() -> None:
    async def main() -> None:
        tasks = [asyncio.create_task(recalled.handle(call())) for _ in range(3)]
        await asyncio.sleep(0.5)
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        assert (model.left, model.running) == (1, 0)
        assert await recalled.handle(call()) == reply()

    model = FakeModel()
    recalled = Recalled(model)
    run(main())
    assert len(model.requests) == 2


def test_what_failed_for_good_three_times_is_not_made_again() -> None:
    model = FakeModel(lasting("too long"))
    recalled = Recalled(model)
    for _ in range(ATTEMPTS + 2):
        with pytest.raises(CallFailed, match="too long"):
            run(recalled.handle(call()))
    assert len(model.requests) == ATTEMPTS
    assert len(recalled.memory.failures[key_of(call())]) == ATTEMPTS


def test_what_fails_for_a_passing_reason_is_made_again_by_every_run() -> None:
    model = FakeModel(transient())
    recalled = Recalled(model)
    for _ in range(ATTEMPTS + 2):
        with pytest.raises(CallFailed):
            run(recalled.handle(call()))
    assert len(model.requests) == ATTEMPTS + 2


def test_a_wrong_key_says_nothing_of_a_request() -> None:
    recalled = Recalled(FakeModel(Misconfigured("wrong key")))
    with pytest.raises(Misconfigured):
        run(recalled.handle(call()))
    assert not recalled.memory.failures


def test_a_paid_answer_is_stored_even_when_the_caller_leaves_meanwhile() -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slow() -> None:
        begun.set()
        assert go_on.wait(30)

    async def main() -> None:
        task = asyncio.create_task(kept(FakeModel(seconds=0).handle, memory, key_of)(call()))
        await asyncio.to_thread(begun.wait, 30)
        task.cancel()
        await asyncio.sleep(0.05)
        assert not task.done()
        go_on.set()
        await asyncio.wait({task})
        assert task.cancelled()
        assert memory.get(key_of(call())) == reply()

    memory = DictMemory(slow)
    asyncio.run(main())


def test_the_answer_that_was_first_counts() -> None:
    memory = DictMemory()
    memory.put("document", key_of(call()), reply("first"))
    assert run(kept(FakeModel(reply("second")).handle, memory, key_of)(call())) == reply("first")
