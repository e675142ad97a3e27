"""What the report of a window is made from: its own text units, in order, the important first when they are cut."""

import itertools
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tests.extraction import unit
from tgrag.graph.report_answer import report_schema
from tgrag.graph.reports import EntityFact, WindowFacts, report_request, window_facts, within
from tgrag.json_answers import most_tokens
from tgrag.records import ExtractedEntity, ExtractedRelationship, Extraction
from tgrag.settings import ReportSettings


def words(text: str) -> int:
    return len(text.split())


def extraction(n: int, *names: str, certain: bool = True) -> Extraction:
    entities = tuple(ExtractedEntity(name, "PERSON", f"{name} в части {n}.", certain) for name in names)
    pairs = itertools.pairwise(names)
    edges = tuple(ExtractedRelationship(a, b, "FACTUAL", f"{a} знает {b}, {n}.", 5) for a, b in pairs)
    return Extraction(f"d0-{n}", entities, edges)


UNITS = [unit(n) for n in range(3)]
SAID = {
    "d0-0": extraction(0, "Германн", "Томский"),
    "d0-1": extraction(1, "Германна", "Лиза"),
    "d0-2": extraction(2, "Германн"),
}


def test_facts_come_in_the_order_of_the_text_under_the_first_name() -> None:
    facts = window_facts(UNITS, SAID)
    assert [(f.name, f.description) for f in facts.entities] == [
        ("Германн", "Германн в части 0."),
        ("Томский", "Томский в части 0."),
        ("Германн", "Германна в части 1."),
        ("Лиза", "Лиза в части 1."),
        ("Германн", "Германн в части 2."),
    ]
    assert [(f.source, f.target, f.weight) for f in facts.relationships] == [
        ("Германн", "Томский", 5),
        ("Германн", "Лиза", 5),
    ]


def test_a_request_depends_on_its_window_alone() -> None:
    def request(units, said):
        return report_request(window_facts(units, said), ReportSettings(), "ru")

    moved = [
        replace(u, ordinal=u.ordinal + 7, chunk_index=u.chunk_index + 7, relative_position=0.5) for u in UNITS
    ]
    assert request(moved, SAID) == request(UNITS, SAID)
    assert request(UNITS, SAID | {"d0-9": extraction(9, "Германн", "Чекалинский")}) == request(UNITS, SAID)
    assert request(UNITS, SAID | {"d0-2": extraction(2, "Нарумов")}) != request(UNITS, SAID)
    text = request(UNITS, SAID).messages[-1].content
    assert "Повесть" in text and "Глава I" in text and "- Германн → Лиза (FACTUAL)" in text


def test_a_weak_name_counts_from_its_second_unit() -> None:
    once = {"d0-0": extraction(0, "Лужин", certain=False), "d0-1": extraction(1), "d0-2": extraction(2)}
    assert not window_facts(UNITS, once).entities
    twice = once | {"d0-2": extraction(2, "Лужин", certain=False)}
    assert len(window_facts(UNITS, twice).entities) == 2


def test_the_first_of_a_rare_entity_comes_before_the_tenth_of_a_frequent_one() -> None:
    facts = window_facts(UNITS, SAID)
    shown, used = within(replace(facts, relationships=()), 18, words)
    assert [f.description for f in shown.entities] == [
        "Германн в части 0.",
        "Германна в части 1.",
    ] and used <= 18
    shown, _ = within(replace(facts, relationships=()), 30, words)
    assert {f.name for f in shown.entities} >= {"Германн", "Томский"}


@given(st.lists(st.integers(1, 9), max_size=30), st.integers(0, 200))
def test_what_is_shown_fits_and_keeps_its_order(weights: list[int], budget: int) -> None:
    entities = tuple(EntityFact(f"N{n}", "PERSON", "слово " * w, float(w)) for n, w in enumerate(weights))
    facts = WindowFacts("", (), "ru", entities, ())
    shown, used = within(facts, budget, words)
    assert used == sum(words(f.line) for f in shown.entities) <= budget
    assert [f for f in entities if f in shown.entities] == list(shown.entities)
    if sum(words(f.line) for f in entities) <= budget:
        assert shown == facts


@given(st.integers(400, 20_000))
def test_the_longest_report_fits(tokens: int) -> None:
    assert most_tokens(report_schema(ReportSettings(max_answer_tokens=tokens))) <= tokens
