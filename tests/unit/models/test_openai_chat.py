"""The official client against a server that answers as it is told."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from aiohttp import web

from tests.mock_llm import Config, probe, running
from tests.roots import free_port
from tests.unit.models.test_chat_wire import completion
from tgrag.errors import ConfigurationError
from tgrag.models.chat import (
    AnswerSchema,
    CallFailed,
    ChatIdentity,
    ChatMessage,
    ChatReply,
    ChatRequest,
    Misconfigured,
)
from tgrag.models.openai_chat import IN_VAIN, OpenAIChat
from tgrag.settings import ChatSettings

SCHEMA = AnswerSchema("graph", '{"type":"object"}')
REQUEST = ChatRequest((ChatMessage("user", "<text>Германн был немец.</text>"),), 500, SCHEMA)


@asynccontextmanager
async def server(status: int, body: Any, **headers: str) -> AsyncIterator[tuple[str, list[web.Request]]]:
    """Serve this answer to every request; yield the address and the requests."""
    seen: list[web.Request] = []

    async def handle(request: web.Request) -> web.Response:
        await request.read()
        seen.append(request)
        text = body if isinstance(body, str) else json.dumps(body)
        headed = {name.replace("_", "-"): value for name, value in headers.items()}
        return web.Response(status=status, text=text, content_type="application/json", headers=headed)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1", seen
    finally:
        await runner.cleanup()


def settings(base_url: str, **changes: Any) -> ChatSettings:
    stated = {"backend": "openai", "model": "m", "base_url": base_url, "timeout_seconds": 5} | changes
    return ChatSettings.model_validate(stated)


async def complete(chosen: ChatSettings, request: ChatRequest = REQUEST) -> ChatReply:
    model = OpenAIChat(chosen)
    try:
        return await model.complete(request)
    finally:
        await model.close()


def failure(status: int, body: Any, headers: dict[str, str] | None = None, **changes: Any) -> CallFailed:
    """Return what comes of such an answer; it has to be the outcome of one request."""

    async def main() -> CallFailed:
        async with server(status, body, **headers or {}) as (address, seen):
            with pytest.raises(CallFailed) as caught:
                await complete(settings(address, **changes))
            assert len(seen) == 1
            return caught.value

    return asyncio.run(main())


def said(message: str, **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error"} | more}


def test_a_request_is_answered() -> None:
    with running() as mock:
        answer = asyncio.run(complete(settings(mock.base_url, model="mock")))
    assert answer.finish_reason == "stop"
    assert {entity["name"] for entity in json.loads(answer.text)["entities"]} == {
        "Германн",
        probe("Германн был немец."),
    }
    assert answer.tokens_in and answer.tokens_out


def test_what_is_sent_is_the_request_the_key_and_nothing_for_a_person() -> None:
    async def main() -> tuple[dict[str, Any], str]:
        async with server(200, completion()) as (address, seen):
            assert await complete(settings(address, api_key="sk-7")) == ChatReply("Это я.", "stop", 10, 5)
            assert await complete(settings(address))
            assert seen[1].headers["Authorization"] == "Bearer none"
            assert seen[0].path == "/v1/chat/completions"
            return await seen[0].json(), seen[0].headers["Authorization"]

    body, key = asyncio.run(main())
    assert key == "Bearer sk-7"
    assert body["messages"] == [{"role": "user", "content": "<text>Германн был немец.</text>"}]
    assert body["response_format"]["json_schema"]["schema"] == {"type": "object"}


def test_whose_answers_they_are() -> None:
    assert OpenAIChat(settings("http://x/v1", revision="7")).identity == ChatIdentity("m", "7")


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
def test_overload_and_faults_of_the_server_pass(status: int) -> None:
    failed = failure(status, said("later"), {"Retry_After": "7"})
    assert failed.transient and failed.retry_after == 7.0
    assert str(status) in failed.reason and "later" in failed.reason


@pytest.mark.parametrize(
    ("stated", "least", "most"),
    [
        ("0", 0, 0),
        ("1.5", 1.5, 1.5),
        ("-3", 0, 0),
        (timedelta(hours=1), 3500, 3600),
        (timedelta(hours=-1), 0, 0),
    ],
)
def test_the_wait_is_a_number_or_a_date(stated: str | timedelta, least: float, most: float) -> None:
    if isinstance(stated, timedelta):
        stated = format_datetime(datetime.now(UTC) + stated, usegmt=True)
    wait = failure(503, said("later"), {"Retry_After": stated}).retry_after
    assert wait is not None and least <= wait <= most


@pytest.mark.parametrize("stated", ["", "soon", "nan", "inf"])
def test_a_wait_that_says_nothing_is_none(stated: str) -> None:
    assert failure(503, said("later"), {"Retry_After": stated}).retry_after is None


@pytest.mark.parametrize(
    ("status", "body", "advice"),
    [
        (401, said("Incorrect API key provided"), "TGRAG_CHAT__API_KEY"),
        (403, said("no access"), "TGRAG_CHAT__API_KEY"),
        (404, said("The model `m` does not exist."), "chat.model"),
        (405, "Method Not Allowed", "chat.base_url"),
        (429, said("You exceeded your current quota", code="insufficient_quota"), "nothing left to spend"),
        (402, said("Insufficient Balance"), "nothing left to spend"),
        (400, said("The model `m` does not exist", code="model_not_found"), "chat.model"),
        (400, said("response_format: json_schema is not supported"), "chat.answer_form"),
        (422, said("unknown field response_format"), "chat.answer_form"),
        (
            400,
            said(
                "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
                "'max_completion_tokens' instead."
            ),
            "chat.limit_parameter",
        ),
        (
            400,
            said(
                "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value "
                "is supported."
            ),
            "chat.send_temperature",
        ),
        (400, said("Unsupported parameter: 'temperature'"), "chat.send_temperature"),
    ],
)
def test_what_the_settings_are_to_blame_for_says_what_to_set(status: int, body: Any, advice: str) -> None:
    failed = failure(status, body)
    assert isinstance(failed, Misconfigured)
    assert advice in failed.reason
    assert not failed.transient


@pytest.mark.parametrize(
    ("status", "body", "advice"),
    [
        (400, said("This model's maximum context length is 2048 tokens. However …"), "chunk.limit"),
        (400, said("…", code="context_length_exceeded"), "chunk.limit"),
        (400, said("the request exceeds the available context size"), "chunk.limit"),
        (413, "Payload Too Large", "chunk.limit"),
        (400, said("filtered", code="content_filter"), "content filter"),
        (400, said("messages: wrong"), "messages: wrong"),
        (422, said("max_tokens must be positive"), "max_tokens must be positive"),
    ],
)
def test_what_the_request_is_to_blame_for_lasts(status: int, body: Any, advice: str) -> None:
    failed = failure(status, body)
    assert advice in failed.reason
    assert not failed.transient and not isinstance(failed, Misconfigured)


def test_a_server_that_repeats_the_key_does_not_spread_it() -> None:
    failed = failure(401, said("Incorrect API key provided: sk-secret-7."), api_key="sk-secret-7")
    assert "sk-secret-7" not in failed.reason
    assert "Incorrect API key provided: …" in failed.reason


def test_a_long_message_is_cut() -> None:
    assert len(failure(500, said("я" * 10_000)).reason) < 400


@pytest.mark.parametrize("body", ["", "<html>", '{"choices": [', "[]", '"ok"', "{}"])
def test_an_answer_that_is_no_completion_passes(body: str) -> None:
    assert failure(200, body).transient


def test_a_server_that_is_not_there_passes_and_is_named() -> None:
    address = f"http://127.0.0.1:{free_port()}/v1"
    with pytest.raises(CallFailed, match="is the server running") as caught:
        asyncio.run(complete(settings(address)))
    assert caught.value.transient
    assert address in caught.value.reason


def test_a_run_ends_when_there_never_was_a_server() -> None:
    async def main() -> list[bool]:
        model = OpenAIChat(settings(f"http://127.0.0.1:{free_port()}/v1", max_in_flight=2, attempts=3))
        fatal = []
        for _ in range(4):
            with pytest.raises(CallFailed) as caught:
                await model.complete(REQUEST)
            fatal.append(isinstance(caught.value, Misconfigured))
        return fatal

    assert asyncio.run(main()) == [False, False, True, True]


@pytest.mark.parametrize(
    ("status", "body", "advice"),
    [
        (400, said("Unknown parameter: 'messages'."), "refused"),
        (200, "<html>", "no JSON; check chat.base_url"),
    ],
)
def test_a_run_ends_when_a_server_answers_nothing(status: int, body: Any, advice: str) -> None:
    async def main() -> list[CallFailed]:
        async with server(status, body) as (address, _):
            model = OpenAIChat(settings(address))
            failures = []
            for _ in range(IN_VAIN):
                with pytest.raises(CallFailed, match=advice) as caught:
                    await model.complete(REQUEST)
                failures.append(caught.value)
            await model.close()
            return failures

    assert [isinstance(failed, Misconfigured) for failed in asyncio.run(main())] == [False] * (
        IN_VAIN - 1
    ) + [True]


def test_a_wait_that_no_run_has_patience_for_ends_it() -> None:
    assert not isinstance(failure(429, said("slow down"), {"Retry_After": "20"}), Misconfigured)
    daily = failure(429, said("quota of the day"), {"Retry_After": "43200"})
    assert isinstance(daily, Misconfigured) and "43,200 s" in daily.reason


def test_a_server_that_goes_away_for_a_while_ends_no_run() -> None:
    async def main() -> CallFailed:
        async with server(200, completion("{}")) as (address, _):
            model = OpenAIChat(settings(address, max_in_flight=1, attempts=1))
            await model.complete(REQUEST)
        with pytest.raises(CallFailed) as caught:
            await model.complete(REQUEST)
        return caught.value

    failed = asyncio.run(main())
    assert failed.transient and not isinstance(failed, Misconfigured)


def test_a_server_that_says_nothing_is_given_up() -> None:
    with running(Config(hang=1.0)) as mock:
        with pytest.raises(CallFailed, match=r"no answer within 0\.2 s") as caught:
            asyncio.run(complete(settings(mock.base_url, timeout_seconds=0.2)))
        assert caught.value.transient


def test_a_connection_that_breaks_passes() -> None:
    async def main() -> None:
        async def cut(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read(100)
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{")
            await writer.drain()
            writer.close()

        listening = await asyncio.start_server(cut, "127.0.0.1", 0)
        async with listening:
            port = listening.sockets[0].getsockname()[1]
            with pytest.raises(CallFailed) as caught:
                await complete(settings(f"http://127.0.0.1:{port}/v1"))
            assert caught.value.transient

    asyncio.run(main())


def test_a_cancelled_call_is_given_up_at_the_server_too() -> None:
    async def main(base_url: str) -> None:
        task = asyncio.create_task(complete(settings(base_url, timeout_seconds=60)))
        while not (await asyncio.to_thread(mock.stats))["in_flight"]:
            await asyncio.sleep(0.02)
        task.cancel()
        await asyncio.wait({task})
        while (await asyncio.to_thread(mock.stats))["in_flight"]:
            await asyncio.sleep(0.02)

    with running(Config(hang=1.0)) as mock:
        asyncio.run(asyncio.wait_for(main(mock.base_url), 30))
        assert mock.stats()["left"] == 1


def test_a_text_that_is_no_text_is_the_requests_fault() -> None:
    with pytest.raises(CallFailed) as caught:
        request = ChatRequest((ChatMessage("user", "\ud800"),), 10)
        asyncio.run(complete(settings("http://127.0.0.1:9/v1"), request))
    assert not caught.value.transient


@pytest.mark.parametrize(
    ("changes", "advice"),
    [
        ({"model": ""}, "chat.model"),
        ({"base_url": "127.0.0.1:8001"}, "chat.base_url"),
        ({"api_key": "ключ"}, "chat.api_key"),
        ({"api_key": "key\n"}, "chat.api_key"),
    ],
)
def test_settings_that_can_never_work_are_refused_at_once(changes: dict[str, Any], advice: str) -> None:
    with pytest.raises(ConfigurationError, match=advice):
        OpenAIChat(settings(**{"base_url": "http://x/v1"} | changes))


def streamed(base_url: str, **changes: Any) -> tuple[ChatReply | CallFailed, list[str]]:
    """Return what comes of a streamed request, and the pieces of text that were heard."""
    pieces: list[str] = []

    async def main() -> ChatReply:
        model = OpenAIChat(settings(base_url, model="mock", **changes))
        try:
            return await model.stream(REQUEST, pieces.append)
        finally:
            await model.close()

    try:
        return asyncio.run(main()), pieces
    except CallFailed as failed:
        return failed, pieces


def test_a_streamed_answer_is_the_same_and_is_heard_in_pieces() -> None:
    with running() as mock:
        whole = asyncio.run(complete(settings(mock.base_url, model="mock")))
        answer, pieces = streamed(mock.base_url)
    assert answer == whole
    assert len(pieces) > 5
    assert "".join(pieces) == whole.text


def test_a_stream_that_breaks_off_passes() -> None:
    with running(Config(breaks_after=3)) as mock:
        failed, pieces = streamed(mock.base_url)
    assert isinstance(failed, CallFailed) and failed.transient
    assert len(pieces) == 3


@pytest.mark.parametrize(
    ("sent", "transient", "reason"),
    [
        ('data: {"error": {"message": "CUDA error"}}\n\n', True, "CUDA error"),
        ('data: {"choices": [{"delta": {"content": "Это"}}]}\n\ndata: [DONE]\n\n', True, "broke off"),
        ('{"choices": []}', True, "broke off"),
        ("data: {\n\n", True, "no JSON"),
        ('data: {"choices": [{"delta": {}, "finish_reason": "stop"}]}\n\n', False, "empty text"),
        ('data: {"choices": 7}\n\n', True, "no chat completion"),
        ('data: {"choices": [{"delta": 7, "finish_reason": "stop"}]}\n\n', True, "no chat completion"),
    ],
)
def test_a_stream_of_another_form_is_a_failure(sent: str, transient: bool, reason: str) -> None:
    async def main() -> CallFailed:
        async with server(200, sent) as (address, _):
            model = OpenAIChat(settings(address))
            with pytest.raises(CallFailed) as caught:
                await model.stream(REQUEST, lambda piece: None)
            await model.close()
            return caught.value

    failed = asyncio.run(main())
    assert failed.transient is transient
    assert reason in failed.reason


def test_who_stops_listening_leaves_the_server() -> None:
    async def main(base_url: str) -> None:
        heard = asyncio.Event()
        model = OpenAIChat(settings(base_url, model="mock"))
        task = asyncio.create_task(model.stream(REQUEST, lambda piece: heard.set()))
        await heard.wait()
        task.cancel()
        await asyncio.wait({task})
        await model.close()

    with running(Config(piece_seconds=0.02)) as mock:
        asyncio.run(main(mock.base_url))
        while not mock.stats()["left"]:
            pass
        assert mock.stats()["in_flight"] == 0
