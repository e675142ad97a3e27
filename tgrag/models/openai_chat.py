"""A chat model behind any OpenAI-compatible server: vLLM, llama.cpp, Ollama, hosted."""

import math
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

import httpx2
import openai

from tgrag.errors import ConfigurationError
from tgrag.logs import request_id
from tgrag.models.chat import CallFailed, ChatReply, ChatRequest, Misconfigured
from tgrag.models.chat_wire import identity_of, piece_of, read_reply, read_streamed, request_body
from tgrag.request_ids import HEADER
from tgrag.settings import ChatSettings

NO_KEY = "none"  # local servers take any; the client insists on one
CONNECT_SECONDS = 10.0
STREAMED: dict[str, Any] = {"stream": True, "stream_options": {"include_usage": True}}
TRANSIENT = {408, 409, 425, 429}
TOO_LONG = (
    "context length",
    "context_length",
    "context size",
    "context window",
    "maximum context",
    "too long",
)
NO_FORM = ("response_format", "json_schema", "json_object", "guided", "grammar", "structured")
NO_TEMPERATURE = re.compile(
    r"(un\w+|not) (parameter|value|support\w*).{0,40}temperature|temperature.{0,20} not support"
)
IN_VAIN = 20  # requests that end a run, where the server has not answered any
SAID_CHARACTERS = 300  # of a server's message that are told on


