import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.calls.fakes import FakeModel, call, lasting
from tests.virtual_time import now, run
from tgrag.calls.pace import MINUTE, Bucket, paced
from tgrag.models.chat import CallFailed, ChatReply


def test_requests_keep_to_the_rate_after_a_minute_worth_at_once() -> None:
    async def main() -> list[float]:
        model = FakeModel(seconds=0)
        handler = paced(model.handle, Bucket(60), None)
        await asyncio.gather(*(handler(call()) for _ in range(120)))
        return model.begun

    begun = run(main())
    assert begun[:60] == [0.0] * 60
    assert begun[60:] == pytest.approx([1.0 + i for i in range(60)])


def test_tokens_are_settled_by_what_the_server_counts() -> None:
    async def main() -> tuple[int, float]:
        model = FakeModel(ChatReply("x", "stop", 20, 10), seconds=0)
        handler = paced(model.handle, None, Bucket(600))
        for _ in range(20):  # reserves 101 each, uses 30
            await handler(call("abcdef", max_tokens=99))
        return len(model.begun), now()

    n_made, seconds = run(main())
    assert n_made == 20
    assert 0 < seconds < 10  # by their reserve they would take 142 s


def test_a_failed_call_gives_back_the_tokens_of_its_answer() -> None:
    async def main() -> float:
        bucket = Bucket(100)
        for _ in range(5):
            with pytest.raises(CallFailed):
                await paced(FakeModel(lasting(), seconds=0).handle, None, bucket)(call("abc", max_tokens=99))
        return now()

    assert run(main()) < 5 * MINUTE / 10


def test_a_call_larger_than_the_bucket_is_made_when_it_is_full() -> None:
    async def main() -> float:
        handler = paced(FakeModel(ChatReply("x", "stop", 500, 500), seconds=0).handle, None, Bucket(100))
        await handler(call(max_tokens=1000))
        await handler(call(max_tokens=1000))
        return now()

    assert run(main()) == pytest.approx(MINUTE * 10)  # 1,000 tokens at 100 a minute


@given(st.lists(st.tuples(st.floats(0, 40), st.integers(1, 90)), max_size=40))
def test_no_more_is_ever_taken_than_was_there(asked: list[tuple[float, int]]) -> None:
    async def main() -> list[tuple[float, float]]:
        bucket, taken = Bucket(60), []

        async def take(after: float, amount: int) -> None:
            await asyncio.sleep(after)
            got = await bucket.take(amount)
            taken.append((now(), got))

        await asyncio.gather(*(take(after, amount) for after, amount in asked))
        return taken

    total = 0.0
    for moment, amount in run(main()):
        total += amount
        assert total <= 60 + moment + 1e-6


def test_a_cancelled_wait_takes_nothing_and_lets_the_next_one_go_on() -> None:
    async def main() -> float:
        bucket = Bucket(60)
        await bucket.take(60)
        first, second = asyncio.create_task(bucket.take(60)), asyncio.create_task(bucket.take(6))
        await asyncio.sleep(3)
        first.cancel()
        await second
        return now()

    assert run(main()) == pytest.approx(6.0)
