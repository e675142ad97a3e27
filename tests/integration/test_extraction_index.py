"""Whole index runs with a language model: versions, deletions, and what the command line shows of them."""

import json
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner, Result

from tests.books import files_below
from tests.mock_llm import Config, Running, probe, running
from tgrag.cli import app
from tgrag.errors import InvalidRequest, TgragError
from tgrag.index import answers
from tgrag.index.budget import Budget
from tgrag.index.catalog import Catalog, Collection
from tgrag.index.plan import Plan
from tgrag.index.run import collect_garbage, delete, index
from tgrag.index.summary import Summary
from tgrag.settings import Settings, load_settings
from tgrag.store.root import open_root

PARTS = [
    "Однажды Нарумов собрал гостей. Томский рассказал о графине. Германн слушал и молчал.",
    "Лизавета Ивановна сидела у окна. Графиня звала Лизавету. Вошёл Томский с письмом.",
    "Чекалинский метал банк. Германн поставил карту. Сурин смеялся над ним.",
]


class Shelf:
    """Two books of two chapters each, one unit a chapter, and the collection over them."""

    def __init__(self, folder: Path, mock: Running) -> None:
        self.books, self.root, self.mock = folder / "books", folder / "root", mock
        self.books.mkdir()
        self.write("one", PARTS[0], PARTS[1])
        self.write("two", PARTS[2], PARTS[0].replace("Нарумов", "Сурин"))

    def write(self, name: str, *parts: str) -> None:
        text = "\n\n".join(f"Глава {n}\n\n{part}" for n, part in enumerate(parts, start=1))
        (self.books / f"{name}.txt").write_text(text, encoding="utf-8")

    @property
    def settings(self) -> Settings:
        chat = {"model": "mock", "base_url": self.mock.base_url, "attempts": 2}
        return load_settings(root=str(self.root), profile="openai", chat=chat)

    @property
    def collection(self) -> Collection:
        return Catalog(open_root(str(self.root))).collection("c")

    def index(self, plan: Plan | None = None) -> Summary:
        return index([str(self.books)], "c", self.settings, lambda line: None, plan or Plan())

    def tgrag(self, *arguments: str, environment: Mapping[str, str] = MappingProxyType({})) -> Result:
        environment = {
            "TGRAG_ROOT": str(self.root),
            "TGRAG_CHAT__MODEL": "mock",
            "TGRAG_CHAT__BASE_URL": self.mock.base_url,
            "TGRAG_CHAT__ATTEMPTS": "2",
            "TGRAG_PROFILE": "openai",
            **environment,
        }
        return CliRunner().invoke(app, list(arguments), env=environment)

    def reports(self) -> list[str]:
        table = self.collection.table(self.collection.require_current().version_id, "communities")
        reports: list[str] = table["report"].to_pylist()
        return reports

    def names(self) -> set[str]:
        table = self.collection.table(self.collection.require_current().version_id, "entities")
        return set(table["name"].to_pylist())


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with running() as mock:
        yield mock


@pytest.fixture
def shelf(server: Running, tmp_path: Path) -> Shelf:
    server.configure(always_fails="", malformed=0.0, seconds=Config().seconds)
    server.reset()
    return Shelf(tmp_path, server)


def test_a_version_holds_what_the_model_said(shelf: Shelf) -> None:
    first = shelf.index()
    assert (first.extraction.llm, first.extraction.fast) == (4, 0)
    assert (first.reports.llm, first.reports.extractive) == (2, 0)
    assert (first.stages["extract"].calls, first.stages["reports"].calls) == (4, 2)
    assert shelf.mock.stats()["requests"] == 6
    assert all(report.startswith("mock ") for report in shelf.reports())
    assert {probe(text) for text in (PARTS[0], PARTS[1], PARTS[2])} <= shelf.names()
    assert any("4 text units by language model" in line for line in first.lines())
    again = shelf.index()
    assert again.noop and shelf.mock.stats()["requests"] == 6

    shelf.write("one", PARTS[0], PARTS[1].replace("у окна", "у самого окна"))
    edited = shelf.index()
    assert (edited.stages["extract"].calls, edited.stages["reports"].calls) == (1, 1)
    assert "1 of 4 extractions made anew" in edited.lines()
    assert "1 of 2 reports made anew: 1 because their units changed" in edited.lines()
    assert probe(PARTS[1]) not in shelf.names(), "no stale fact is left"

    gone = delete("two.txt", "c", shelf.settings, lambda line: None, purge=True)
    assert gone.stages["extract"].calls == gone.stages["reports"].calls == 0
    assert shelf.mock.stats()["requests"] == 8
    assert probe(PARTS[2]) not in shelf.names()
    assert {path.split("/")[3] for path in stored_answers(shelf)} == owners(shelf), "not of the deleted book"
    collect_garbage("c", shelf.settings, keep=1)
    assert len(stored_answers(shelf)) == 3, "only what the published version uses"
    again = shelf.index()
    assert (again.stages["extract"].calls, again.stages["reports"].calls) == (2, 1), (
        "it is on the shelf still"
    )


