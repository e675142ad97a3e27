import pytest

from tests.unit.calls.fakes import FakeModel, call, lasting, reply
from tests.virtual_time import run
from tgrag.calls import Truncated, Unreadable, ask
from tgrag.models.chat import CallFailed, ChatMessage, ChatReply, InvalidAnswer


def number(text: str) -> int:
    if not text.isdecimal():
        raise InvalidAnswer(f"«{text}» is no number")
    return int(text)


def mend(fault: str) -> str:
    return f"Исправьте: {fault}"


def test_a_valid_answer_is_asked_for_once() -> None:
    model = FakeModel(reply("12"))
    assert run(ask(model.handle, call(), number, mend)) == 12
    assert len(model.requests) == 1


def test_an_invalid_one_is_mended_once_by_a_request_that_shows_it() -> None:
    model = FakeModel(reply("двенадцать"), reply("12"))
    assert run(ask(model.handle, call(), number, mend)) == 12
    first, second = model.requests
    assert second.messages == (
        *first.messages,
        ChatMessage("assistant", "двенадцать"),
        ChatMessage("user", "Исправьте: «двенадцать» is no number"),
    )
    assert (second.schema, second.max_tokens) == (first.schema, first.max_tokens)


def test_a_bad_repair_is_a_lasting_failure_with_its_reason() -> None:
    model = FakeModel(reply("двенадцать"), reply("дюжина"))
    with pytest.raises(Unreadable, match="дюжина") as caught:
        run(ask(model.handle, call(), number, mend))
    assert not caught.value.transient
    assert caught.value.requests == tuple(model.requests)


@pytest.mark.parametrize("before", [(), (reply("двенадцать"),)])
def test_a_truncated_answer_is_reported_as_such(before: tuple[ChatReply, ...]) -> None:
    model = FakeModel(*before, ChatReply("1", "length", 10, 100))
    with pytest.raises(Truncated, match="100 tokens"):
        run(ask(model.handle, call(max_tokens=100), number, mend))


def test_a_filtered_answer_fails() -> None:
    with pytest.raises(CallFailed, match="content filter"):
        run(ask(FakeModel(ChatReply("", "filter", 10, 0)).handle, call(), number, mend))


def test_a_failed_call_is_not_repaired() -> None:
    model = FakeModel(lasting())
    with pytest.raises(CallFailed, match="wrong"):
        run(ask(model.handle, call(), number, mend))
    assert len(model.requests) == 1


def test_a_fault_of_the_reader_is_no_invalid_answer() -> None:
    model = FakeModel(reply("12"))
    with pytest.raises(ZeroDivisionError):
        run(ask(model.handle, call(), lambda text: int(text) // 0, mend))
    assert len(model.requests) == 1
