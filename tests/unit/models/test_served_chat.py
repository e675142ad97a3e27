"""The Serve back end, with handles that do what real ones do when replicas are busy, dead or at fault."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import asdict
from typing import Any

import pytest
from ray.exceptions import ActorDiedError, ActorUnavailableError, RayTaskError
from ray.serve.exceptions import BackPressureError, DeploymentUnavailableError, RayServeException

from tgrag.models import served_chat
from tgrag.models.chat import (
    AnswerSchema,
    CallFailed,
    ChatIdentity,
    ChatMessage,
    ChatReply,
    ChatRequest,
    Misconfigured,
)
from tgrag.models.chats import open_chat
from tgrag.models.served_chat import ServedChat
from tgrag.settings import ChatSettings

SETTINGS = ChatSettings(backend="serve", model="qwen", revision="7")
REQUEST = ChatRequest((ChatMessage("user", "Кто?"),), 50, AnswerSchema("s", "{}"))
REPLY = ChatReply("Это я.", "stop", 10, 5)


class Response:
    def __init__(self, outcome: Any) -> None:
        self._outcome, self.cancelled = outcome, False

    def __await__(self) -> Any:
        return self._result().__await__()

    async def _result(self) -> Any:
        if self._outcome is None:
            await asyncio.Event().wait()
        if isinstance(self._outcome, BaseException):
            raise self._outcome
        return self._outcome

    def cancel(self) -> None:
        self.cancelled = True


class Handle:
    """As a DeploymentHandle: ``handle.complete.remote(request)`` gives a response to await."""

    def __init__(self, outcome: Any) -> None:
        self.response, self.sent = Response(outcome), []  # type: ignore[var-annotated]
        self.complete = self

    def remote(self, request: dict[str, Any], urgent: bool) -> Response:
        self.sent.append(request)
        return self.response


def failure(outcome: Any) -> CallFailed:
    with pytest.raises(CallFailed) as caught:
        asyncio.run(ServedChat(SETTINGS, Handle(outcome), urgent=True).complete(REQUEST))
    return caught.value


def test_plain_dicts_go_there_and_back() -> None:
    handle = Handle(asdict(REPLY))
    model = ServedChat(SETTINGS, handle)
    assert asyncio.run(model.complete(REQUEST)) == REPLY
    assert handle.sent == [asdict(REQUEST)]
    assert model.identity == ChatIdentity("qwen", "7")


@pytest.mark.parametrize(
    "error",
    [
        ActorDiedError(),
        ActorUnavailableError("gone", None),
        DeploymentUnavailableError(None),  # type: ignore[arg-type]
        RayServeException("starting"),
        RuntimeError("CUDA error"),
        RayTaskError("complete", "Traceback …\nRuntimeError: CUDA error", RuntimeError("CUDA error")),
    ],
)
def test_a_dead_or_broken_replica_passes(error: Exception) -> None:
    assert failure(error).transient


class Recovering(Handle):
    """Gives one outcome after the other."""

    def __init__(self, *outcomes: Any) -> None:
        super().__init__(None)
        self.outcomes = list(outcomes)

    def remote(self, request: dict[str, Any], urgent: bool) -> Response:
        self.sent.append(request)
        return Response(self.outcomes.pop(0))


def test_an_index_run_waits_for_a_replica_to_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served_chat, "PAUSE_SECONDS", 0.001)
    dead = RayTaskError("complete", "Traceback …", ConnectionError("dead")).as_instanceof_cause()
    away = [dead, ActorDiedError(), RayServeException("starting")]
    assert asyncio.run(ServedChat(SETTINGS, Recovering(*away, asdict(REPLY))).complete(REQUEST)) == REPLY
    monkeypatch.setattr(served_chat, "PATIENCE_SECONDS", 0.0)
    with pytest.raises(CallFailed, match="died or is starting"):
        asyncio.run(ServedChat(SETTINGS, Recovering(*away)).complete(REQUEST))
    failing = Recovering(RuntimeError("CUDA error"), asdict(REPLY))
    with pytest.raises(CallFailed, match="CUDA error"):  # it may be the request's fault: who asks decides
        asyncio.run(ServedChat(SETTINGS, failing).complete(REQUEST))


def test_busy_replicas_ask_to_wait() -> None:
    failed = failure(BackPressureError(num_queued_requests=9, max_queued_requests=9))
    assert failed.transient and failed.retry_after


def test_a_request_at_fault_lasts_and_says_why() -> None:
    cause = ValueError("the prompt is longer than the context")
    for error in (cause, RayTaskError("complete", "Traceback …", cause).as_instanceof_cause()):
        failed = failure(error)
        assert not failed.transient
        assert failed.reason == "the request is refused: the prompt is longer than the context"


@pytest.mark.parametrize("outcome", [{"text": "x"}, "x", {"text": "x", "finish_reason": "?"}])
def test_another_form_of_answer_is_told(outcome: Any) -> None:
    assert "another form" in failure(outcome).reason


def test_a_cancelled_call_is_cancelled_at_the_replica() -> None:
    async def main() -> bool:
        handle = Handle(None)
        task = asyncio.create_task(ServedChat(SETTINGS, handle).complete(REQUEST))
        await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.wait({task})
        return task.cancelled() and handle.response.cancelled

    assert asyncio.run(main())


def test_an_application_that_is_not_up_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    from ray import serve

    def absent(*_: str) -> None:
        raise KeyError("chat")

    monkeypatch.setattr(served_chat, "connect", lambda: None)
    monkeypatch.setattr(serve, "get_deployment_handle", absent)
    with pytest.raises(Misconfigured, match=r"not up.*deploy it"):
        asyncio.run(open_chat(SETTINGS).complete(REQUEST))


def test_a_real_handle_of_serves_local_mode() -> None:
    from ray import serve

    @serve.deployment
    class Chat:
        async def complete(self, request: dict[str, Any], urgent: bool) -> dict[str, Any]:
            if request["max_tokens"] > 50:
                raise ValueError("too long")
            return asdict(REPLY)

    handle = serve.run(Chat.bind(), name="chat", _local_testing_mode=True)
    model = ServedChat(SETTINGS, handle)
    assert asyncio.run(model.complete(REQUEST)) == REPLY
    with pytest.raises(CallFailed, match="too long") as caught:
        asyncio.run(model.complete(ChatRequest(REQUEST.messages, 51)))
    assert not caught.value.transient


def test_an_answer_is_streamed_through_a_real_handle() -> None:
    from ray import serve

    @serve.deployment
    class Chat:
        async def stream(self, request: dict[str, Any], urgent: bool) -> AsyncIterator[str | dict[str, Any]]:
            yield "Это "
            if request["max_tokens"] > 50:
                raise ValueError("too long")
            yield "я."
            if request["max_tokens"] == 50:
                yield asdict(REPLY)

    model = ServedChat(SETTINGS, serve.run(Chat.bind(), name="chat", _local_testing_mode=True))
    pieces: list[str] = []
    assert asyncio.run(model.stream(REQUEST, pieces.append)) == REPLY
    assert pieces == ["Это ", "я."]
    for max_tokens, reason in ((51, "too long"), (49, "broke off")):
        with pytest.raises(CallFailed, match=reason):
            asyncio.run(model.stream(ChatRequest(REQUEST.messages, max_tokens), pieces.append))
