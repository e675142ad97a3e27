"""What the deployments make of an engine's outputs, with an engine that says what vLLM's would."""

import asyncio
import sys
from collections.abc import AsyncIterator, Iterator
from dataclasses import asdict
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tgrag.models.chat import AnswerSchema, ChatMessage, ChatReply, ChatRequest
from tgrag.models.vllm.chat import Chat
from tgrag.models.vllm.embed import Embed
from tgrag.models.vllm.engine import PATIENT, URGENT, Engine
from tgrag.models.vllm.rerank import Rerank
from tgrag.settings import EmbedEngineSettings


class Tokenizer:
    """A token a character; 1 and 2 around a text, and between two."""

    chat_template: str | None = None

    def __call__(self, text: Any, pair: Any = None, **more: Any) -> dict[str, Any]:
        if isinstance(text, list):
            pairs = [self(one, other, **more) for one, other in zip(text, pair, strict=True)]
            return {name: [each[name] for each in pairs] for name in pairs[0]}
        first, second = list(map(ord, text)), list(map(ord, pair or ""))
        if more.get("truncation") == "only_second":
            second = second[: more["max_length"] - len(first) - 3]
        if more.get("truncation") is True:
            first = first[: more["max_length"] - 2]
        ids = [1, *first, 2, *([*second, 2] if pair is not None else [])]
        if more.get("add_special_tokens") is False:
            ids = first
        told = {"input_ids": ids, "special_tokens_mask": [int(i < 3) for i in ids]}
        if pair is not None:
            told["token_type_ids"] = [0] * (len(first) + 2) + [1] * (len(second) + 1)
        if more.get("return_offsets_mapping"):
            told["offset_mapping"] = [(0, 0), *((n, n + 1) for n in range(len(first))), (0, 0)]
        return told

    def apply_chat_template(self, messages: list[dict[str, str]], **_: Any) -> str:
        return "".join(f"<{message['role']}>{message['content']}" for message in messages) + "<assistant>"


class Inner:
    """As AsyncLLM. script: the pieces of an answer with the reasons why it ends, or an error."""

    def __init__(self, script: list[Any]) -> None:
        self.script, self.asked = script, []  # type: ignore[var-annotated]
        self.errored, self.left = False, False

    async def generate(
        self, prompt: Any, parameters: Any, request_id: str, priority: int
    ) -> AsyncIterator[Any]:
        self.asked.append((prompt["prompt_token_ids"], parameters, priority))
        try:
            for text, reason in self.script:
                if isinstance(reason, Exception):
                    self.errored = True
                    raise reason
                choice = SimpleNamespace(text=text, token_ids=[0], finish_reason=reason)
                yield SimpleNamespace(outputs=[choice])
        except GeneratorExit:
            self.left = True
            raise

    async def encode(
        self, prompt: Any, parameters: Any, request_id: str, priority: int
    ) -> AsyncIterator[Any]:
        ids = prompt["prompt_token_ids"]
        self.asked.append((ids, parameters, priority))
        if self.script:
            yield SimpleNamespace(outputs=SimpleNamespace(data=np.array(self.script[0](ids))))


class Recorded(SimpleNamespace):
    """Stands for vLLM's parameter classes."""


class EngineDeadError(Exception):
    pass


@pytest.fixture(autouse=True)
def vllm(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    module, parameters = ModuleType("vllm"), ModuleType("vllm.sampling_params")
    module.SamplingParams = module.PoolingParams = Recorded  # type: ignore[attr-defined]
    parameters.StructuredOutputsParams = Recorded  # type: ignore[attr-defined]
    parameters.RequestOutputKind = SimpleNamespace(DELTA="delta")  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "vllm", module)
    monkeypatch.setitem(sys.modules, "vllm.sampling_params", parameters)
    yield


def deployment(kind: type, *script: Any, max_model_len: int = 100) -> Any:
    """Make a deployment of this kind on an engine that says so."""
    engine = Engine.__new__(Engine)
    engine._engine, engine.tokenizer, engine.max_model_len = Inner(list(script)), Tokenizer(), max_model_len
    engine._numbers, engine.dimension = iter(range(10**6)), 2  # type: ignore[assignment]
    made = kind.__new__(kind)
    made._engine = engine
    engine.shutdown = lambda: None  # type: ignore[method-assign]
    if kind is Embed:
        made._settings = EmbedEngineSettings(model="m", query_prefix="q:")
        made._before, made._after = made._special_tokens()
    return made


def asked(of: Any) -> list[Any]:
    found: list[Any] = of._engine._engine.asked
    return found


def request(text: str = "Кто?", max_tokens: int = 50, schema: AnswerSchema | None = None) -> dict[str, Any]:
    return asdict(ChatRequest((ChatMessage("system", " s "), ChatMessage("user", text)), max_tokens, schema))


async def heard(chat: Any, **more: Any) -> list[Any]:
    return [item async for item in chat.stream(request(**more))]


