import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tgrag.errors import StageFailed
from tgrag.index import pipeline as pipeline_module
from tgrag.index.assemble import Passage
from tgrag.index.pipeline import Worker, pipeline, slices
from tgrag.index.progress import CallProgress, Progress
from tgrag.index.stages import CHARACTERS_A_BATCH, TEXTS_A_BATCH, embedding_batches


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 2 * CHARACTERS_A_BATCH)), max_size=80))
def test_batches_hold_every_passage_once_and_one_document_each(sizes: list[tuple[str, int]]) -> None:
    passages = [Passage(document, str(n), "x" * size) for n, (document, size) in enumerate(sizes)]
    batches = embedding_batches(passages)
    assert sorted(p.key for batch in batches for p in batch) == sorted(p.key for p in passages)
    for batch in batches:
        assert len({p.document_id for p in batch}) == 1
        assert 1 <= len(batch) <= TEXTS_A_BATCH
        assert len(batch) == 1 or sum(len(p.text) for p in batch) <= CHARACTERS_A_BATCH


def test_progress_tells_the_beginning_and_the_end() -> None:
    lines: list[str] = []
    progress = Progress("embed", 3, "texts", lines.append, work=30)
    progress.add(1, work=10)
    progress.add(2, work=20)
    assert lines[0] == "embed: 3 texts"
    assert lines[-1].startswith("embed: 3 of 3 texts in ")


def test_progress_of_calls_counts_those_that_answers_made_needed() -> None:
    lines: list[str] = []
    progress = CallProgress("extract", 10, 4, lines.append)
    progress.tell(3, 0, 2, 900)
    progress.tell(11, 1, 2, 5_000, last=True)
    assert lines[0] == "extract: 10 calls to make, 4 answers saved"
    assert lines[-1].startswith("extract: 11 of 12 calls, 4 saved, 1 failed, ")
    assert "tokens/s" in lines[-1] and len(lines) == 2, "not more often than every two seconds"


class Broken(Worker):
    def __call__(self, batch: pa.Table) -> pa.Table:
        raise ZeroDivisionError("division by zero")


def test_a_single_batch_that_breaks_is_one_clear_error() -> None:
    with pytest.raises(
        StageFailed, match="Broken broke off: ZeroDivisionError: division by zero; what is done"
    ):
        list(pipeline(pa.table({"a": [1]}), Broken, {}, 1, None))


class Adding(Worker):
    def __call__(self, batch: pa.Table) -> pa.Table:
        return pa.table({"sum": [sum(batch["a"].to_pylist())]})


def test_little_work_is_done_in_this_process_batch_by_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline_module, "connect", lambda: pytest.fail("Ray is started"))
    done = list(pipeline(pa.table({"a": [1, 2, 3]}), Adding, {}, 2, None, little=True))
    assert [table["sum"].to_pylist() for table in done] == [[3], [3]]


def test_whoever_asks_for_workers_gets_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline_module, "connect", lambda: None)
    monkeypatch.setattr(
        pipeline_module, "on_ray", lambda *_, size, options: iter([pa.table({"size": [size]})])
    )
    (table,) = pipeline(pa.table({"a": [1, 2, 3]}), Adding, {}, 1, 2, little=True)
    assert table["size"].to_pylist() == [2]


@pytest.mark.parametrize(("n", "batch"), [(0, 4), (1, 4), (8, 4), (13, 4), (13, 50), (25, 1)])
def test_rows_are_handed_over_once_and_in_bounded_slices(
    n: int, batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline_module, "ROWS_AT_ONCE", 10)
    rows = pa.table({"row": range(n)})
    made = [list(blocks) for blocks in slices(n, lambda start, stop: rows.slice(start, stop - start), batch)]
    assert [row for blocks in made for block in blocks for row in block["row"].to_pylist()] == list(range(n))
    assert all(1 <= len(block) <= batch for blocks in made for block in blocks)
    assert all(sum(map(len, blocks)) <= max(10, batch) for blocks in made)
