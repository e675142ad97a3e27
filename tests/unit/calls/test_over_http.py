"""The whole chain over HTTP, against a server with every fault at once."""

import asyncio
from pathlib import Path

import pytest

from tests.mock_llm import Config, Running, probe, running, short_hash
from tgrag.calls import Call, Counters, Handler, Slots, Truncated, Unreadable, ask, chain
from tgrag.extract.graph_answer import GraphAnswer, read_graph
from tgrag.index.answers import AnswerMemo
from tgrag.models.chat import CallFailed, ChatMessage, ChatRequest
from tgrag.models.chats import open_chat
from tgrag.settings import ChatSettings
from tgrag.store.root import LocalRoot, open_root

FAULTS = {
    "malformed": 0.10,
    "error_500": 0.05,
    "error_429": 0.05,
    "truncated": 0.05,
    "hang": 0.02,
    "retry_after": 0.05,
    "always_fails": "Проклятый",
}
N_TEXTS = 120


def texts() -> list[str]:
    return [f"Германн пришёл в дом {i}. Лизавета ждала Томского." for i in range(N_TEXTS - 1)] + [
        "Проклятый дом."
    ]


def call(text: str) -> Call:
    request = ChatRequest((ChatMessage("user", f"Извлеки: <text>{text}</text>"),), 2000)
    return Call(request, "extract", "document")


def settings(mock: Running) -> ChatSettings:
    return ChatSettings(backend="openai", model="mock", base_url=mock.base_url, timeout_seconds=2)


def mend(fault: str) -> str:
    return f"Исправь: {fault}"


async def extract_all(mock: Running, memo: AnswerMemo, counters: Counters, slots: Slots) -> dict[str, object]:
    """Return by text the answer, or the failure."""
    model = open_chat(settings(mock))
    handler = chain(model, memo, settings(mock), counters, slots)
    try:
        outcomes = await asyncio.gather(*(one(handler, text) for text in texts()))
    finally:
        await model.close()
    return dict(zip(texts(), outcomes, strict=True))


async def one(handler: Handler, text: str) -> GraphAnswer | CallFailed:
    try:
        return await ask(handler, call(text), read_graph, mend)
    except CallFailed as failure:
        return failure


def test_every_call_ends_answered_or_failed_and_the_numbers_add_up(tmp_path: Path) -> None:
    counters, slots = Counters(), Slots(8)
    with running(Config(**FAULTS)) as mock:  # type: ignore[arg-type]
        root = LocalRoot(tmp_path)
        outcomes = asyncio.run(extract_all(mock, AnswerMemo(root, "c"), counters, slots))
        seen = mock.stats()

        failed = {text: o for text, o in outcomes.items() if isinstance(o, CallFailed)}
        for text, answer in outcomes.items():
            if isinstance(answer, GraphAnswer):
                assert probe(text) in {entity.name for entity in answer.entities}
        assert isinstance(failed["Проклятый дом."], CallFailed)
        assert sum(isinstance(o, Truncated) for o in failed.values()) > 0
        assert len(failed) < N_TEXTS / 4

        assert set(seen["faults"]) == {"malformed", "error_500", "error_429", "truncated", "hang"}
        assert counters.asked == counters.saved + counters.answered + counters.failed
        assert counters.attempts == seen["requests"]
        assert counters.tokens_out == seen["tokens_out"]
        assert seen["max_busy"] <= 8
        assert slots.in_use == 0
        n_truncated = sum(isinstance(o, Truncated) for o in failed.values())
        n_unreadable = sum(isinstance(o, Unreadable) for o in failed.values())
        assert counters.failed == len(failed) - n_truncated - n_unreadable
        assert counters.answered == len(AnswerMemo(root, "c").known())

        mock.configure(malformed=0, error_500=0, error_429=0, truncated=0, hang=0)
        mock.reset()
        again = Counters()
        outcomes = asyncio.run(extract_all(mock, AnswerMemo(root, "c"), again, slots))
        assert again.saved == counters.answered
        assert mock.stats()["calls"].keys() <= {short_hash(text) for text in failed}


@pytest.mark.parametrize("seconds", [0.05, 0.3])
def test_a_cancelled_crowd_leaves_nothing_running_and_loses_no_stored_answer(
    root_address: str, seconds: float
) -> None:
    async def main(mock: Running) -> tuple[int, Counters]:
        counters, slots = Counters(), Slots(4)
        model = open_chat(settings(mock))
        handler = chain(model, AnswerMemo(open_root(root_address), "c"), settings(mock), counters, slots)
        tasks = [asyncio.create_task(handler(call(text))) for text in texts()]
        await asyncio.sleep(0.4)
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        assert slots.in_use == 0
        assert asyncio.all_tasks() == {asyncio.current_task()}
        await model.close()
        return sum(not task.cancelled() for task in tasks), counters

    with running(Config(seconds=seconds)) as mock:
        n_answered, counters = asyncio.run(main(mock))
        stored = AnswerMemo(open_root(root_address), "c").known()
        assert n_answered <= len(stored) <= n_answered + 4
        assert counters.asked == N_TEXTS == counters.answered + counters.abandoned
