"""Answers from a recording: a strong model's, replayed without it.

A recording is a JSONL file, of either kind of line or both:

- ``{"text": "<unit>", "answer": …}``: the answer (text, or JSON of any form) to a request that holds this text
  between ``<text>`` and ``</text>``, whatever else it says; white space does not count. Of a report the text is what
  stands from ``<entities>`` to ``</relationships>``.
- a line of an OpenAI batch output file: the answer to the request whose call key is its ``custom_id``.
"""

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from tgrag.errors import ConfigurationError
from tgrag.models.chat import CallFailed, ChatReply, ChatRequest, call_key
from tgrag.models.chat_wire import identity_of, read_batch_line
from tgrag.settings import ChatSettings

_TEXT = re.compile(r"<text>(.*?)</text>|<entities>(.*?)</relationships>", re.DOTALL)


class RecordedChat:
    """Raises ConfigurationError when the recording cannot be read."""

    def __init__(self, settings: ChatSettings) -> None:
        if not settings.recording:
            raise ConfigurationError("chat.recording is not set; name a JSONL file of recorded answers")
        path = Path(settings.recording)
        self.identity = identity_of(settings)
        self._by_text: dict[str, ChatReply] = {}
        self._by_key: dict[str, ChatReply | CallFailed] = {}
        try:
            with path.open(encoding="utf-8") as lines:
                self._read(lines)
        except OSError as error:
            raise ConfigurationError(f"recording {path} cannot be read: {error.strerror}") from None
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ConfigurationError(f"recording {path} is not as described: {error!r}") from None

    async def complete(self, request: ChatRequest) -> ChatReply:
        answer = self._by_key.get(call_key(self.identity, request)) if self._by_key else None
        if answer is None:
            said = "\n".join(message.content for message in request.messages)
            texts = [text or facts for text, facts in _TEXT.findall(said)]
            answer = self._by_text.get(_plain(texts[-1])) if texts else None
        if answer is None:
            raise CallFailed("the recording has no answer to this request", transient=False)
        if isinstance(answer, CallFailed):
            raise answer
        return answer

    async def stream(self, request: ChatRequest, heard: Callable[[str], None]) -> ChatReply:
        reply = await self.complete(request)
        heard(reply.text)
        return reply

    async def close(self) -> None:
        """Nothing is held."""

    def _read(self, lines: Iterable[str]) -> None:
        for line in lines:
            if line.strip():
                stated: dict[str, Any] = json.loads(line)
                if "custom_id" in stated:
                    key, answer = read_batch_line(stated)
                    self._by_key.setdefault(key, answer)
                else:
                    said = stated["answer"]
                    text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
                    self._by_text.setdefault(_plain(stated["text"]), ChatReply(text, "stop", 0, 0))


def _plain(text: str) -> str:
    return " ".join(text.split())
