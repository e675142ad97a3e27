import asyncio
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from tests.unit.calls.fakes import FakeModel, call, transient
from tests.virtual_time import now, run
from tgrag.calls.retry import retried
from tgrag.calls.slots import Slots, in_slot


def test_no_more_calls_run_than_there_are_slots_and_none_is_idle() -> None:
    async def main() -> tuple[int, float]:
        model = FakeModel()
        handler = in_slot(model.handle, Slots(8))
        await asyncio.gather(*(handler(call()) for _ in range(80)))
        return model.most_running, now()

    assert run(main()) == (8, 10.0)


def test_a_pause_between_tries_holds_no_slot() -> None:
    async def main() -> bool:
        slots = Slots(1)
        model = FakeModel(transient(retry_after=100.0), seconds=1)
        failing = asyncio.create_task(retried(in_slot(model.handle, slots), 2, 1000)(call()))
        await asyncio.sleep(2)
        free = not slots.in_use
        failing.cancel()
        await asyncio.wait({failing})
        return free

    assert run(main())


def test_a_slot_is_free_again_after_failure_and_cancellation() -> None:
    async def main() -> tuple[int, int]:
        slots = Slots(2)
        await asyncio.gather(in_slot(FakeModel(transient()).handle, slots)(call()), return_exceptions=True)
        model = FakeModel(seconds=100)
        tasks = [asyncio.create_task(in_slot(model.handle, slots)(call())) for _ in range(5)]
        await asyncio.sleep(1)
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        assert model.left == 2
        async with slots, slots:
            return slots.in_use, slots.capacity

    assert run(main()) == (2, 2)


def test_slots_that_are_taken_away_are_not_given_again() -> None:
    async def main() -> list[int]:
        slots, model, seen = Slots(4), FakeModel(seconds=1), []
        tasks = [asyncio.create_task(in_slot(model.handle, slots)(call())) for _ in range(40)]
        for capacity in (1, 3, 0, 2):
            await asyncio.sleep(0.5)
            await slots.resize(capacity)
            await asyncio.sleep(1.6)
            seen.append(model.running)
        await asyncio.wait(tasks)
        return seen

    assert run(main()) == [1, 3, 0, 2]


@given(st.integers(0, 5), st.lists(st.integers(0, 6), max_size=12), st.integers(0, 2**32))
def test_any_number_of_resizes_leaves_exactly_the_last_number_of_slots(
    first: int, sizes: list[int], seed: int
) -> None:
    async def main() -> int:
        random, slots = Random(seed), Slots(first)
        model = FakeModel(seconds=random.random())
        tasks = [
            asyncio.create_task(in_slot(model.handle, slots)(call())) for _ in range(random.randint(0, 20))
        ]
        for size in sizes:
            await asyncio.sleep(random.random())
            await slots.resize(size)
            for task in random.sample(tasks, len(tasks) // 4):
                task.cancel()
        await slots.resize(4)
        if tasks:
            await asyncio.wait(tasks)
        many = FakeModel(seconds=1)
        await asyncio.gather(*(in_slot(many.handle, slots)(call()) for _ in range(9)))
        return many.most_running

    assert run(main()) == 4