def test_a_budget_publishes_a_partial_version(shelf: Shelf) -> None:
    partial = shelf.index(Plan(Budget(calls=2)))
    assert (partial.extraction.llm, partial.extraction.fast, partial.extraction.waiting) == (2, 2, 2)
    assert (partial.reports.llm, partial.reports.extractive, partial.reports.waiting) == (0, 2, 2)
    assert any("partial" in line for line in partial.lines())
    assert "partial: 2 text units wait" in shelf.tgrag("inspect").stdout
    assert set(shelf.reports()) == {""}, "no report is paid for before what it reads is there"
    more = shelf.index(Plan(Budget(calls=3)))
    assert (more.stages["extract"].calls, more.stages["reports"].calls) == (2, 1), "one budget for both"
    assert (more.extraction.waiting, more.reports.waiting) == (0, 1)
    assert "partial: 1 reports wait" in shelf.tgrag("inspect").stdout
    whole = shelf.index()
    assert not whole.noop and whole.version_id != partial.version_id
    assert (whole.extraction.llm, whole.stages["extract"].calls) == (4, 0)
    assert (whole.reports.llm, whole.stages["reports"].calls) == (2, 1)
    assert shelf.index().noop


def test_deleting_from_a_partial_version_makes_no_call(shelf: Shelf) -> None:
    shelf.index(Plan(Budget(calls=1)))
    left = delete("one.txt", "c", shelf.settings, lambda line: None)
    assert shelf.mock.stats()["requests"] == 1 and left.extraction.waiting >= 1


def test_what_is_paid_for_is_given_up_only_by_who_says_so(shelf: Shelf) -> None:
    shelf.index()
    asked = shelf.mock.stats()["requests"]
    said: list[str] = []
    gone = delete("two.txt", "c", load_settings(root=str(shelf.root)), said.append)
    assert (gone.extraction.llm, gone.reports.llm) == (2, 1), "whatever profile deletes"
    with pytest.raises(
        InvalidRequest, match=r"language model «mock» extracted 2 text units.*--profile openai"
    ):
        index([str(shelf.books)], "c", load_settings(root=str(shelf.root)), said.append)
    without = index([str(shelf.books)], "c", load_settings(root=str(shelf.root), profile="lite"), said.append)
    assert (without.extraction.llm, without.extraction.fast) == (0, 4)
    assert any("2 text units lose" in line for line in said)
    assert shelf.index().extraction.llm == 4
    assert shelf.mock.stats()["requests"] == asked, "its answers were kept"


def test_a_dry_run_counts_and_calls_nothing(shelf: Shelf) -> None:
    told = json.loads(
        shelf.tgrag(
            "index", str(shelf.books), "-c", "c", "--dry-run", "--tokens-per-second", "100", "--json"
        ).stdout
    )
    assert told["calls"] == 6 and told["tokens_in"] > 4 * 200
    assert told["seconds"] == pytest.approx(told["tokens_out"] / 100)
    assert shelf.mock.stats()["requests"] == 0 and not shelf.collection.version_ids()
    assert (
        "time with 8 calls in flight: unknown"
        in shelf.tgrag("index", str(shelf.books), "-c", "c", "--dry-run").stdout
    )
    shelf.index(Plan(Budget(calls=1)))
    after = json.loads(shelf.tgrag("index", str(shelf.books), "-c", "c", "--dry-run", "--json").stdout)
    assert after["calls"] == 5 and after["seconds"], "as fast as the run before"


