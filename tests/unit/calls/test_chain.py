import asyncio
import json
import logging
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.calls.fakes import IDENTITY, DictMemory, FakeModel, call, lasting, reply, transient
from tests.virtual_time import now, run
from tgrag.calls import Counters, FaultRule, Handler, Slots, chain
from tgrag.calls.chain import counted
from tgrag.errors import StorageError
from tgrag.models.chat import CallFailed, ChatReply, call_key
from tgrag.settings import ChatSettings

SETTINGS = ChatSettings(model="fake", timeout_seconds=10, max_in_flight=4)


def adds_up(counters: Counters) -> bool:
    return counters.asked == counters.saved + counters.answered + counters.failed + counters.abandoned


def test_a_call_is_answered_counted_and_remembered() -> None:
    model, memory, counters = FakeModel(), DictMemory(), Counters()
    assert run(chain(model, memory, SETTINGS, counters)(call())) == reply()
    assert run(chain(model, memory, SETTINGS, counters)(call())) == reply()
    assert memory.get(call_key(IDENTITY, call().request)) == reply()
    assert (counters.asked, counters.answered, counters.saved, counters.attempts) == (2, 1, 1, 1)
    assert (counters.tokens_in, counters.tokens_out) == (10, 5)


def test_an_answer_is_stored_while_its_slot_is_held() -> None:
    slots = Slots(1)
    held: list[int] = []
    memory = DictMemory(lambda: held.append(slots.in_use))
    run(chain(FakeModel(), memory, SETTINGS, Counters(), slots)(call()))
    assert held == [1]


def test_what_does_not_end_is_given_up_tried_again_and_fails_in_bounded_time() -> None:
    async def main() -> float:
        with pytest.raises(CallFailed, match="no answer within 10 s") as caught:
            await chain(FakeModel(seconds=1e9), DictMemory(), SETTINGS, Counters())(call())
        assert caught.value.transient
        return now()

    assert run(main()) <= 2 * SETTINGS.attempts * SETTINGS.timeout_seconds


def test_a_store_that_cannot_be_written_stops_the_call_and_frees_its_slot() -> None:
    def full() -> None:
        raise StorageError("the disk is full")

    slots, counters, model = Slots(1), Counters(), FakeModel()
    with pytest.raises(StorageError):
        run(chain(model, DictMemory(full), SETTINGS, counters, slots)(call()))
    assert (slots.in_use, counters.failed, len(model.requests)) == (0, 1, 1)


def test_a_line_in_the_log_tells_of_a_request_without_its_text(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "tgrag.calls.measure"):
        run(chain(FakeModel(transient(), reply()), DictMemory(), SETTINGS, Counters())(call("Тайна")))
    told = [json.loads(record.getMessage().removeprefix("call ")) for record in caplog.records]
    assert [line["outcome"] for line in told] == ["failed for now", "stop"]
    assert told[1] | {"seconds": 0} == {
        "key": call_key(IDENTITY, call("Тайна").request),
        "purpose": "extract",
        "owner": "document",
        "outcome": "stop",
        "seconds": 0,
        "tokens_in": 10,
        "tokens_out": 5,
    }
    assert "Тайна" not in caplog.text


def test_counters_of_workers_are_summed() -> None:
    one, two = Counters(asked=3, answered=2, failed=1, seconds=1.5), Counters(asked=1, saved=1, tokens_in=7)
    assert one + two == Counters(asked=4, saved=1, answered=2, failed=1, tokens_in=7, seconds=1.5)
    assert one + two - two == one


def test_an_error_that_nobody_expects_counts_as_failed() -> None:
    counters = Counters()
    with pytest.raises(ZeroDivisionError):
        run(counted(FakeModel(ZeroDivisionError()).handle, counters)(call()))
    assert adds_up(counters)


FAULTS = FaultRule(
    {"transient": 0.05, "busy": 0.05, "lasting": 0.02, "malformed": 0.1, "truncated": 0.05, "hang": 0.02}
)


def test_all_faults_at_once_and_every_call_ends_one_way() -> None:
    async def main() -> list[ChatReply | BaseException]:
        handler = chain(model, memory, SETTINGS, counters, slots, faults=FAULTS)
        return await asyncio.gather(*(handler(call(f"{i}")) for i in range(400)), return_exceptions=True)

    model, memory, counters, slots = FakeModel(), DictMemory(), Counters(), Slots(4)
    outcomes = run(main())
    failed = [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
    assert all(isinstance(outcome, CallFailed) for outcome in failed)
    assert adds_up(counters)
    assert (counters.asked, counters.failed) == (400, len(failed))
    assert counters.answered == 400 - len(failed) == len(memory.answers)
    assert 0 < len(failed) < 40
    assert sum(map(len, memory.failures.values())) == len(failed)
    assert counters.attempts > 400
    assert model.most_running == 4 >= slots.in_use == 0
    assert (
        sum(outcome.finish_reason == "length" for outcome in outcomes if isinstance(outcome, ChatReply)) > 5
    )


def test_faults_are_drawn_the_same_in_any_order() -> None:
    drawn = [FAULTS.fault(f"{i}", 1) for i in range(1000)]
    assert drawn[::-1] == [FAULTS.fault(f"{i}", 1) for i in reversed(range(1000))]
    assert 70 < drawn.count("malformed") < 130
    assert drawn != [FAULTS.fault(f"{i}", 2) for i in range(1000)]


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32), st.integers(1, 6), st.integers(1, 40), st.booleans())
def test_whoever_leaves_whenever_nothing_is_left_running(
    seed: int, n_slots: int, n_calls: int, limited: bool
) -> None:
    """Random outcomes, equal requests and cancellations: all slots are free at the end and every call is counted."""
    random = Random(seed)
    outcomes = [
        random.choice([reply(), transient(), transient(retry_after=3.0), lasting()]) for _ in range(99)
    ]
    model, memory, counters, slots = FakeModel(*outcomes), DictMemory(), Counters(), Slots(n_slots)
    chosen = SETTINGS.model_copy(
        update={"requests_per_minute": 20, "tokens_per_minute": 4000} if limited else {}
    )

    async def leave(handler: Handler, text: str, after: float | None) -> None:
        task = asyncio.ensure_future(handler(call(text)))
        if after is not None:
            await asyncio.sleep(after)
            task.cancel()
        await asyncio.wait({task})

    async def main() -> None:
        handler = chain(model, memory, chosen, counters, slots)
        await asyncio.gather(
            *(
                leave(handler, str(random.randrange(n_calls)), random.choice([None, random.uniform(0, 20)]))
                for _ in range(n_calls)
            )
        )

    run(main())
    assert (model.running, slots.in_use) == (0, 0)
    assert model.most_running <= n_slots
    assert adds_up(counters)
    assert counters.asked == n_calls
    assert counters.answered <= len(memory.answers) <= counters.attempts == len(model.requests)