class OpenAIChat:
    """Makes each request once: trying again and limits are the caller's. Belongs to one event loop."""

    def __init__(self, settings: ChatSettings) -> None:
        key = settings.api_key.get_secret_value()
        if not settings.model:
            raise ConfigurationError("chat.model is not set; name the model as the server calls it")
        if urlsplit(settings.base_url).scheme not in ("http", "https"):
            raise ConfigurationError(f"chat.base_url {settings.base_url} is no http:// or https:// address")
        if not (key.isascii() and key.isprintable()):
            raise ConfigurationError("chat.api_key holds characters that no key has; copy it again")
        self._settings, self._key = settings, key
        self._served, self._in_vain = False, 0
        self.identity = identity_of(settings)
        timeout = httpx2.Timeout(
            settings.timeout_seconds, connect=min(CONNECT_SECONDS, settings.timeout_seconds)
        )
        n_connections = settings.max_in_flight
        limits = httpx2.Limits(max_connections=n_connections, max_keepalive_connections=n_connections)
        self._client = openai.AsyncOpenAI(
            base_url=settings.base_url,
            api_key=key or NO_KEY,
            max_retries=0,
            http_client=openai.DefaultAsyncHttpxClient(limits=limits, timeout=timeout),
        )

    async def complete(self, request: ChatRequest) -> ChatReply:
        with self._told():
            response = await self._client.chat.completions.with_raw_response.create(
                **request_body(request, self.identity), extra_headers=_headers()
            )
            body: Any = response.http_response.json()
        reply = read_reply(body)
        self._served = True
        return reply

    async def stream(self, request: ChatRequest, heard: Callable[[str], None]) -> ChatReply:
        chunks: list[dict[str, Any]] = []
        with self._told():
            body = request_body(request, self.identity) | STREAMED
            async with await self._client.chat.completions.create(**body, extra_headers=_headers()) as stream:
                async for chunk in stream:
                    chunks.append(chunk.model_dump(warnings=False))
                    if piece := piece_of(chunks[-1]):
                        heard(piece)
        reply = read_streamed(chunks)
        self._served = True
        return reply

    async def close(self) -> None:
        await self._client.close()

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn what the client raises into failures that say what to do."""
        try:
            yield
        except openai.APITimeoutError as error:
            if isinstance(error.__cause__, httpx2.ConnectTimeout):
                raise self._unreached("no connection in time") from None
            raise CallFailed(
                f"no answer within {self._settings.timeout_seconds:g} s", transient=True
            ) from None
        except openai.APIConnectionError as error:
            raise self._unreached(str(error.__cause__ or error)) from None
        except openai.APIStatusError as error:
            raise self._refused(error) from None
        except openai.APIError as error:
            raise CallFailed(
                f"the server failed while it answered: {error.message}", transient=True
            ) from None
        except UnicodeEncodeError:
            raise CallFailed("the request holds characters that are no text", transient=False) from None
        except ValueError:
            reason = "the server's answer is no JSON; check chat.base_url"
            raise self._vain(reason, IN_VAIN, transient=True) from None

    def _unreached(self, cause: str) -> CallFailed:
        address = self._settings.base_url
        reason = f"{address} cannot be reached ({cause}); is the server running, and is it chat.base_url?"
        return self._vain(reason, self._settings.attempts, transient=True)

    def _vain(self, reason: str, most: int, *, transient: bool) -> CallFailed:
        """Return a failure of this call; of the whole run when so many were in vain and none was ever served."""
        self._in_vain += 1
        if not self._served and self._in_vain >= most:
            return Misconfigured(reason)
        return CallFailed(reason, transient=transient)

    def _refused(self, error: openai.APIStatusError) -> CallFailed:
        """Return what a status other than 2xx means, and what to do about it."""
        status, model = error.status_code, self._settings.model
        said = f"the server says {status}: {self._said(error)}"
        words = f"{error.code} {error.message}".lower()
        if status in (401, 403):
            return Misconfigured(f"the server refuses the key; set TGRAG_CHAT__API_KEY. {said}")
        if status in (404, 405) or "model_not_found" in words:
            return Misconfigured(
                f"the server knows no model {model}, or not this address; check chat.model and chat.base_url. {said}"
            )
        if status == 402 or (status == 429 and "insufficient_quota" in words):
            return Misconfigured(f"the account has nothing left to spend. {said}")
        if status in TRANSIENT or (status >= 500 and status != 501):
            self._served = True
            wait = retry_after(error.response.headers)
            if status == 429 and wait and wait > self._settings.attempts * self._settings.timeout_seconds:
                return Misconfigured(f"the server takes no calls for {wait:,.0f} s; run again then. {said}")
            return CallFailed(said, transient=True, retry_after=wait)
        if "content_filter" in words or "content management policy" in words:
            return CallFailed(f"the server's content filter refused the request. {said}", transient=False)
        if status == 413 or any(word in words for word in TOO_LONG):
            return CallFailed(
                "the request is too long for the model; lower chunk.limit or extract.max_answer_tokens, "
                f"or serve the model with a longer context. {said}",
                transient=False,
            )
        if self._settings.limit_parameter == "max_tokens" and "max_completion_tokens" in words:
            return Misconfigured(
                "set chat.limit_parameter to max_completion_tokens, and for a model that reasons also "
                f"chat.send_temperature to false. {said}"
            )
        if self._settings.send_temperature and NO_TEMPERATURE.search(words):
            return Misconfigured(
                f"the model takes no temperature; set chat.send_temperature to false. {said}"
            )
        if self._settings.answer_form != "text" and any(word in words for word in NO_FORM):
            return Misconfigured(
                f"the server does not take answers of the form {self._settings.answer_form}; "
                f"set chat.answer_form to json_object or text. {said}"
            )
        return self._vain(f"the request is refused. {said}", IN_VAIN, transient=False)

    def _said(self, error: openai.APIStatusError) -> str:
        """Return the server's own message, short, and without the key."""
        body = error.body
        message = body.get("message") if isinstance(body, dict) else None
        text = " ".join(str(message or error.message).split())[:SAID_CHARACTERS]
        return text.replace(self._key, "…") if self._key else text


def _headers() -> dict[str, str]:
    """Name the request that the call is made for, so that the server's log can be told from it."""
    current = request_id.get()
    return {HEADER: current} if current else {}


def retry_after(headers: httpx2.Headers) -> float | None:
    """Return the seconds that a server asks to wait (as a number or as an HTTP date), None when it does not say."""
    stated = headers.get("retry-after", "")
    try:
        seconds = float(stated)
    except ValueError:
        try:
            moment = parsedate_to_datetime(stated)
        except ValueError:
            return None
        seconds = (moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    return max(0.0, seconds) if math.isfinite(seconds) else None
