"""A recording for the recorded chat model, from the development data."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def recording_of(units: Path, extractions: Path) -> Iterator[dict[str, Any]]:
    """Return the lines of a recording (see RecordedChat): each unit's text with its extraction as the answer."""
    texts = {unit["id"]: unit["text"] for unit in _lines(units)}
    for said in _lines(extractions):
        answer = {"entities": said["entities"], "relationships": said["relationships"]}
        yield {"text": texts[said["id"]], "answer": answer}


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    return map(json.loads, file.read_text(encoding="utf-8").splitlines())
