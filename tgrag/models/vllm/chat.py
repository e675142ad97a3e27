"""A chat model: answers whole or while they are written, held to a JSON schema, questions before indexing."""

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import asdict
from typing import Any

from pydantic import TypeAdapter

from tgrag.models.chat import ChatMessage, ChatReply, ChatRequest
from tgrag.models.vllm.engine import BY_PRIORITY, PATIENT, URGENT, Engine, EngineHost
from tgrag.settings import EngineSettings

# A weak model fills white space for ever where a schema lets it; vLLM 0.32 heeds this for the whole engine only.
CHAT_ARGUMENTS = BY_PRIORITY | {
    "structured_outputs_config": {"backend": "guidance", "disable_any_whitespace": True},
}

_REQUEST = TypeAdapter(ChatRequest)


class Chat(EngineHost):
    """What ``tgrag.models.served_chat`` asks: requests and replies are ChatRequest and ChatReply as dicts."""

    async def __init__(self, settings: dict[str, Any]) -> None:  # type: ignore[misc]  # as Serve allows
        self._engine = Engine(EngineSettings(**settings), "generate", CHAT_ARGUMENTS)
        await self.complete(asdict(ChatRequest((ChatMessage("user", "Hi"),), max_tokens=1)))

    async def complete(self, request: dict[str, Any], urgent: bool = False) -> dict[str, Any]:
        """Return the whole reply. Raises ValueError when the request does not fit the model."""
        reply: dict[str, Any] = {}
        async for item in self.stream(request, urgent):
            if isinstance(item, dict):
                reply = item
        return reply

    async def stream(
        self, request: dict[str, Any], urgent: bool = False
    ) -> AsyncGenerator[str | dict[str, Any], None]:
        """Yield the pieces of the answer's text, then the reply. A caller who leaves ends the generation.

        Raises ValueError when the request does not fit the model, ConnectionError when the engine does not finish it.
        """
        from vllm import SamplingParams
        from vllm.sampling_params import RequestOutputKind, StructuredOutputsParams

        asked = _REQUEST.validate_python(request)
        prompt = self._prompt(asked)
        room = self._engine.max_model_len - len(prompt)
        if room < 1:
            raise ValueError(
                f"a prompt of {len(prompt)} tokens leaves no room in a context of {self._engine.max_model_len}"
            )
        schema = asked.schema and StructuredOutputsParams(json=json.loads(asked.schema.json))
        parameters = SamplingParams(
            temperature=asked.temperature,
            max_tokens=min(asked.max_tokens, room),
            structured_outputs=schema,
            output_kind=RequestOutputKind.DELTA,
        )
        pieces: list[str] = []
        n_tokens, finished = 0, None
        priority = URGENT if urgent else PATIENT
        async with aclosing(self._engine.generate(prompt, parameters, priority)) as outputs:
            async for output in outputs:
                (choice,) = output.outputs
                n_tokens, finished = n_tokens + len(choice.token_ids), choice.finish_reason
                if choice.text:
                    pieces.append(choice.text)
                    yield choice.text
        if finished not in ("stop", "length"):  # an engine that is shut down lets go of what it has begun
            raise ConnectionError(f"the engine gave the answer up: {finished}")
        yield asdict(ChatReply("".join(pieces), finished, len(prompt), n_tokens))

    async def pending(self) -> int:
        """Return how many requests are in the engine."""
        return self._engine.pending()

    def _prompt(self, request: ChatRequest) -> list[int]:
        """Return the messages in the model's chat template; one after the other for a model that has none."""
        tokenizer = self._engine.tokenizer
        if not tokenizer.chat_template:
            text = "".join(f"{message.content.strip()}\n\n" for message in request.messages)
            return list(tokenizer(text)["input_ids"])
        messages = [asdict(message) for message in request.messages]
        text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        return list(tokenizer(text, add_special_tokens=False)["input_ids"])
