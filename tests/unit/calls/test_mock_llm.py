"""The mock itself: what a test relies on when it says that nothing was lost or done twice."""

import asyncio
import json
import subprocess
import sys
import time
from typing import Any

import httpx
import pytest

from tests.mock_llm import Config, Running, probe, running, short_hash


def post(mock: Running, text: str = "Анна", **more: Any) -> httpx.Response:
    body = {"model": "m", "messages": [{"role": "user", "content": f"<text>{text}</text>"}]} | more
    return httpx.post(f"{mock.base_url}/chat/completions", json=body, timeout=30)


async def crowd(mock: Running, texts: list[str]) -> list[httpx.Response]:
    async with httpx.AsyncClient(timeout=30) as client:
        bodies = [
            {"model": "m", "messages": [{"role": "user", "content": f"<text>{t}</text>"}]} for t in texts
        ]
        return await asyncio.gather(
            *(client.post(f"{mock.base_url}/chat/completions", json=body) for body in bodies)
        )


def names(response: httpx.Response) -> list[str]:
    content = response.json()["choices"][0]["message"]["content"]
    return [entity["name"] for entity in json.loads(content)["entities"]]


def test_it_answers_the_same_to_the_same_text_with_a_probe_of_its_own() -> None:
    with running() as mock:
        first = post(mock, "Анна любит Париж.")
        assert (
            names(first)
            == names(post(mock, "Анна любит Париж."))
            == [
                "Анна",
                "Париж",
                probe("Анна любит Париж."),
            ]
        )
        assert probe("Анна") != probe("Париж")
        stats = mock.stats()
        assert (stats["requests"], stats["repeats"]) == (2, 1)
        assert stats["calls"] == {short_hash("Анна любит Париж."): 2}


@pytest.mark.parametrize(
    ("fault", "status", "reason"),
    [
        ("error_500", 500, None),
        ("error_429", 429, None),
        ("truncated", 200, "length"),
        ("malformed", 200, "stop"),
    ],
)
def test_a_fault_is_as_it_is_called(fault: str, status: int, reason: str | None) -> None:
    with running(Config(**{fault: 1.0}, retry_after=3)) as mock:  # type: ignore[arg-type]
        response = post(mock)
        assert response.status_code == status
        assert response.headers.get("Retry-After") == ("3" if fault == "error_429" else None)
        if reason:
            choice = response.json()["choices"][0]
            assert choice["finish_reason"] == reason
            with pytest.raises(json.JSONDecodeError):
                json.loads(choice["message"]["content"])
        assert mock.stats()["faults"] == {fault: 1}
        assert not mock.stats()["answered"]


def test_a_marked_text_fails_always_and_others_never() -> None:
    with running(Config(always_fails="Проклятый")) as mock:
        assert {post(mock, "Проклятый дом").status_code for _ in range(5)} == {500}
        assert post(mock, "Дом").status_code == 200


def test_max_tokens_cuts_an_answer() -> None:
    with running() as mock:
        choice = post(mock, max_tokens=5).json()["choices"][0]
        assert (choice["finish_reason"], len(choice["message"]["content"]) <= 20) == ("length", True)


def test_slots_bound_what_runs_and_the_time_of_each_number_is_counted() -> None:
    with running(Config(seconds=0.1, slots=3)) as mock:
        begun = time.monotonic()
        asyncio.run(crowd(mock, [f"Анна {i}" for i in range(9)]))
        passed = time.monotonic() - begun
        stats = mock.stats()
        assert stats["max_busy"] == 3
        held = sum(int(n) * seconds for n, seconds in stats["busy_seconds"].items())
        assert 9 * 0.1 * 0.99 <= held <= 3 * passed
        assert stats["in_flight"] == 0


def test_a_schema_without_a_text_gets_an_instance_of_it() -> None:
    schema = {
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "rank": {"type": "integer"},
            "kind": {"enum": ["a", "b"]},
        },
    }
    form = {"type": "json_schema", "json_schema": {"name": "s", "schema": schema}}
    with running() as mock:
        said = [{"role": "user", "content": "Отчёт"}]
        response = post(mock, messages=said, response_format=form)
        found = json.loads(response.json()["choices"][0]["message"]["content"])
        assert found == {"title": f"mock {short_hash('Отчёт')}", "rank": 1, "kind": "a"}


def test_it_runs_as_a_process_of_its_own() -> None:
    command = [sys.executable, "-m", "tests.mock_llm", "--config", '{"error_500": 1.0}']
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        mock = Running(process.stdout.readline().strip())
        assert post(mock).status_code == 500
        mock.configure(error_500=0.0)
        mock.reset()
        assert post(mock).status_code == 200
        assert mock.stats()["requests"] == 1
    finally:
        process.terminate()
        process.wait()
