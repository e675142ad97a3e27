import json

import pytest

from tgrag.evaluate.extraction import extract_llm, main, score
from tgrag.evaluate.recorded import Clusters, Recorded, text_unit
from tgrag.records import ExtractedEntity, ExtractedRelationship, Extraction
from tgrag.settings import load_settings

FORMS = {
    "графиня": ["графиня", "старуха", "бабушка"],
    "Германн": ["Германн", "молодой человек"],
    "гости": ["молодые люди"],
    "карты": ["три карты"],
}
CLUSTERS = Clusters(FORMS, "ru")


def extraction(entities, relationships=(), unit="u"):
    return Extraction(
        unit,
        tuple(ExtractedEntity(name, type, "…") for name, type in entities),
        tuple(ExtractedRelationship(a, b, type, "…") for a, b, type in relationships),
    )


RECORD = extraction(
    [("графиня", "PERSON"), ("Германн", "PERSON"), ("три карты", "CONCEPT")],
    [("Германн", "графиня", "NARRATIVE"), ("графиня", "три карты", "FACTUAL")],
)
RECORDED = Recorded((text_unit(0, "u", "Германн умолял графиню.", "ru"),), {"u": RECORD}, CLUSTERS)


@pytest.mark.parametrize(
    ("name", "cluster"),
    [("Старуха", "графиня"), ("графиней", "графиня"), ("Германна", "Германн"), ("молодые люди", "гости")],
)
def test_a_name_belongs_to_the_cluster_of_its_form_or_key(name, cluster):
    assert CLUSTERS.of(name) == cluster


def test_of_several_clusters_the_expected_one_is_meant():
    assert CLUSTERS.of("молодых людей", ["Германн"]) == "Германн"
    assert CLUSTERS.of("молодых людей", ["гости"]) == "гости"


def test_names_of_no_cluster_meet_in_their_key():
    assert CLUSTERS.of("Томского") == CLUSTERS.of("Томский") not in FORMS


def test_the_record_itself_is_perfect():
    found = score({"u": RECORD}, RECORDED)
    assert found.entities.f1 == found.relationships.f1 == 1
    assert found.same_type == found.relationships.found == 2


def test_what_is_missing_costs_recall_and_what_is_more_costs_precision():
    given = extraction(
        [("старухи", "PERSON"), ("бабушка", "CONCEPT"), ("Германном", "PLACE"), ("свеча", "OBJECT")],
        [
            ("бабушка", "Германном", "FACTUAL"),
            ("старухи", "бабушка", "FACTUAL"),
            ("свеча", "старухи", "FACTUAL"),
        ],
    )
    found = score({"u": given}, RECORDED)
    assert (found.entities.extracted, found.entities.right) == (3, 2)
    assert (found.entities.recorded, found.entities.found) == (3, 2)
    assert found.entity_types["PLACE"].precision == 1 and found.entity_types["CONCEPT"].recall == 0
    assert (found.relationships.precision, found.relationships.recall) == (1 / 2, 1 / 2)
    assert found.same_type == 0


def test_a_unit_without_an_extraction_is_missed_not_left_out():
    found = score({}, RECORDED)
    assert found.entities.recall == found.relationships.recall == 0
    assert found.entities.precision is None and found.entities.f1 is None


def folder(tmp_path):
    lines = {"units.jsonl": {"id": "u", "text": "Германн умолял графиню."}, "extractions.jsonl": ANSWER}
    for name, line in lines.items():
        (tmp_path / name).write_text(json.dumps({"id": "u"} | line) + "\n", encoding="utf-8")
    clusters = [{"canonical": name, "type": "PERSON", "forms": forms} for name, forms in FORMS.items()]
    (tmp_path / "entity_resolution.json").write_text(json.dumps({"clusters": clusters}), encoding="utf-8")
    return tmp_path


ANSWER = {
    "entities": [
        {"name": "Германн", "type": "PERSON", "description": "Просил."},
        {"name": "графиня", "type": "PERSON", "description": "Молчала."},
    ],
    "relationships": [
        {
            "source": "Германн",
            "target": "графиня",
            "description": "Умолял.",
            "type": "NARRATIVE",
            "strength": 8,
        }
    ],
}


def test_fast_extraction_is_scored_on_the_command_line(tmp_path, capsys):
    main([str(folder(tmp_path)), "--method", "fast"])
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "fast: 1 of 1 units"
    assert any(line.split()[:2] == ["entities", "2"] for line in said)


async def _of_the_model(tmp_path, answer):
    recording = tmp_path / "recording.jsonl"
    recording.write_text(json.dumps({"text": "Германн умолял графиню.", "answer": answer}), encoding="utf-8")
    settings = load_settings(chat={"backend": "recorded", "recording": str(recording)})
    return await extract_llm(RECORDED.units, settings)


@pytest.mark.parametrize(("answer", "n_units", "n_failed"), [(ANSWER, 1, 0), ("Не знаю.", 0, 1)])
def test_a_chat_model_is_scored_and_its_failures_are_told(tmp_path, answer, n_units, n_failed):
    import asyncio

    found, failed = asyncio.run(_of_the_model(tmp_path, answer))
    assert (len(found), failed.total()) == (n_units, n_failed)
