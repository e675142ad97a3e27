"""The extraction stage with a mock server: nothing lost, nothing twice, nothing wrong."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import httpx
import pytest

from tests.extraction import Stage, by_llm, has_own_probe, unit, units
from tests.mock_llm import Config, Running, running
from tgrag.errors import ConfigurationError, InvalidRequest
from tgrag.index.answers import AnswerMemo
from tgrag.index.budget import Budget
from tgrag.index.plan import Plan

FAULTS = {
    "malformed": 0.10,
    "error_500": 0.05,
    "error_429": 0.05,
    "truncated": 0.05,
    "hang": 0.02,
    "retry_after": 0.1,
}
ALWAYS = "Несчастливец"


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with running() as mock:
        yield mock


@pytest.fixture
def mock(server: Running) -> Running:
    server.configure(**asdict(Config()))
    server.reset()
    return server


def test_every_unit_is_extracted_and_a_second_run_asks_nothing(mock: Running, root_address: str) -> None:
    stage, some = Stage(root_address, mock), units(30)
    found, cost = stage.run(some)
    assert all(has_own_probe(found, u) for u in some)
    assert (cost.calls, cost.saved, cost.failed) == (30, 0, 0)
    assert (found.counts.llm, found.counts.fast) == (30, 0)
    stats = mock.stats()
    assert stats["requests"] == 30 and stats["max_busy"] <= 8
    assert (cost.tokens_in, cost.tokens_out) == (stats["tokens_in"], stats["tokens_out"])
    again, cost = stage.run(some)
    assert (cost.calls, cost.saved) == (0, 30)
    assert mock.stats()["requests"] == 30
    assert again == found


@pytest.mark.parametrize("n", [60, pytest.param(300, marks=[pytest.mark.ray, pytest.mark.long])])
def test_nothing_is_lost_under_faults(
    n: int, mock: Running, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    workers = 1
    if n > 60:
        request.getfixturevalue("ray_cluster")
        workers = 2
    mock.configure(**FAULTS, always_fails=ALWAYS, seed=3)
    some = [*units(n), unit(n, "d9", text=f"{ALWAYS} пришёл в Петербург. Никто его не ждал.")]
    stage = Stage(tmp_path, mock, chat={"timeout_seconds": 3, "attempts": 4}, index={"workers": workers})
    found, cost = stage.run(some)
    counts, letters = found.counts, found.letters
    assert set(found.extractions) == {u.text_unit_id for u in some}
    assert counts.llm + counts.fast == n + 1
    assert counts.failed == counts.fast == cost.failed == len({letter.key for letter in letters})
    assert len(by_llm(found)) == counts.llm >= 0.9 * n
    assert all(letter.reason and letter.stage == "extract" and letter.attempts for letter in letters)
    unlucky = [letter for letter in letters if letter.document_id == "d9"]
    assert [(d.source, d.transient) for d in unlucky] == [("d9.txt", True)] and "500" in unlucky[0].reason
    assert cost.repaired and cost.halved
    seen = mock.stats()
    assert seen["requests"] == cost.attempts
    twice = seen["repeats"] - (cost.attempts - cost.calls)
    assert 0 <= twice < workers, (
        "the second halves are equal: a worker does not see what another has just stored"
    )
    assert seen["repeats"] >= sum(seen["faults"][f] for f in ("error_500", "error_429", "hang")) - 1

    mock.configure(
        **dict.fromkeys(("malformed", "error_500", "error_429", "truncated", "hang"), 0.0), always_fails=""
    )
    before = mock.stats()["requests"]
    healed, _ = stage.run(some)
    retried = sum(letter.transient for letter in letters)
    assert mock.stats()["requests"] == before + retried, "only what failed for now is asked again"
    assert healed.counts.failed == len(letters) - retried
    healed, _ = stage.run(some, Plan(retry=True))
    assert healed.counts.failed == 0 and len(by_llm(healed)) == n + 1


def test_others_go_on_while_one_is_not_answered(mock: Running, tmp_path: Path) -> None:
    some = [unit(n) for n in range(40)]
    mock.configure(held="гостей номер 0/d0", held_until=39)
    stage = Stage(tmp_path, mock, chat={"max_in_flight": 2, "timeout_seconds": 120})
    assert len(by_llm(stage.run(some)[0])) == 40 and mock.stats()["requests"] == 40


def test_a_cut_off_answer_is_asked_again_in_halves(mock: Running, tmp_path: Path) -> None:
    stage, whole = Stage(tmp_path, mock), unit(1)
    mock.configure(truncated=1.0)
    found, cost = stage.run([whole])
    assert found.counts.failed == 1 and not found.letters[0].transient
    assert "cut off" in found.letters[0].reason and cost.halved >= 3
    mock.configure(truncated=0.0)
    healed, _ = stage.run([whole], Plan(retry=True))
    assert healed.counts.llm == 1


def test_a_budget_of_calls_is_kept_and_the_next_run_goes_on(mock: Running, tmp_path: Path) -> None:
    stage, some = Stage(tmp_path / "a", mock), units(30)
    found, cost = stage.run(some, Plan(Budget(calls=10)))
    assert cost.calls == mock.stats()["requests"] == 10
    assert (found.counts.llm, found.counts.fast, found.counts.waiting) == (10, 20, 20)
    assert found.counts.partial and not found.letters
    assert all(found.extractions[u.text_unit_id].entities for u in some), "fast where not asked"
    assert {unit_id.split("-")[0] for unit_id in by_llm(found)} == {"d0", "d1", "d2"}
    assert max(int(unit_id.split("-")[1]) for unit_id in by_llm(found)) < 6, "the beginning of each first"
    rest, cost = stage.run(some)
    assert (cost.calls, cost.saved, rest.counts.waiting) == (20, 10, 0)
    undisturbed, _ = Stage(tmp_path / "b", mock).run(some)
    assert rest == undisturbed


def test_tokens_and_seconds_are_budgets_too(mock: Running, tmp_path: Path) -> None:
    stage, some = Stage(tmp_path, mock, chat={"max_in_flight": 2}), units(12)
    assert stage.run(some, Plan(Budget(until=0.0)))[1].calls == 0
    assert mock.stats()["requests"] == 0
    _, cost = stage.run(some, Plan(Budget(tokens=1)))
    assert 1 <= cost.calls <= 2, "only what was in flight when it was used up"


def answer_batch(mock: Running, batch: Path, output: Path) -> int:
    """What a batch API does: each line's answer, in another order."""
    lines = []
    for line in batch.read_text(encoding="utf-8").splitlines():
        call = json.loads(line)
        assert (call["method"], call["url"]) == ("POST", "/v1/chat/completions")
        reply = httpx.post(f"{mock.base_url}/chat/completions", json=call["body"])
        response = {"status_code": reply.status_code, "request_id": "r", "body": reply.json()}
        lines.append(
            json.dumps({"id": "b", "custom_id": call["custom_id"], "response": response, "error": None})
        )
    output.write_text("\n".join(reversed(lines)) + "\n", encoding="utf-8")
    return len(lines)


