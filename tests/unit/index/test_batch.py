"""Batch files that are not what they should be."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tgrag.errors import InvalidRequest
from tgrag.index.answers import AnswerMemo
from tgrag.index.batch import (
    Pending,
    Taken,
    accepted,
    check_readable,
    check_writable,
    read_batch,
    write_batch,
)
from tgrag.models.chat import ChatIdentity, ChatMessage, ChatReply, ChatRequest
from tgrag.store.root import LocalRoot

IDENTITY = ChatIdentity("m", "")
REQUEST = ChatRequest((ChatMessage("user", "Кто?"),), 64)
OWNERS = {"one": "doc", "two": "doc", "three": "doc"}


def answer(key: str, text: str = "{}") -> str:
    message = {"role": "assistant", "content": text}
    body = {"choices": [{"message": message, "finish_reason": "stop"}]}
    return json.dumps({"custom_id": key, "response": {"status_code": 200, "body": body}, "error": None})


def taken(folder: Path, *lines: str) -> tuple[Taken, AnswerMemo]:
    path, memo = folder / "answers.jsonl", AnswerMemo(LocalRoot(folder / "root"), "c")
    path.write_text("\n".join(lines), encoding="utf-8")
    return read_batch(str(path), OWNERS, memo), memo


def test_a_cut_line_costs_only_itself_and_the_first_answer_counts(tmp_path: Path) -> None:
    found, memo = taken(tmp_path, answer("one", "1"), answer("one", "2"), answer("two")[:40])
    assert (found.answers, found.failures, found.known) == (1, 0, 1)
    assert found.unreadable == ["3 (no JSON object with a custom_id)"]
    assert memo.get("one") == ChatReply("1", "stop", 0, 0)
    again, _ = taken(tmp_path, answer("one", "1"), answer("two"))
    assert (again.answers, again.known) == (1, 1)


def test_the_calls_themselves_are_no_answers_and_no_failures(tmp_path: Path) -> None:
    calls = tmp_path / "calls.jsonl"
    assert write_batch(str(calls), [Pending(key, "doc", REQUEST) for key in OWNERS], IDENTITY) == 3
    found, memo = taken(tmp_path, *calls.read_text(encoding="utf-8").splitlines())
    assert len(found.unreadable) == 3 and not found.failures
    assert all(memo.is_outstanding(key) and not memo.failures(key) for key in OWNERS)
    told: list[str] = []
    with pytest.raises(InvalidRequest, match="answers no call of this collection"):
        accepted(found, "calls.jsonl", told.append)
    assert any("neither a response nor an error" in line for line in told)


@pytest.mark.parametrize(
    "response",
    [17, [], "late", {"status_code": "200"}, {"status_code": 200}, {"status_code": 200, "body": []}],
)
def test_a_response_of_another_form_is_a_failure_with_its_reason(tmp_path: Path, response: Any) -> None:
    line = json.dumps({"custom_id": "one", "response": response or [1], "error": None})
    found, memo = taken(tmp_path, line, answer("two"))
    assert (found.answers, found.failures) == (1, 1)
    assert memo.failures("one")[0].reason
    accepted(found, "answers.jsonl", lambda line: None)


def test_a_file_that_cannot_be_written_leaves_no_part_of_itself(tmp_path: Path) -> None:
    def calls() -> Iterator[Pending]:
        yield Pending("one", "doc", REQUEST)
        raise OSError(28, "No space left on device")

    with pytest.raises(InvalidRequest, match="No space left"):
        write_batch(str(tmp_path / "calls.jsonl"), calls(), IDENTITY)
    assert not list(tmp_path.iterdir())


def test_places_are_looked_at_before_the_work(tmp_path: Path) -> None:
    check_writable(str(tmp_path / "calls.jsonl"))
    with pytest.raises(InvalidRequest, match="it is a folder"):
        check_writable(str(tmp_path))
    with pytest.raises(InvalidRequest, match="no folder that can be written to"):
        check_writable(str(tmp_path / "nowhere" / "calls.jsonl"))
    with pytest.raises(InvalidRequest, match=r"cannot read .*: No such file"):
        check_readable(str(tmp_path / "answers.jsonl"))
