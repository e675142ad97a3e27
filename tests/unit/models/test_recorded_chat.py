import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from tests.data import shared
from tests.recordings import recording_of
from tests.unit.models.test_chat_wire import completion
from tgrag.errors import ConfigurationError
from tgrag.models.chat import CallFailed, ChatMessage, ChatModel, ChatReply, ChatRequest, call_key
from tgrag.models.chats import open_chat
from tgrag.settings import ChatSettings


def request(text: str) -> ChatRequest:
    said = f"Пример: <text>Другой текст.</text> Что ниже: <text>\n{text}\n</text> Ответь."
    return ChatRequest((ChatMessage("system", "Извлеки."), ChatMessage("user", said)), 1000)


def recorded(folder: Path, *lines: Any) -> ChatModel:
    file = folder / "recording.jsonl"
    file.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return open_chat(ChatSettings(backend="recorded", recording=str(file)))


def ask(model: ChatModel, asked: ChatRequest) -> ChatReply:
    return asyncio.run(model.complete(asked))


def test_an_answer_is_found_by_the_text_of_the_unit(tmp_path: Path) -> None:
    model = recorded(
        tmp_path,
        {"text": "Другой текст.", "answer": {"entities": []}},
        {"text": "Германн был немец:  он\nрасчетлив.", "answer": {"entities": [{"name": "Германн"}]}},
        {"text": "Третий", "answer": "слово в слово"},
    )
    reply = ask(model, request("Германн был немец: он расчетлив."))
    assert json.loads(reply.text) == {"entities": [{"name": "Германн"}]}
    assert reply.finish_reason == "stop"
    assert ask(model, request("Третий")).text == "слово в слово"


@pytest.mark.parametrize("text", ["Германн", "Германн был немец. И ещё.", ""])
def test_another_text_has_no_answer(tmp_path: Path, text: str) -> None:
    model = recorded(tmp_path, {"text": "Германн был немец.", "answer": {}})
    with pytest.raises(CallFailed, match="no answer") as caught:
        ask(model, request(text))
    assert not caught.value.transient


def test_an_answer_is_found_by_its_call_key_in_a_batch_output(tmp_path: Path) -> None:
    identity = recorded(tmp_path).identity
    good, bad = request("хорошо"), request("плохо")
    model = recorded(
        tmp_path,
        {
            "custom_id": call_key(identity, good),
            "response": {"status_code": 200, "body": completion("{}")},
            "error": None,
        },
        {
            "custom_id": call_key(identity, bad),
            "response": {"status_code": 400, "body": {"error": {"message": "нет"}}},
        },
    )
    assert ask(model, good) == ChatReply("{}", "stop", 10, 5)
    with pytest.raises(CallFailed, match="нет"):
        ask(model, bad)
    with pytest.raises(CallFailed, match="no answer"):
        ask(model, request("третье"))


@pytest.mark.parametrize("line", ['{"text": "a"}', "{", "[]", '"text"', '{"text": 1, "answer": ""}'])
def test_a_file_that_is_no_recording_is_refused(tmp_path: Path, line: str) -> None:
    file = tmp_path / "recording.jsonl"
    file.write_text(line)
    with pytest.raises(ConfigurationError, match="not as described"):
        open_chat(ChatSettings(backend="recorded", recording=str(file)))


def test_settings_that_name_no_recording_are_refused(tmp_path: Path) -> None:
    for recording in (None, str(tmp_path / "absent.jsonl"), str(tmp_path)):
        with pytest.raises(ConfigurationError, match="recording"):
            open_chat(ChatSettings(backend="recorded", recording=recording))
    with pytest.raises(ConfigurationError, match=r"chat\.backend"):
        open_chat(ChatSettings())


def test_a_strong_models_extractions_are_replayed_whole(tmp_path: Path) -> None:
    units, extractions = shared("recorded_ru", "units.jsonl"), shared("recorded_ru", "extractions.jsonl")
    model = recorded(tmp_path, *recording_of(units, extractions))
    said = {line["id"]: line for line in map(json.loads, extractions.read_text("utf-8").splitlines())}
    texts = [json.loads(line) for line in units.read_text("utf-8").splitlines()]
    assert len(texts) == 36
    for unit in texts:
        answer = json.loads(ask(model, request(unit["text"])).text)
        assert answer == {name: said[unit["id"]][name] for name in ("entities", "relationships")}