def test_pieces_are_told_and_then_the_reply() -> None:
    chat = deployment(Chat, ("Это ", None), ("", None), ("я.", "stop"))
    *pieces, reply = asyncio.run(heard(chat))
    assert pieces == ["Это ", "я."]
    assert ChatReply(**reply) == ChatReply("Это я.", "stop", len(asked(chat)[0][0]), 3)
    assert asyncio.run(chat.complete(request())) == reply


def test_a_model_without_a_template_reads_the_messages_behind_its_first_token() -> None:
    chat = deployment(Chat, ("x", "length"))
    assert asyncio.run(chat.complete(request()))["finish_reason"] == "length"
    assert asked(chat)[0][0] == [1, *map(ord, "s\n\nКто?\n\n"), 2]


def test_a_template_is_the_models_own_and_brings_its_own_special_tokens() -> None:
    chat = deployment(Chat, ("x", "stop"))
    chat._engine.tokenizer.chat_template = "…"
    asyncio.run(chat.complete(request()))
    assert "".join(map(chr, asked(chat)[0][0])) == "<system> s <user>Кто?<assistant>"


def test_an_answer_gets_the_room_that_the_prompt_leaves() -> None:
    chat = deployment(Chat, ("x", "stop"), max_model_len=20)
    asyncio.run(chat.complete(request()))
    assert asked(chat)[0][1].max_tokens == 20 - len(asked(chat)[0][0])
    with pytest.raises(ValueError, match="leaves no room"):
        asyncio.run(chat.complete(request("слово " * 9)))


def test_a_schema_is_passed_on_in_its_order() -> None:
    chat = deployment(Chat, ("x", "stop"))
    asyncio.run(heard(chat, schema=AnswerSchema("s", '{"b":1,"a":2}')))
    assert list(asked(chat)[0][1].structured_outputs.json) == ["b", "a"]


def test_questions_go_before_indexing() -> None:
    chat, embed = deployment(Chat, ("x", "stop")), deployment(Embed, lambda ids: [1.0, 0.0])
    asyncio.run(chat.complete(request(), urgent=True))
    asyncio.run(chat.complete(request()))
    asyncio.run(embed.embed_queries(["q"]))
    asyncio.run(embed.embed_passages(["p"]))
    assert [priority for _, _, priority in asked(chat)] == [URGENT, PATIENT]
    assert [priority for _, _, priority in asked(embed)] == [URGENT, PATIENT]
    assert URGENT < PATIENT  # vLLM serves the lowest number first


@pytest.mark.parametrize("ending", ["abort", "error", None])
def test_half_an_answer_is_none(ending: str | None) -> None:
    """An engine that is shut down ends what it has begun with "abort"."""
    with pytest.raises(ConnectionError, match="gave the answer up"):
        asyncio.run(deployment(Chat, ("Это", ending)).complete(request()))


def test_a_dead_engine_is_told_from_a_failing_one_and_both_are_builtins() -> None:
    chat = deployment(Chat, ("Это", None), ("", EngineDeadError("gone")))
    with pytest.raises(ConnectionError, match=r"dead.*EngineDeadError: gone") as caught:
        asyncio.run(chat.complete(request()))
    assert type(caught.value) is ConnectionError and caught.value.__cause__ is None
    with pytest.raises(ConnectionError, match="gave the request up"):
        asyncio.run(deployment(Embed).embed_queries(["q"]))


def test_who_leaves_ends_the_request_in_the_engine() -> None:
    async def main() -> bool:
        chat = deployment(Chat, ("Это ", None), ("я.", "stop"))
        stream = chat.stream(request())
        await anext(stream)
        await stream.aclose()
        left: bool = chat._engine._engine.left
        return left

    assert asyncio.run(main())


def test_a_long_text_is_read_in_windows_with_special_tokens_around_each() -> None:
    embed = deployment(Embed, lambda ids: [float(len(ids) - 2), 0.0], max_model_len=10)
    answer = asyncio.run(embed.embed_passages(["а" * 20]))
    windows = [ids for ids, _, _ in asked(embed)]
    assert [len(ids) - 2 for ids in windows] == [6, 7, 7]
    assert all((ids[0], ids[-1]) == (1, 2) for ids in windows)
    assert answer["vectors"] == [[1.0, 0.0]]
    assert (answer["identity"]["name"], answer["identity"]["max_tokens"]) == ("m", 10)
    asyncio.run(embed.embed_queries(["а"]))
    assert asked(embed)[-1][0] == [1, *map(ord, "q:а"), 2]


def test_a_pair_loses_of_its_passage_and_tells_where_that_begins() -> None:
    rerank = deployment(Rerank, lambda ids: [0.5], max_model_len=20)
    scores = asyncio.run(rerank.score([("кто", "он " * 30), ("я" * 30, "он"), ("кто", "")]))
    assert scores == [0.5] * 3
    (long, parameters, _), (query, _, _), (empty, _, _) = asked(rerank)
    assert len(long) == 20 and long[1:4] == [ord(letter) for letter in "кто"]
    assert parameters.task == "classify"
    assert parameters.extra_kwargs == {"compressed_token_type_ids": 5}
    assert query.count(ord("я")) == 8 and query[-3:-1] == [ord("о"), ord("н")]
    assert empty == [1, *(ord(letter) for letter in "кто"), 2, 2]
