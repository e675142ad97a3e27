"""The chat model's part of the OpenAI API as plain data: over HTTP and in batch files it is the same."""

import json
from collections.abc import Sequence
from typing import Any, Literal

from tgrag.models.chat import CallFailed, ChatIdentity, ChatReply, ChatRequest
from tgrag.settings import ChatSettings

_OTHER_FORM = (KeyError, IndexError, TypeError, AttributeError, ValueError)
_NO_COMPLETION = "the server's answer is no chat completion; check chat.base_url"
_FINISHED: dict[str | None, Literal["stop", "length", "filter"]] = {
    "stop": "stop",
    "eos": "stop",
    None: "stop",
    "length": "length",
    "content_filter": "filter",
}


def identity_of(settings: ChatSettings) -> ChatIdentity:
    """Return whose answers these are: the same whatever brings them, a server, a batch file or a recording."""
    return ChatIdentity(
        settings.model,
        settings.revision,
        settings.answer_form,
        settings.limit_parameter,
        settings.send_temperature,
    )


def request_body(request: ChatRequest, identity: ChatIdentity) -> dict[str, Any]:
    """Return the body of POST /v1/chat/completions, and of a line of a batch file.

    It is made of what the call's key is made of, so no answer stands for one to another body.
    """
    body: dict[str, Any] = {
        "model": identity.name,
        "messages": [{"role": m.role, "content": m.content} for m in request.messages],
        identity.limit_parameter: request.max_tokens,
    }
    if identity.sends_temperature:
        body["temperature"] = request.temperature
    if request.schema and identity.form == "json_schema":
        schema = {"name": request.schema.name, "schema": json.loads(request.schema.json), "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif request.schema and identity.form == "json_object":
        body["response_format"] = {"type": "json_object"}
    return body


def read_reply(body: dict[str, Any]) -> ChatReply:
    """Return what a chat completion says. Raises CallFailed when it says nothing, or is no chat completion."""
    try:
        choice = body["choices"][0]
        message = choice["message"]
        reason = choice.get("finish_reason")
        text = _whole_characters(message.get("content") or "")
        refusal = message.get("refusal")
        usage = body.get("usage") or {}
        tokens_in, tokens_out = (int(usage.get(name) or 0) for name in ("prompt_tokens", "completion_tokens"))
    except _OTHER_FORM:
        raise CallFailed(_NO_COMPLETION, transient=True) from None
    if reason not in _FINISHED:
        raise CallFailed(f"the answer ended for an unknown reason: {reason}", transient=False)
    finished = _FINISHED[reason]
    if refusal and not text:
        raise CallFailed(f"the model refused: {refusal}", transient=False)
    if not text.strip() and finished == "stop":
        raise CallFailed("the model answered with an empty text", transient=False)
    return ChatReply(text, finished, tokens_in, tokens_out)


def read_streamed(chunks: Sequence[dict[str, Any]]) -> ChatReply:
    """Return what the chunks of a streamed chat completion, each read by ``piece_of``, say together.

    Raises CallFailed as ``read_reply`` does, and when the stream ended before the answer did.
    """
    choices = [choice for chunk in chunks for choice in (chunk["choices"] or [])[:1]]
    reasons = [choice["finish_reason"] for choice in choices if choice.get("finish_reason")]
    if not reasons:
        raise CallFailed("the server's answer broke off", transient=True)
    message = {name: "".join(_piece(choice, name) for choice in choices) for name in ("content", "refusal")}
    usage = next((chunk["usage"] for chunk in reversed(chunks) if chunk.get("usage")), None)
    return read_reply({"choices": [{"message": message, "finish_reason": reasons[-1]}], "usage": usage})


def piece_of(chunk: dict[str, Any]) -> str:
    """Return the text that a chunk adds to the answer. Raises CallFailed when it is no chunk of one."""
    try:
        choices = chunk["choices"] or []
        return _whole_characters(_piece(choices[0], "content")) if choices else ""
    except _OTHER_FORM:
        raise CallFailed(_NO_COMPLETION, transient=True) from None


def _piece(choice: dict[str, Any], name: str) -> str:
    return str((choice.get("delta") or {}).get(name) or "")


def _whole_characters(text: str) -> str:
    """Replace halves of characters, which JSON can hold and no file can."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def read_batch_line(line: dict[str, Any]) -> tuple[str, ChatReply | CallFailed]:
    """Return the custom_id of a batch output line, and its answer or why there is none.

    Raises KeyError, TypeError or AttributeError when it is no such line.
    """
    response, key = line.get("response") or {}, str(line["custom_id"])
    status = response.get("status_code", 0)
    if line.get("error") or status != 200:
        said = line.get("error") or (response.get("body") or {}).get("error") or {}
        message = said.get("message") if isinstance(said, dict) else said
        transient = not 400 <= status < 500 or status in (408, 409, 425, 429)
        return key, CallFailed(f"the batch says {status}: {message}", transient=transient)
    try:
        return key, read_reply(response["body"])
    except CallFailed as failure:
        return key, failure
