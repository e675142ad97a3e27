"""The promise of as_of, on real books through the real pipeline.

A question as of N to the whole index shows exactly what the same question shows on an index of the text cut
at N. Some questions are taken from the text after N: what leaks, they would find.
"""

import random
from pathlib import Path

import pytest

from tests.books import SAMPLE
from tests.data import shared
from tests.pipeline import Pipeline, cuts, parsed
from tgrag.ingest.parse import parse
from tgrag.records import ParsedDocument
from tgrag.search.engine import Engine
from tgrag.search.requests import AsOf, QueryRequest
from tgrag.store.snapshot import Snapshot

QUESTIONS = ("Кто такой Германн и как он изменился?", "Who is captain Nemo?", "Що сталося в другій главі?")
BOOKS = [
    pytest.param(("ruslit_ru", "Pushkin", "Капитанская дочка.txt"), marks=pytest.mark.long),
    pytest.param(("ruslit_ru", "Lermontov", "Герой нашего времени.txt"), marks=pytest.mark.long),
    pytest.param(("books_en", "twenty-thousand-leagues.epub"), marks=pytest.mark.long),
    pytest.param(("nt_uk", "Ukranian-NT.xml"), marks=pytest.mark.long),
]


def shown(engine: Engine, question: str, as_of: AsOf, mode: str) -> dict[str, object]:
    """Everything that a caller can see of an answer, but for timings and scores."""
    request = QueryRequest(question=question, as_of=as_of, mode=mode, include_context=True)
    answer = engine.query(request).model_dump(exclude={"timings"})
    for item in answer["context"]:
        item.pop("score")
    answer["rendered"] = engine.retrieve(request).context
    return answer


def check(pipeline: Pipeline, name: str, whole: ParsedDocument, n_cuts: int | None = None) -> None:
    full = pipeline.snapshot([(name, whole)])
    shorter = cuts(whole)
    assert len(shorter) > 3
    if n_cuts:
        shorter = random.Random(0).sample(shorter, n_cuts)
    for document in shorter:
        cut = pipeline.snapshot([(name, document)])
        last = cut.text_units.row(len(cut.text_units) - 1)
        next_unit = full.text_units.row(len(cut.text_units))
        assert full.text_units.row(last.ordinal).text_unit_id == last.text_unit_id, "units must be a prefix"
        ahead = next_unit.text[:200]
        moments = [AsOf(ordinal=last.ordinal)]
        if "." in last.chapter_id:
            moments.append(AsOf(book=last.book_number, chapter=last.chapter_id))
        for as_of in moments:
            for question in (*QUESTIONS, ahead):
                for mode in ("temporal", "classic"):
                    of_full = shown(engine(pipeline, full), question, as_of, mode)
                    of_cut = shown(engine(pipeline, cut), question, as_of, mode)
                    assert of_full == of_cut, (last.chapter_id, question, mode)
                    assert ahead[:60] not in str(of_full["rendered"])


def engine(pipeline: Pipeline, snapshot: Snapshot) -> Engine:
    return Engine(snapshot, pipeline.embedder, pipeline.tokenizer, pipeline.settings.search)


def test_the_sample_book() -> None:
    name, document = parsed(SAMPLE)
    check(Pipeline(), name, document)


@pytest.mark.parametrize("parts", BOOKS)
def test_whole_books(parts: tuple[str, ...]) -> None:
    name, document = parsed(shared(*parts))
    check(Pipeline(), name, document, n_cuts=6)


@pytest.mark.parametrize("path", [SAMPLE], ids=["sample"])
def test_a_cut_file_parses_to_a_prefix(path: Path) -> None:
    """The rules for headings in plain text look at a line and its neighbours only."""
    text = path.read_text(encoding="utf-8")
    _, whole = parsed(path)
    headings = [e.text for e in whole.elements if e.kind == "heading"]
    assert len(headings) == 7
    lines = text.split("\n")
    starts = [i for i, line in enumerate(lines) if line.strip() in headings][1:]
    for start in starts:
        part = parse(path.name, "\n".join(lines[:start]).encode())
        assert part.elements == whole.elements[: len(part.elements)]
        assert len(part.elements) > 3


def test_another_series_is_hidden_unless_named() -> None:
    pipeline = Pipeline()
    _, document = parsed(SAMPLE)
    snapshot = pipeline.snapshot([("one.txt", document), ("two.txt", document)])
    bound = AsOf(series="one", ordinal=3)
    alone = engine(pipeline, snapshot).retrieve(QueryRequest(question="Германн", as_of=bound))
    assert {item.series for item in alone.items} == {document.title}
    assert max(item.last_ordinal for item in alone.items) <= 3
    both = engine(pipeline, snapshot).retrieve(
        QueryRequest(question="Германн", as_of=bound, books=["two", "one"])
    )
    assert max(item.last_ordinal for item in both.items) > 3
