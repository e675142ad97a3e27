"""``tgrag evaluate`` from the command line: a set indexed, asked, written in every form, and asked again."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tgrag.cli import app

pytestmark = [pytest.mark.ray, pytest.mark.usefixtures("ray_cluster")]

PASSAGES = [
    {
        "id": "l#1",
        "book": "l",
        "position": 1,
        "title": "Lighthouse",
        "text": "Marfa came to the island in spring.",
    },
    {
        "id": "l#2",
        "book": "l",
        "position": 2,
        "title": "Lighthouse",
        "text": "In autumn Nikita lit the lamp alone.",
    },
    {"id": "m", "title": "The Mill", "text": "Taras ground rye at the mill by the river."},
]
QUESTIONS = [
    {"id": "1", "question": "Who ground rye?", "answers": ["Taras"], "gold": ["m"], "type": "fact"},
    {"id": "2", "question": "Who lit the lamp?", "answers": ["Nikita"], "gold": ["l#2"], "type": "fact"},
    {"id": "3", "question": "Who sold the steam engine?", "answers": [], "gold": [], "type": "unanswerable"},
]
PAIR = {
    "story": "l",
    "earlier": {"question": "Who came to the island?", "answer": "Marfa"},
    "later": {"question": "Who lit the lamp?", "answer": "Nikita"},
}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    folder = tmp_path / "stories"
    folder.mkdir()
    for name, rows in (("corpus", PASSAGES), ("questions", QUESTIONS), ("order_pairs", [PAIR])):
        lines = "\n".join(json.dumps(row) for row in rows)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    return tmp_path


def evaluate(place: Path, *arguments: str):
    return CliRunner().invoke(app, ["--root", str(place / "root"), "evaluate", *arguments])


def test_a_set_is_indexed_once_and_figures_are_written_in_every_form(place):
    files = {name: str(place / f"first.{name}") for name in ("json", "parquet", "html")}
    written = [part for name, file in files.items() for part in (f"--{name}", file)]
    first = evaluate(place, "--data", str(place / "stories"), "--modes", "classic,dense", *written)
    assert first.exit_code == 0, first.output
    figures = json.loads(Path(files["json"]).read_text("utf-8"))
    runs = {(run["set"], run["mode"]): run for run in figures["runs"]}
    assert runs["stories", "classic"]["n"] == 3
    assert runs["stories", "classic"]["metrics"]["recall@5"] == {"mean": 1, "low": 1, "high": 1, "n": 2}
    assert runs["stories", "dense"]["metrics"]["full_in_context"]["mean"] == 1
    assert "unanswerable" in runs["stories", "classic"]["by_type"]
    assert "order_in_story" in runs["stories/order_pairs", "dense"]["metrics"]
    assert "<svg" in Path(files["html"]).read_text("utf-8")

    again = evaluate(place, "stories-that-are-not", "--no-index")
    assert again.exit_code == 2 and "holds no questions" in again.output
    beside = evaluate(place, "--data", str(place / "stories"), "--no-index", "--with", files["parquet"])
    assert "classic (first)" in beside.output
    compared = evaluate(place, "--with", files["parquet"])
    assert compared.exit_code == 0 and "dense (first)" in compared.output


def test_an_index_of_another_layout_is_made_anew_without_embedding(place):
    arguments = ("--data", str(place / "stories"), "--modes", "dense", "--no-answers")
    evaluate(place, *arguments)
    (manifest,) = (place / "root").glob("*/versions/*/manifest.json")
    stated = json.loads(manifest.read_text("utf-8"))
    manifest.write_text(json.dumps(stated | {"schema_version": 0}), encoding="utf-8")
    again = evaluate(place, *arguments)
    assert again.exit_code == 0, again.output
    assert "made anew from what was embedded" in again.output
    assert "embed:" not in again.output


def test_what_is_asked_for_wrongly_is_told(place):
    stories = str(place / "stories")
    assert "name a folder" in evaluate(place).output
    assert "unknown mode" in evaluate(place, stories, "--modes", "best").output
    assert "goes with answers" in evaluate(place, stories, "--no-answers", "--judge", "m").output
