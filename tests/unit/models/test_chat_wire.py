import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tgrag.models.chat import AnswerSchema, CallFailed, ChatMessage, ChatReply, ChatRequest, call_key
from tgrag.models.chat_wire import identity_of, read_batch_line, read_reply, request_body
from tgrag.settings import ChatSettings, ExtractSettings, Settings

MESSAGES = (ChatMessage("system", "Отвечай."), ChatMessage("user", "Кто?"))
SCHEMA = AnswerSchema("graph", '{"type":"object"}')


def completion(text: str | None = "Это я.", reason: str | None = "stop", **message: Any) -> dict[str, Any]:
    said = {"role": "assistant", "content": text} | message
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    return {"choices": [{"index": 0, "message": said, "finish_reason": reason}], "usage": usage}


@pytest.mark.parametrize(
    ("form", "format"),
    [
        (
            "json_schema",
            {
                "type": "json_schema",
                "json_schema": {"name": "graph", "schema": {"type": "object"}, "strict": True},
            },
        ),
        ("json_object", {"type": "json_object"}),
        ("text", None),
    ],
)
def test_a_server_is_held_to_json_as_the_settings_say(form: Any, format: dict[str, Any] | None) -> None:
    settings = ChatSettings(model="m", answer_form=form)
    body = request_body(ChatRequest(MESSAGES, 64, SCHEMA, 0.5), identity_of(settings))
    assert body.pop("response_format", None) == format
    assert body == {
        "model": "m",
        "messages": [{"role": "system", "content": "Отвечай."}, {"role": "user", "content": "Кто?"}],
        "max_tokens": 64,
        "temperature": 0.5,
    }
    assert "response_format" not in request_body(ChatRequest(MESSAGES, 64), identity_of(settings))


SETTINGS = st.builds(
    ChatSettings,
    model=st.sampled_from(["m", "n"]),
    revision=st.sampled_from(["", "7"]),
    answer_form=st.sampled_from(["json_schema", "json_object", "text"]),
    limit_parameter=st.sampled_from(["max_tokens", "max_completion_tokens"]),
    send_temperature=st.booleans(),
    max_in_flight=st.sampled_from([1, 8]),
    timeout_seconds=st.sampled_from([10, 20]),
)
REQUESTS = st.builds(
    ChatRequest,
    messages=st.sampled_from([MESSAGES, MESSAGES[:1]]),
    max_tokens=st.sampled_from([64, 65]),
    schema=st.sampled_from([None, SCHEMA, AnswerSchema("graph", '{"type":"string"}')]),
    temperature=st.sampled_from([0.0, 0.5]),
)


@given(SETTINGS, REQUESTS, SETTINGS, REQUESTS)
def test_a_call_has_another_key_exactly_where_the_server_is_told_something_else(
    settings: ChatSettings, request: ChatRequest, others: ChatSettings, other: ChatRequest
) -> None:
    one, two = identity_of(settings), identity_of(others)
    same_body = request_body(request, one) == request_body(other, two)
    same_key = call_key(one, request) == call_key(two, other)
    assert same_body or not same_key
    if request == other:
        assert same_key == (same_body and settings.revision == others.revision)


@given(SETTINGS, SETTINGS)
def test_a_version_says_whose_answers_it_holds(made: ChatSettings, given: ChatSettings) -> None:
    """So that a deletion, whatever its settings, finds the answers of the version."""
    recipe = Settings(extract=ExtractSettings(method="llm"), chat=made).recipe()
    as_made = Settings(chat=given).made_as(recipe)
    assert identity_of(as_made.chat) == identity_of(made)
    assert as_made.recipe() == recipe
    assert as_made.chat.max_in_flight == given.max_in_flight


def test_names_differ_between_servers() -> None:
    settings = ChatSettings(model="m", limit_parameter="max_completion_tokens", send_temperature=False)
    body = request_body(ChatRequest(MESSAGES, 64), identity_of(settings))
    assert body["max_completion_tokens"] == 64
    assert not body.keys() & {"max_tokens", "temperature"}


@pytest.mark.parametrize(
    ("reason", "finished"),
    [("stop", "stop"), (None, "stop"), ("length", "length"), ("content_filter", "filter")],
)
def test_how_an_answer_ended_is_told(reason: str | None, finished: Any) -> None:
    assert read_reply(completion(reason=reason)) == ChatReply("Это я.", finished, 10, 5)


def test_a_cut_or_filtered_answer_may_be_empty() -> None:
    assert read_reply(completion(None, "length")).text == ""
    assert read_reply(completion("", "content_filter")).finish_reason == "filter"


def test_a_server_that_counts_no_tokens_is_believed() -> None:
    body = completion()
    for usage in ({}, None, {"prompt_tokens": None}):
        assert read_reply(body | {"usage": usage}) == ChatReply("Это я.", "stop", 0, 0)


def test_half_a_character_can_be_stored() -> None:
    body = json.loads(json.dumps(completion("да \ud83d \ud83d\ude00 нет")))
    assert read_reply(body).text == "да \ufffd 😀 нет"


@pytest.mark.parametrize(
    ("body", "reason", "transient"),
    [
        (completion(""), "empty", False),
        (completion(None), "empty", False),
        (completion(" \n"), "empty", False),
        (completion(None, refusal="Не буду."), "Не буду", False),
        (completion(reason="tool_calls"), "tool_calls", False),
        ({"choices": []}, "no chat completion", True),
        ({"error": "?"}, "no chat completion", True),
        ({"choices": [{"message": None}]}, "no chat completion", True),
        (completion(["Это", "я"]), "no chat completion", True),  # type: ignore[arg-type]
        ([], "no chat completion", True),
        ("<html>", "no chat completion", True),
    ],
)
def test_no_answer_is_never_taken_for_one(body: Any, reason: str, transient: bool) -> None:
    with pytest.raises(CallFailed, match=reason) as caught:
        read_reply(body)
    assert caught.value.transient == transient


def test_a_batch_line_gives_the_answer_to_its_key() -> None:
    line = {
        "id": "b",
        "custom_id": "key",
        "response": {"status_code": 200, "body": completion()},
        "error": None,
    }
    assert read_batch_line(line) == ("key", ChatReply("Это я.", "stop", 10, 5))


@pytest.mark.parametrize(
    ("line", "reason", "transient"),
    [
        ({"response": {"status_code": 400, "body": {"error": {"message": "too long"}}}}, "too long", False),
        ({"response": {"status_code": 429, "body": {"error": {"message": "busy"}}}}, "busy", True),
        ({"response": {"status_code": 500, "body": {}}}, "500", True),
        ({"response": None, "error": {"code": "batch_expired", "message": "expired"}}, "expired", True),
        ({"response": {"status_code": 200, "body": completion("")}, "error": None}, "empty", False),
    ],
)
def test_a_batch_line_without_an_answer_says_why(line: dict[str, Any], reason: str, transient: bool) -> None:
    key, failure = read_batch_line(line | {"custom_id": "key"})
    assert key == "key"
    assert isinstance(failure, CallFailed)
    assert reason in failure.reason
    assert failure.transient == transient
