"""A strong model's recorded answers, replayed: the extractions and the graph are what the records say."""

import json
from dataclasses import replace

import pytest

from tests.data import shared
from tgrag.evaluate.extraction import extract_fast, score
from tgrag.evaluate.recorded import Recorded, read_recorded
from tgrag.extract.graph_answer import read_graph
from tgrag.extract.llm import Tally, to_extraction
from tgrag.graph.aggregate import entity_states, relationships
from tgrag.graph.resolve import resolve
from tgrag.settings import Settings


def _answers():
    lines = shared("recorded_ru", "extractions.jsonl").read_text(encoding="utf-8").splitlines()
    return {answer["id"]: answer for answer in map(json.loads, lines)}


@pytest.fixture(scope="module")
def recorded() -> Recorded:
    return read_recorded(shared("recorded_ru"))


@pytest.mark.parametrize("form", ["plain", "fenced", "ascii", "trailing commas"])
def test_nothing_of_an_answer_is_dropped_and_nothing_invented(form):
    answers = _answers()
    assert len(answers) == 36
    for unit_id, answer in answers.items():
        text = json.dumps(answer, ensure_ascii=form == "ascii", indent=1)
        if form == "fenced":
            text = f"Ответ:\n```json\n{text}\n```"
        if form == "trailing commas":
            text = text.replace("\n ]", ",\n ]")
        extraction, tally = to_extraction(unit_id, [read_graph(text)], "ru")
        assert tally == Tally()
        assert [(e.name, e.type, e.description) for e in extraction.entities] == [
            (e["name"], e["type"].replace("LOCATION", "PLACE"), e["description"]) for e in answer["entities"]
        ]
        assert [
            (r.source, r.target, r.type, r.description, r.strength) for r in extraction.relationships
        ] == [
            (r["source"], r["target"], r["type"], r["description"], r["strength"])
            for r in answer["relationships"]
        ]


def test_the_graph_is_what_the_records_say(recorded):
    resolution = resolve(recorded.units, recorded.extractions)
    states = entity_states(resolution.entities, resolution.mentions)
    rows = relationships(recorded.units, recorded.extractions, resolution)
    said = {(unit, e.description) for unit, x in recorded.extractions.items() for e in x.entities}
    told = {(e.text_unit_id, e.text) for state in states for e in state.descriptions}
    assert told == said
    said = {
        (unit, r.type, r.description) for unit, x in recorded.extractions.items() for r in x.relationships
    }
    told = {(e.text_unit_id, row.type, e.text) for row in rows for e in row.evidence}
    assert told == said
    assert resolution.n_weak == 0


def test_the_scorer_finds_the_records_perfect_and_sees_each_loss(recorded):
    perfect = score(recorded.extractions, recorded)
    assert perfect.entities.f1 == perfect.relationships.f1 == 1
    assert perfect.same_type == perfect.relationships.found
    first = recorded.units[0].text_unit_id
    less = replace(recorded.extractions[first], entities=recorded.extractions[first].entities[1:])
    assert score({**recorded.extractions, first: less}, recorded).entities.recall < 1


def test_fast_extraction_finds_people_better_than_notions(recorded):
    found = score(extract_fast(recorded.units, Settings()), recorded)
    assert found.entity_types["PERSON"].recall > 0.75
    assert found.entities.recall > 0.5
    assert found.entity_types["CONCEPT"].recall < 0.3