def test_a_batch_round_trip_equals_the_direct_run(mock: Running, tmp_path: Path) -> None:
    mock.configure(malformed=0.3, truncated=0.2, seed=5)
    some = units(30)
    direct, _ = Stage(tmp_path / "direct", mock).run(some)
    mock.reset()
    stage = Stage(tmp_path / "batch", mock)
    file, output = tmp_path / "calls.jsonl", tmp_path / "answers.jsonl"
    rounds = 0
    assert stage.opened(some).write_batch(str(file)) == 30
    while n_calls := answer_batch(mock, file, output):
        extraction = stage.opened(some)
        extraction.prepare(Plan(read_batch=str(output)))
        taken = extraction.result(waiting_too=False).taken
        assert taken and f"{n_calls} answers taken in" in taken.lines("file")[0]
        extraction.write_batch(str(file))
        rounds += 1
    assert rounds > 1, "what came back bad or cut off has a second round"
    before = mock.stats()["requests"]
    found, cost = stage.run(some)
    assert cost.calls == 0 and mock.stats()["requests"] == before
    assert found == direct


def test_a_batch_output_with_faults_is_taken_in_as_far_as_it_goes(mock: Running, tmp_path: Path) -> None:
    stage, some = Stage(tmp_path, mock), units(6)
    file, output = tmp_path / "calls.jsonl", tmp_path / "answers.jsonl"
    stage.opened(some).write_batch(str(file))
    answer_batch(mock, file, output)
    first, second, third, *rest = output.read_text(encoding="utf-8").splitlines()
    stranger = json.dumps(json.loads(first) | {"custom_id": "stranger"})
    failed = json.loads(second) | {
        "response": None,
        "error": {"code": "batch_expired", "message": "too late"},
    }
    refused = json.loads(third) | {"response": {"status_code": 400, "body": {"error": {"message": "no"}}}}
    lines = [first, first, json.dumps(failed), json.dumps(refused), "{", "[]", stranger, *rest]
    output.write_text("\n".join(lines), encoding="utf-8")
    extraction = stage.opened(some)
    extraction.prepare(Plan(read_batch=str(output)))
    taken = extraction.result(waiting_too=False).taken
    told = "\n".join(taken.lines("file") if taken else ())
    assert "4 answers taken in, 2 failures, 1 known before" in told
    assert "stranger" in told and "5 (no JSON" in told and "6 (no JSON" in told
    found, _ = stage.run(some, Plan(offline=True))
    assert sorted((d.transient, d.attempts) for d in found.letters) == [(False, 1), (True, 1)]
    assert found.counts.llm == 4 and found.counts.waiting == 2
    with pytest.raises(InvalidRequest, match="cannot read"):
        stage.opened(some).prepare(Plan(read_batch=str(tmp_path / "nowhere")))


