"""Recorded extractions to compare with: a strong model's, and which of its names mean the same.

A folder of them holds ``units.jsonl`` (id, text), ``extractions.jsonl`` (id, entities, relationships: what the model
answered) and ``entity_resolution.json`` (clusters: canonical, forms).
"""

import json
from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tgrag.extract.keys import lemma_key
from tgrag.extract.llm import read_graph, to_extraction
from tgrag.language import detect, fold
from tgrag.records import Extraction, Language, TextUnit


class Clusters:
    """Which names mean the same. A lemma key may belong to several clusters («молодой человек», «молодые люди»)."""

    def __init__(self, forms: Mapping[str, Sequence[str]], language: Language) -> None:
        self._language = language
        self._by_form = {fold(form): name for name, cluster in forms.items() for form in cluster}
        self._by_key: defaultdict[str, set[str]] = defaultdict(set)
        for name, cluster in forms.items():
            for form in cluster:
                for key in self._keys(form):
                    self._by_key[key].add(name)

    def of(self, name: str, expected: Container[str] = ()) -> str:
        """Return the cluster of a name, of several the one that is expected; a name of none is its own."""
        exact = self._by_form.get(fold(name))
        if exact:
            return exact
        found = sorted({cluster for key in self._keys(name) for cluster in self._by_key.get(key, ())})
        wanted = [cluster for cluster in found if cluster in expected]
        return next(iter(wanted or found), f"= {self._keys(name)[0]}")

    def _keys(self, name: str) -> tuple[str, str]:
        return lemma_key(name, "NAME", self._language), lemma_key(name, "CONCEPT", self._language)


@dataclass(frozen=True, slots=True)
class Recorded:
    """units: in order, with their text. extractions: by unit."""

    units: tuple[TextUnit, ...]
    extractions: Mapping[str, Extraction]
    clusters: Clusters


def read_recorded(folder: Path) -> Recorded:
    """Read a folder of recorded answers."""
    stated = _jsonl(folder / "units.jsonl")
    language = detect("\n".join(unit["text"] for unit in stated))
    units = tuple(text_unit(place, unit["id"], unit["text"], language) for place, unit in enumerate(stated))
    extractions = {
        line["id"]: to_extraction(line["id"], [read_graph(json.dumps(line))], language)[0]
        for line in _jsonl(folder / "extractions.jsonl")
    }
    resolution = json.loads((folder / "entity_resolution.json").read_text(encoding="utf-8"))
    forms = {cluster["canonical"]: cluster["forms"] for cluster in resolution["clusters"]}
    return Recorded(units, extractions, Clusters(forms, language))


def text_unit(
    place: int, unit_id: str, text: str, language: Language, title: str = "", headings: tuple[str, ...] = ()
) -> TextUnit:
    """Return a unit of a document of its own kind: of no series, with a place and a text."""
    return TextUnit(
        text_unit_id=unit_id,
        document_id="recorded",
        series_id="recorded",
        book_number=1,
        book_title=title,
        chapter_id="0",
        headings=headings,
        ordinal=place,
        chunk_index=place,
        relative_position=0.0,
        page_numbers=(),
        fragments=(),
        start=0,
        end=len(text),
        n_tokens=0,
        language=language,
        date=None,
        text=text,
    )


def _jsonl(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