def test_a_dry_run_counts_what_would_be_tried_again(shelf: Shelf) -> None:
    shelf.mock.configure(malformed=1.0)
    failed = shelf.index()
    assert (failed.extraction.llm, failed.extraction.failed) == (0, 4) and not failed.reports.waiting
    shelf.mock.configure(malformed=0.0)
    dry = ("index", str(shelf.books), "-c", "c", "--dry-run", "--json")
    counted = [json.loads(shelf.tgrag(*dry, *more).stdout)["calls"] for more in ((), ("--retry-failed",))]
    assert counted == [0, 6], "the units, and the reports on what they will then say"
    listed = json.loads(shelf.tgrag("dead-letters", "list", "--json").stdout)["dead_letters"]
    assert len(listed) == 6, "none is forgotten"
    shelf.mock.reset()
    assert shelf.index(Plan(retry=True)).extraction.llm == 4
    assert shelf.mock.stats()["requests"] == 6


def test_garbage_spares_what_a_run_paid_for_that_came_to_no_end(shelf: Shelf) -> None:
    shelf.index()
    shelf.write("one", PARTS[0], PARTS[1].replace("у окна", "у самого окна"))

    def stop(line: str) -> None:
        if line.startswith("reports: 1 of"):
            raise TgragError("stopped by the test")

    with pytest.raises(TgragError, match="stopped by the test"):
        index([str(shelf.books)], "c", shelf.settings, stop)
    asked = shelf.mock.stats()["requests"]
    assert asked > 6 and collect_garbage("c", shelf.settings, keep=1).memo_objects == 0
    shelf.index()
    assert shelf.mock.stats()["requests"] == asked, "it is paid for"


def test_dead_letters_are_listed_shown_and_tried_again(shelf: Shelf) -> None:
    shelf.mock.configure(always_fails="Чекалинский")
    summary = shelf.index()
    assert (summary.extraction.llm, summary.extraction.failed) == (3, 1)
    assert (summary.reports.llm, summary.reports.waiting) == (1, 1), "the failure may pass"
    (letter,) = summary.dead_letters
    assert (letter.stage, letter.source, letter.transient) == ("extract", "books/two.txt", True)
    listed = shelf.tgrag("dead-letters", "list").stdout
    assert letter.key[:12] in listed and "books/two.txt" in listed and "500" in listed
    assert letter.reason in shelf.tgrag("dead-letters", "show", letter.key[:6]).stdout
    assert shelf.tgrag("dead-letters", "show", "zzz").exit_code == 2
    assert shelf.tgrag("dead-letters", "retry").exit_code == 2
    shelf.mock.configure(always_fails="")
    asked = shelf.mock.stats()["requests"]
    other = {"TGRAG_CHAT__REVISION": "2", "TGRAG_EXTRACT__REASONING": "true"}
    retried = shelf.tgrag("dead-letters", "retry", letter.key[:6], "--json", environment=other)
    assert json.loads(retried.stdout)["extraction"]["llm"] == 4
    assert shelf.mock.stats()["requests"] == asked + 2, "it and its report, as the index was made"
    assert "no dead letters" in shelf.tgrag("dead-letters", "list").stdout
    assert shelf.tgrag("dead-letters", "retry", "--all").exit_code == 2, "nothing is left to retry"


def test_batch_files_by_the_command_line(shelf: Shelf, tmp_path: Path) -> None:
    from tests.integration.test_extraction import answer_batch

    calls, output = tmp_path / "calls.jsonl", tmp_path / "answers.jsonl"
    written = shelf.tgrag("index", str(shelf.books), "-c", "c", "--write-batch", str(calls))
    assert written.exit_code == 0 and "4 calls written" in written.stdout
    assert shelf.mock.stats()["requests"] == 0 and not shelf.collection.version_ids()
    answer_batch(shelf.mock, calls, output)
    second = ("--read-batch", str(output), "--write-batch", str(calls))
    written = shelf.tgrag("index", str(shelf.books), "-c", "c", *second)
    assert "2 calls written" in written.stdout, "the reports, now that there is something to report"
    answer_batch(shelf.mock, calls, output)
    done = shelf.tgrag("index", str(shelf.books), "-c", "c", "--read-batch", str(output), "--json")
    told = json.loads(done.stdout)
    assert (told["extraction"]["llm"], told["reports"]["llm"]) == (4, 2)
    assert shelf.mock.stats()["requests"] == 6, "by the batch alone"
    assert shelf.index().noop