def test_exactly_the_affected_calls_are_made_again(mock: Running, tmp_path: Path) -> None:
    some = [*(unit(n, "d0", "ru") for n in range(4)), *(unit(n, "d1", "en") for n in range(3))]
    Stage(tmp_path, mock).run(some)

    def calls(**settings: object) -> int:
        return Stage(tmp_path, mock, **settings).run(some)[1].calls

    assert calls() == 0
    assert calls(extract={"prompt_language": "en"}) == 4, "the English units were asked in English before"
    assert calls(extract={"reasoning": True}) == 7
    assert calls(chat={"revision": "2"}) == 7
    assert calls(chat={"max_in_flight": 3, "timeout_seconds": 9}) == 0
    edited = [unit(1, "d0", text="Совсем другое рассказал Чекалинский."), *some[:1], *some[2:]]
    assert Stage(tmp_path, mock).run(edited)[1].calls == 1
    assert Stage(tmp_path, mock).run(some[:3])[1].calls == 0


def test_the_sentences_before_are_part_of_the_question(mock: Running, tmp_path: Path) -> None:
    settings = {"context_sentences": 1}
    some = units(6, documents=2)
    Stage(tmp_path, mock, extract=settings).run(some)
    changed = [unit(0, "d0", text="Другое. Совсем другое рассказал Чекалинский."), *some[1:]]
    assert Stage(tmp_path, mock, extract=settings).run(changed)[1].calls == 2, "the unit and the one after it"


def test_a_server_that_is_no_chat_server_ends_the_run_at_once(mock: Running, tmp_path: Path) -> None:
    stage = Stage(tmp_path, mock, chat={"base_url": f"{mock.address}/elsewhere"})
    with pytest.raises(ConfigurationError, match=r"chat\.base_url"):
        stage.run(units(30))
    memo = AnswerMemo(stage.root, "c")
    assert not memo.known() and not stage.run(units(3), Plan(offline=True))[0].letters


@pytest.mark.ray
@pytest.mark.usefixtures("ray_cluster")
def test_workers_hand_on_what_is_to_be_set(mock: Running, tmp_path: Path) -> None:
    stage = Stage(tmp_path, mock, chat={"base_url": f"{mock.address}/elsewhere"}, index={"workers": 1})
    with pytest.raises(ConfigurationError, match=r"^the server knows no model.*chat\.base_url"):
        stage.run(units(70))


@pytest.mark.ray
@pytest.mark.usefixtures("ray_cluster")
def test_two_workers_share_the_slots(mock: Running, tmp_path: Path) -> None:
    mock.configure(seconds=0.1, slots=16)
    some = units(120)
    stage = Stage(tmp_path / "two", mock, chat={"max_in_flight": 6}, index={"workers": 2})
    found, cost = stage.run(some)
    stats = mock.stats()
    assert cost.calls == stats["requests"] == 120 and stats["repeats"] == 0
    assert stats["max_busy"] <= 6, "all workers together"
    assert all(has_own_probe(found, u) for u in some)
    assert stage.lines[-1].startswith("extract: 120 of 120 calls, 0 saved, 0 failed")
    one, _ = Stage(tmp_path / "one", mock).run(some[::-1])
    assert one.extractions == found.extractions and one.letters == found.letters
