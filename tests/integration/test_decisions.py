"""Index runs in which a language model decides what the rules on who is who leave open."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.test_extraction import answer_batch
from tests.integration.test_extraction_index import Shelf
from tests.mock_llm import Config, Running, running
from tgrag.errors import InvalidRequest
from tgrag.graph.merging import BY_MODEL
from tgrag.index.budget import Budget
from tgrag.index.plan import Plan
from tgrag.index.run import index
from tgrag.settings import Settings, load_settings

FIRST = "Однажды Германн слушал и молчал. Томский смеялся."
SECOND = "Потом Германец вышел один. Сурин остался у стола."


class Decided(Shelf):
    """One book of two units: the two names in it begin alike, and the mock model says that they are one."""

    def __init__(self, folder: Path, mock: Running) -> None:
        super().__init__(folder, mock)
        (self.books / "two.txt").unlink()
        self.write("one", FIRST, SECOND)

    @property
    def settings(self) -> Settings:
        chat = {"model": "mock", "base_url": self.mock.base_url, "attempts": 2}
        return load_settings(
            root=str(self.root), profile="openai", chat=chat, extract={"method": "llm", "resolve": "llm"}
        )

    def by_model(self) -> list[tuple[str, str]]:
        """Return decision and reason of all rows that a model decided."""
        version = self.collection.require_current().version_id
        rows = self.collection.table(version, "merges").to_pylist()
        return [(row["decision"], row["reason"]) for row in rows if row["reason"].startswith(BY_MODEL)]


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with running() as mock:
        yield mock


@pytest.fixture
def shelf(server: Running, tmp_path: Path) -> Decided:
    server.configure(always_fails="", malformed=0.0, seconds=Config().seconds)
    server.reset()
    return Decided(tmp_path, server)


def rules_only(shelf: Decided) -> None:
    chat = {"model": "mock", "base_url": shelf.mock.base_url, "attempts": 2}
    settings = load_settings(root=str(shelf.root), profile="openai", chat=chat)
    index([str(shelf.books)], "c", settings, lambda line: None)


def test_a_decision_is_paid_for_once_and_shown_with_its_reason(shelf: Decided) -> None:
    rules_only(shelf)
    asked = shelf.mock.stats()["requests"]
    assert shelf.by_model() == []
    decided = shelf.index()
    assert (decided.stages["extract"].calls, decided.stages["resolve"].calls) == (0, 1)
    assert (decided.decisions.same, decided.decisions.waiting) == (1, 0)
    assert any("1 pairs of names one" in line for line in decided.lines())
    ((decision, reason),) = shelf.by_model()
    assert decision == "merge" and "mock" in reason
    assert shelf.index().noop and shelf.mock.stats()["requests"] == asked + 1
    shown = shelf.tgrag("inspect", "entities", "Германец", "-c", "c").stdout
    assert BY_MODEL in shown and "split" in shown
    shelf.write("one", FIRST, SECOND, "Нарумов приехал.")
    more = shelf.index()
    assert more.stages["resolve"].calls == 0, "an edit elsewhere asks nothing anew"


def test_the_user_overrules(shelf: Decided) -> None:
    (shelf.books / "collection.yaml").write_text(
        'entities:\n  split: [["Германн", "Германец"]]\n', encoding="utf-8"
    )
    assert shelf.index().stages["resolve"].calls == 0, "what is settled is not asked"
    assert shelf.by_model() == []


def test_a_bad_answer_is_a_dead_letter_and_the_rules_stand(shelf: Decided) -> None:
    rules_only(shelf)
    shelf.mock.configure(malformed=1.0)
    failed = shelf.index()
    assert (failed.decisions.failed, failed.decisions.same) == (1, 0)
    (letter,) = failed.dead_letters
    assert (letter.stage, letter.transient) == ("resolve", False)
    assert shelf.by_model() == []
    shelf.mock.configure(malformed=0.0)
    assert shelf.index().noop, "given up until somebody asks"
    environment = {"TGRAG_EXTRACT__RESOLVE": "llm"}
    retried = shelf.tgrag("dead-letters", "retry", letter.key[:8], "--json", environment=environment)
    assert json.loads(retried.stdout)["decisions"]["same"] == 1
    assert len(shelf.by_model()) == 1


def test_a_failure_that_may_pass_waits_for_the_next_run(shelf: Decided) -> None:
    rules_only(shelf)
    shelf.mock.configure(always_fails="Одно и то же?")
    failed = shelf.index()
    assert (failed.decisions.failed, failed.decisions.waiting) == (1, 1)
    shelf.mock.configure(always_fails="")
    assert shelf.index().decisions.same == 1


def test_a_budget_goes_to_extraction_then_decisions_then_reports(shelf: Decided) -> None:
    first = shelf.index(Plan(Budget(calls=1)))
    assert first.extraction.waiting == 1 and first.decisions.same == 0
    second = shelf.index(Plan(Budget(calls=2)))
    assert (second.stages["extract"].calls, second.stages["resolve"].calls) == (1, 1)
    assert (second.decisions.same, second.reports.waiting) == (1, 1)
    assert shelf.index().reports.llm == 1
    assert shelf.index().noop


def test_a_dry_run_and_batch_files_know_decisions(shelf: Decided, tmp_path: Path) -> None:
    rules_only(shelf)
    asked = shelf.mock.stats()["requests"]
    environment = {"TGRAG_EXTRACT__RESOLVE": "llm"}
    one = ("index", str(shelf.books), "-c", "c")
    told = json.loads(shelf.tgrag(*one, "--dry-run", "--json", environment=environment).stdout)
    assert told["calls"] == 1
    calls, output = tmp_path / "calls.jsonl", tmp_path / "answers.jsonl"
    written = shelf.tgrag(*one, "--write-batch", str(calls), environment=environment)
    assert "1 calls written" in written.stdout and shelf.mock.stats()["requests"] == asked
    answer_batch(shelf.mock, calls, output)
    done = shelf.tgrag(*one, "--read-batch", str(output), "--json", environment=environment)
    assert json.loads(done.stdout)["decisions"]["same"] == 1
    with pytest.raises(InvalidRequest, match="answers no call"):
        (tmp_path / "empty.jsonl").touch()
        shelf.index(Plan(read_batch=str(tmp_path / "empty.jsonl")))
