"""The graph is causal: what is known at N is the graph of the text cut at N."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tgrag.graph.build import Graph, build
from tgrag.records import ExtractedEntity, ExtractedRelationship, Extraction, TextUnit
from tgrag.settings import WindowSettings

NAMES = ("Анна", "Борис", "Германн", "Вера", "Париж", "старая графиня")
WINDOWS = WindowSettings(size=4, overlap=1, max_members=3)


def unit(ordinal: int, *, series: str = "s", book: int = 1, chapter: str = "1") -> TextUnit:
    return TextUnit(
        text_unit_id=f"{series}-{ordinal}",
        document_id=f"{series}-document",
        series_id=series,
        book_number=book,
        book_title=f"Книга {book}",
        chapter_id=chapter,
        headings=(f"Глава {chapter}",),
        ordinal=ordinal,
        chunk_index=0,
        relative_position=0.0,
        page_numbers=(),
        fragments=(),
        start=0,
        end=0,
        n_tokens=1,
        language="ru",
        date=None,
        text="",
    )


def extraction(unit: TextUnit, mentions: list[tuple[str, bool]]) -> Extraction:
    description = f"Здесь {', '.join(name for name, _ in mentions)}, {unit.ordinal}."
    return Extraction(
        unit.text_unit_id,
        tuple(ExtractedEntity(name, "PERSON", description, certain) for name, certain in mentions),
        tuple(
            ExtractedRelationship(a[0], b[0], "CO_OCCURS", description)
            for i, a in enumerate(mentions)
            for b in mentions[i + 1 :]
        ),
    )


@st.composite
def series(draw: st.DrawFn) -> tuple[list[TextUnit], dict[str, Extraction]]:
    units: list[TextUnit] = []
    for book in range(1, draw(st.integers(1, 3)) + 1):
        for chapter in range(1, draw(st.integers(1, 3)) + 1):
            for _ in range(draw(st.integers(1, 5))):
                units.append(unit(len(units), book=book, chapter=str(chapter)))
    mentions = st.lists(st.tuples(st.sampled_from(NAMES), st.booleans()), max_size=4)
    return units, {u.text_unit_id: extraction(u, draw(mentions)) for u in units}


def known_at(graph: Graph, limit: int) -> dict[str, Any]:
    """What a reader knows at an ordinal: rows known by then, their lists cut, whole-text statistics left out."""
    return {
        "entities": {
            e.entity_id: (e.name, e.type, e.known_from, [a for a in e.aliases if a.known_from <= limit])
            for e in graph.entities
            if e.known_from <= limit
        },
        "states": {
            s.state_id: (s.key, s.known_from, [d for d in s.descriptions if d.ordinal <= limit])
            for s in graph.states
            if s.known_from <= limit
        },
        "relationships": {
            r.relationship_id: (
                r.source_name,
                r.target_name,
                r.type,
                [e for e in r.evidence if e.ordinal <= limit],
            )
            for r in graph.relationships
            if r.known_from <= limit
        },
        "communities": {c for c in graph.communities if c.known_from <= limit},
    }


@settings(max_examples=150, deadline=None)
@given(series(), st.integers(0, 40))
def test_the_graph_of_a_cut_text_is_the_graph_known_at_the_cut(
    data: tuple[list[TextUnit], dict[str, Extraction]], limit: int
) -> None:
    units, extractions = data
    cut = [u for u in units if u.ordinal <= limit]
    assert known_at(build(units, extractions, WINDOWS), limit) == known_at(
        build(cut, extractions, WINDOWS), limit
    )


@settings(max_examples=50, deadline=None)
@given(series())
def test_rows_fit_together(data: tuple[list[TextUnit], dict[str, Extraction]]) -> None:
    units, extractions = data
    graph = build(units, extractions, WINDOWS)
    entities, states = {e.entity_id for e in graph.entities}, {s.state_id: s for s in graph.states}
    assert len(entities) == len(graph.entities) and len(states) == len(graph.states)
    assert {s.entity_id for s in graph.states} == entities
    for edge in graph.relationships:
        assert {edge.source_id, edge.target_id} <= entities
        assert {edge.source_state_id, edge.target_state_id} <= set(states)
        assert edge.source_id < edge.target_id
    for community in graph.communities:
        assert len(community.members) <= WINDOWS.max_members
        firsts = [states[m].first_ordinal for m in community.members]
        assert all(community.first_ordinal <= states[m].last_ordinal for m in community.members)
        assert all(first <= community.last_ordinal for first in firsts)


def test_a_weak_name_is_known_from_its_second_unit() -> None:
    units = [unit(n) for n in range(3)]
    mentions = [[("Вера", False)], [("Анна", True)], [("Вера", False), ("Борис", False)]]
    graph = build(
        units, {u.text_unit_id: extraction(u, m) for u, m in zip(units, mentions, strict=True)}, WINDOWS
    )
    assert {e.name: e.known_from for e in graph.entities} == {"Вера": 2, "Анна": 1}
    assert graph.health.weak_names == 1
    (vera,) = (s for s in graph.states if s.name == "Вера")
    assert vera.known_from == 2 and [d.ordinal for d in vera.descriptions] == [0, 2]


def test_one_name_in_two_series_is_two_entities() -> None:
    units = [unit(0, series="a"), unit(0, series="b")]
    graph = build(units, {u.text_unit_id: extraction(u, [("Анна", True)]) for u in units}, WINDOWS)
    assert len(graph.entities) == 2
    assert graph.health.duplicate_rate == 0.0


def test_strength_grows_with_evidence() -> None:
    units = [unit(n) for n in range(12)]
    both = [("Анна", True), ("Борис", True)]
    graph = build(units, {u.text_unit_id: extraction(u, both) for u in units}, WINDOWS)
    (edge,) = graph.relationships
    assert edge.strength == 7 and edge.weight == 0.7 and len(edge.evidence) == 12  # 1 - 0.9^12 = 0.718
    assert {e.degree for e in graph.entities} == {1}
    assert (graph.health.nodes, graph.health.edges, graph.health.components) == (2, 1, 1)


def test_nothing_gives_nothing() -> None:
    graph = build([], {}, WINDOWS)
    assert (graph.entities, graph.states, graph.relationships, graph.communities) == ([], [], [], [])
    assert graph.health.nodes == 0


def test_the_order_of_the_extractions_does_not_matter() -> None:
    units = [unit(n) for n in range(6)]
    extractions = {
        u.text_unit_id: extraction(u, [(NAMES[u.ordinal % 3], True), ("Вера", False)]) for u in units
    }
    backwards = dict(reversed(extractions.items()))
    assert build(units, extractions, WINDOWS) == build(units, backwards, WINDOWS)
