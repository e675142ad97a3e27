"""A strong model's recorded extractions and reports through both stages: the windows have exactly the recorded reports."""

import json
from pathlib import Path

from tests.data import shared
from tests.recordings import recorded_reports, recording_of, recording_of_reports
from tgrag.evaluate.recorded import read_recorded
from tgrag.graph.build import build
from tgrag.index.asking import Asking
from tgrag.index.extraction import extract_units
from tgrag.index.manifest import StageCost
from tgrag.index.plan import Plan
from tgrag.index.reports import Before, report_windows
from tgrag.settings import load_settings
from tgrag.store.root import open_root


def test_the_windows_have_the_recorded_reports(tmp_path: Path) -> None:
    folder = shared("recorded_ru")
    lines = [
        *recording_of(folder / "units.jsonl", folder / "extractions.jsonl"),
        *recording_of_reports(folder),
    ]
    recording = tmp_path / "recording.jsonl"
    recording.write_text("\n".join(json.dumps(line, ensure_ascii=False) for line in lines), encoding="utf-8")
    chat = {"backend": "recorded", "recording": str(recording)}
    settings = load_settings(root=str(tmp_path / "root"), profile="openai", chat=chat)
    units = read_recorded(folder).units
    root = open_root(settings.root)
    asking = Asking(root, "c", settings, {"recorded": "pd.txt"}, lambda line: None)
    extracted = extract_units(units, asking, Plan(), StageCost(seconds=0))
    assert (extracted.counts.llm, extracted.counts.failed) == (36, 0)
    graph = build(units, extracted.extractions, settings.windows)
    cost = StageCost(seconds=0)
    found = report_windows(graph.communities, units, extracted, asking, Plan(), Before, cost)
    assert (found.counts.llm, found.counts.extractive, cost.calls) == (3, 0, 3)
    said = {span.community_id: report for span, report in recorded_reports(folder)}
    assert {
        window.community_id: {"title": window.title, "summary": window.summary, "report": window.report}
        for window in found.communities
    } == said