def test_a_batch_calls_nothing_and_what_it_lacks_waits(shelf: Shelf, tmp_path: Path) -> None:
    from tests.integration.test_extraction import answer_batch

    calls, output = tmp_path / "calls.jsonl", tmp_path / "answers.jsonl"
    one = ("index", str(shelf.books), "-c", "c")
    assert "1 calls written" in shelf.tgrag(*one, "--write-batch", str(calls), "--max-calls", "1").stdout
    (tmp_path / "empty.jsonl").touch()
    for wrong in (
        ("--read-batch", str(calls)),
        ("--read-batch", str(tmp_path / "empty.jsonl")),
        ("--read-batch", str(tmp_path)),
        ("--write-batch", str(tmp_path / "nowhere" / "calls.jsonl")),
        ("--write-batch", str(calls), "--max-tokens", "5"),
        ("--dry-run", "--tokens-per-second", "nan"),
    ):
        result = shelf.tgrag(*one, *wrong)
        assert result.exit_code == 2 and result.stderr.splitlines()[-1].startswith(
            "error[invalid_request]"
        ), wrong
    assert shelf.mock.stats()["requests"] == 0 and not shelf.collection.version_ids()
    answer_batch(shelf.mock, calls, output)
    told = json.loads(shelf.tgrag(*one, "--read-batch", str(output), "--json").stdout)
    assert (told["extraction"]["llm"], told["extraction"]["waiting"]) == (1, 3)
    assert shelf.mock.stats()["requests"] == 1, "by the batch alone"


def test_what_other_settings_change_is_told_before_the_work(shelf: Shelf) -> None:
    shelf.index()
    shelf.mock.reset()
    dry = ("index", str(shelf.books), "-c", "c", "--dry-run")
    assert "settings changed" not in shelf.tgrag(*dry).stderr
    told = shelf.tgrag(*dry, environment={"TGRAG_CHAT__REVISION": "2", "TGRAG_EXTRACT__MAX_ENTITIES": "9"})
    assert (
        "settings changed since the published version: extract.max_entities: 16 -> 9; chat.revision:  -> 2"
        in told.stderr
    )
    assert "calls to make: 6" in told.stdout and shelf.mock.stats()["requests"] == 0


def test_a_run_packs_the_answers_of_a_document_that_has_many(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers, "PACK_FROM", 3)
    shelf.index(Plan(Budget(calls=2)))
    assert {Path(path).suffix for path in stored_answers(shelf)} == {".gz"}
    shelf.index()
    assert {Path(path).suffix for path in stored_answers(shelf)} == {".pack"}
    assert len(stored_answers(shelf)) == 2, "one a document"
    monkeypatch.setattr(answers, "PACK_FROM", 256)
    shelf.write("one", PARTS[0], PARTS[1].replace("у окна", "у самого окна"))
    assert shelf.index().stages["extract"].saved == 3, "a pack is read as the single answers were"


def test_two_runs_at_once_call_nothing_twice(shelf: Shelf) -> None:
    shelf.mock.configure(seconds=0.5)
    outcomes: list[Summary | TgragError] = []

    def run() -> None:
        try:
            outcomes.append(shelf.index())
        except TgragError as error:
            outcomes.append(error)

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    kinds = sorted(type(outcome).__name__ for outcome in outcomes)
    assert kinds in (["LeaseHeld", "Summary"], ["Summary", "Summary"])
    assert shelf.mock.stats()["requests"] == 6 and shelf.mock.stats()["repeats"] == 0


def stored_answers(shelf: Shelf) -> list[str]:
    return [path for path in files_below(shelf.root) if path.startswith("c/memo/chat/")]


def owners(shelf: Shelf) -> set[str]:
    version = shelf.collection.require_current().version_id
    table = pq.read_table(shelf.root / "c" / "versions" / version / "data" / "documents.parquet")
    return set(table["document_id"].to_pylist())
