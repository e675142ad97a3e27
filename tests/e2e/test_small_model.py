"""Extraction by a real small model behind a real server, which scripts/small_model makes. Quality is not judged."""

import asyncio
import json
import os
import random
import re
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from tests.books import book, chapters
from tests.extraction import unit
from tgrag.extract.graph_answer import graph_schema
from tgrag.extract.llm import extraction_request, read_graph
from tgrag.index.run import index
from tgrag.json_answers import answer_schema, compact, longest
from tgrag.models.chat import ChatReply, ChatRequest
from tgrag.models.openai_chat import OpenAIChat
from tgrag.settings import Settings, load_settings

URL = os.environ.get("SMALL_MODEL_URL", "")
MODEL = os.environ.get("SMALL_MODEL_NAME", "gemma3-270m")

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not URL, reason="SMALL_MODEL_URL names no server; scripts/small_model makes one"),
]


def settings(folder: Path) -> Settings:
    return load_settings(
        root=str(folder / "root"),
        extract={"method": "llm", "max_entities": 4, "max_relationships": 4, "max_answer_tokens": 900},
        report={"method": "extractive"},  # one by a model this small would say nothing
        chat={
            "backend": "openai",
            "base_url": f"{URL}/v1",
            "model": MODEL,
            "max_in_flight": 4,
            "timeout_seconds": 900,
        },
    )


def n_tokens(text: str) -> int:
    """As the served model's own tokenizer counts."""
    reply = httpx.post(
        f"{URL}/tokenize", json={"model": MODEL, "prompt": text, "add_special_tokens": False}, timeout=60
    )
    count: int = reply.raise_for_status().json()["count"]
    return count


@pytest.mark.parametrize(
    "alphabet", ["оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё", "іїєґабвгдежзиклмнопрстуфхцчшщьюя", "qwxzvkj"]
)
def test_the_longest_answer_fits(alphabet: str, tmp_path: Path) -> None:
    """Letters at random hardly ever share a token."""
    extract = settings(tmp_path).extract
    letters = random.Random(0)
    answer = compact(longest(graph_schema(extract), "ж"))
    answer = re.sub("ж", lambda _: letters.choice(alphabet), answer)
    assert n_tokens(answer) <= extract.max_answer_tokens


@pytest.mark.ray
def test_ten_of_ten_answers_validate(ray_cluster: None, tmp_path: Path) -> None:
    text = tmp_path / "book.txt"
    text.write_text(book(*chapters(2800)[:4]), encoding="utf-8")
    summary = index([str(text)], "c", settings(tmp_path), lambda line: None)
    cost = summary.stages["extract"]
    print("\n".join(summary.lines()))
    n_units = summary.counts["text_units"]
    assert n_units >= 10
    assert summary.dead_letters == []
    assert summary.extraction.llm == n_units
    assert (cost.calls, cost.repaired, cost.halved) == (n_units, 0, 0)


def full(request: ChatRequest) -> ChatRequest:
    """Demand lists as long as they may be: of itself a model so small leaves them empty."""
    assert request.schema
    schema = json.loads(request.schema.json)
    for items in schema["properties"].values():
        items["minItems"] = items["maxItems"]
    return replace(request, schema=answer_schema("graph", schema))


def test_ten_of_ten_full_answers_end_by_themselves_and_validate(tmp_path: Path) -> None:
    chosen = settings(tmp_path)
    halves = [half for chapter in chapters(2800)[:5] for half in (chapter[:1400], chapter[1400:2800])]
    units = [unit(n, text=half) for n, half in enumerate(halves)]
    requests = [full(extraction_request(u, "", chosen.extract)) for u in units]

    async def answers() -> list[ChatReply]:
        model = OpenAIChat(chosen.chat)
        slots = asyncio.Semaphore(chosen.chat.max_in_flight)

        async def answer(request: ChatRequest) -> ChatReply:
            async with slots:
                return await model.complete(request)

        try:
            return await asyncio.gather(*map(answer, requests))
        finally:
            await model.close()

    replies = asyncio.run(answers())
    print([reply.tokens_out for reply in replies])
    assert [reply.finish_reason for reply in replies] == ["stop"] * len(units)
    for graph in (read_graph(reply.text) for reply in replies):
        assert (len(graph.entities), len(graph.relationships), graph.dropped) == (4, 4, ())
