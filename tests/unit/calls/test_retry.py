import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.calls.fakes import FakeModel, call, lasting, reply, transient
from tests.virtual_time import now, run
from tgrag.calls.retry import FIRST_SECONDS, LONGEST_SECONDS, retried
from tgrag.calls.slots import Slots, in_slot
from tgrag.models.chat import CallFailed


def latest(low: float, high: float) -> float:
    return high


def test_a_transient_failure_is_tried_again_and_a_pause_doubles() -> None:
    model = FakeModel(transient(), transient(), transient(), reply(), seconds=0)
    assert run(retried(model.handle, 4, 60, latest)(call())) == reply()
    pauses = [b - a for a, b in zip(model.begun, model.begun[1:], strict=False)]
    assert pauses == pytest.approx([FIRST_SECONDS, 2 * FIRST_SECONDS, 4 * FIRST_SECONDS])


def test_a_lasting_failure_is_not_tried_again() -> None:
    model = FakeModel(lasting(), reply())
    with pytest.raises(CallFailed, match="wrong"):
        run(retried(model.handle, 4, 60)(call()))
    assert len(model.requests) == 1


def test_the_last_failure_is_the_outcome() -> None:
    model = FakeModel(transient("first"), transient("second"), transient("third"))
    with pytest.raises(CallFailed, match="third"):
        run(retried(model.handle, 3, 600)(call()))
    assert len(model.requests) == 3


def test_the_server_is_given_the_time_that_it_asks_for() -> None:
    model = FakeModel(transient(retry_after=7.0), reply(), seconds=0)
    run(retried(model.handle, 2, 60)(call()))
    assert 7.0 <= model.begun[1] <= 7.0 + FIRST_SECONDS


def test_what_would_take_more_patience_fails_at_once() -> None:
    async def main() -> float:
        with pytest.raises(CallFailed):
            await retried(FakeModel(transient(retry_after=3600.0)).handle, 4, 60)(call())
        return now()

    assert run(main()) == pytest.approx(1.0)


@given(st.integers(1, 12), st.floats(0.1, 500))
def test_attempts_and_patience_bound_every_call(attempts: int, patience: float) -> None:
    async def main() -> tuple[int, float]:
        model = FakeModel(transient())
        with pytest.raises(CallFailed):
            await retried(model.handle, attempts, patience, latest)(call())
        return len(model.requests), now()

    n_made, seconds = run(main())
    assert 1 <= n_made <= attempts
    assert seconds <= attempts * 1.0 + patience + 1e-6
    assert seconds <= attempts * (1.0 + LONGEST_SECONDS)


def test_waiting_for_a_slot_takes_no_patience() -> None:
    async def main() -> int:
        slots, other, model = Slots(1), FakeModel(seconds=1000), FakeModel(transient(), reply())
        waited_for = asyncio.create_task(in_slot(other.handle, slots)(call()))
        await asyncio.sleep(1)
        assert await retried(in_slot(model.handle, slots), 2, 60)(call()) == reply()
        await waited_for
        return len(model.requests)

    assert run(main()) == 2


def test_a_cancelled_pause_makes_no_further_attempt() -> None:
    async def main() -> int:
        model = FakeModel(transient(), reply(), seconds=0)
        task = asyncio.create_task(retried(model.handle, 4, 60, latest)(call()))
        await asyncio.sleep(FIRST_SECONDS / 2)
        task.cancel()
        await asyncio.wait({task})
        assert task.cancelled()
        return len(model.requests)

    assert run(main()) == 1
