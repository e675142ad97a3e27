"""Names of whole books, clustered by hand, against resolution without a language model."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.data import shared
from tests.pipeline import Pipeline, parsed
from tgrag.chunk import chunk
from tgrag.evaluate.entities import PairScore, score_pairs
from tgrag.extract.fast import extract
from tgrag.extract.keys import lemma_key
from tgrag.graph.components import components
from tgrag.graph.identity import merges
from tgrag.graph.naming import person_name
from tgrag.graph.order import PlacedChunks, text_units
from tgrag.graph.resolve import resolve
from tgrag.graph.wishes import NO_WISHES, Wished
from tgrag.ingest.collection import ParsedSource, place
from tgrag.records import NEVER, Language

LABELS = sorted((Path(__file__).parent / "entities").glob("*.yaml"))
RECALL = {
    "dandy_dick": 0.60,
    "evangelie": 0.94,
    "geroy": 0.90,
    "kapitanskaya": 0.95,
    "leagues": 0.95,
    "pen_pictures": 0.75,
    "pikovaya": 0.80,
}


def resolved(labels: dict[str, Any]) -> dict[str, str]:
    """Return for each labelled name that occurs the entity that stands for it at the end of the book."""
    pipeline = Pipeline()
    name, document = parsed(shared(*labels["text"]))
    (placement,) = place([ParsedSource(name, document)], None)
    chunks = chunk(name, document, placement.language, pipeline.settings.chunk)
    units = text_units([PlacedChunks(name, placement, chunks)])
    extractions = {
        unit.text_unit_id: extract(unit.text_unit_id, unit.text, unit.language, pipeline.settings.extract)
        for unit in units
    }
    found = resolve(units, extractions)
    rows = merges(units, extractions, found, Wished(NO_WISHES, found.entities.values()))
    standing = [m for m in rows if m.decision == "merge" and m.known_until == NEVER]
    one = components(found.entities, ((m.source_id, m.target_id) for m in standing))
    by_key = {entity.lemma_key: entity.entity_id for entity in found.entities.values()}
    by_name = {m.extracted.name: m.entity_id for m in found.mentions}
    names = [form for forms in labels["clusters"] for form in forms]
    inside = {}
    for label in names:
        start = label[: max(3, len(label) - 4)]
        said = Counter(
            m.entity_id
            for m in found.mentions
            if m.extracted.name.startswith(start)
            and label in m.extracted.description
            and len(m.extracted.name.split()) == len(label.split())
        )
        if said:
            inside[label] = said.most_common(1)[0][0]
    language = labels["language"]
    untitled: dict[tuple[str, ...], str] = {}
    for entity in found.entities.values():
        untitled.setdefault(without_titles(entity.lemma_key, language), entity.entity_id)
    result = {}
    for label in names:
        key = lemma_key(label, "PERSON", language)
        meant = (
            by_name.get(label)
            or inside.get(label)
            or by_key.get(key)
            or untitled.get(without_titles(key, language))
        )
        if meant in one:
            result[label] = one[meant]
    return result


def without_titles(lemma_key: str, language: Language) -> tuple[str, ...]:
    person = person_name(lemma_key, "PERSON", language)
    return person.words if person else (lemma_key,)


def score(file: Path) -> PairScore:
    labels = yaml.safe_load(file.read_text(encoding="utf-8"))
    return score_pairs(labels["clusters"], resolved(labels))


@pytest.mark.parametrize("file", LABELS, ids=lambda file: file.stem)
def test_names_of_a_book(file: Path) -> None:
    found = score(file)
    assert found.precision >= 0.98, found.wrong
    assert found.recall >= RECALL[file.stem], found.missed
