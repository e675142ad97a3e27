"""A recording for the recorded chat model, from the development data."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tgrag.evaluate.recorded import read_recorded
from tgrag.graph.reports import report_request, window_facts, within
from tgrag.graph.windows import WindowSpan, window_spans
from tgrag.models.tokenizer import tokenizer
from tgrag.settings import ReportSettings, Settings, WindowSettings


def recording_of(units: Path, extractions: Path) -> Iterator[dict[str, Any]]:
    """Return the lines of a recording (see RecordedChat): each unit's text with its extraction as the answer."""
    texts = {unit["id"]: unit["text"] for unit in _lines(units)}
    for said in _lines(extractions):
        answer = {"entities": said["entities"], "relationships": said["relationships"]}
        yield {"text": texts[said["id"]], "answer": answer}


def recorded_reports(folder: Path) -> Iterator[tuple[WindowSpan, dict[str, Any]]]:
    """Return the recorded reports, each with its window over the recorded units.

    A report is of the window from one unit to another, so it fits a pipeline whose units are the recorded ones and
    whose windows are 20 units with an overlap of 5.
    """
    spans = {
        (span.units[0].text_unit_id, span.units[-1].text_unit_id): span
        for span in window_spans(read_recorded(folder).units, WindowSettings())
    }
    for line in _lines(folder / "reports.jsonl"):
        first, last = line.pop("window")
        yield spans[first, last], line


def recording_of_reports(folder: Path) -> Iterator[dict[str, Any]]:
    """Return the lines of a recording: of each window what its report is made from, with the report as the answer."""
    extractions = read_recorded(folder).extractions
    count = tokenizer(Settings().chunk.tokenizer).count
    for span, report in recorded_reports(folder):
        facts, _ = within(window_facts(span.units, extractions), ReportSettings().max_input_tokens, count)
        said = report_request(facts, ReportSettings(), facts.language).messages[-1].content
        shown = said.split("<entities>")[1].split("</relationships>")[0]
        yield {"text": shown, "answer": report}


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    return map(json.loads, file.read_text(encoding="utf-8").splitlines())
