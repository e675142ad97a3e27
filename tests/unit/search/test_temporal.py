import pytest

from tests.unit.search.graphs import ToyEmbedder, ToyTokenizer
from tgrag.search.context import SEPARATOR, ItemWriter, fill, in_story_order, render
from tgrag.search.engine import Engine
from tgrag.search.horizon import resolve_as_of
from tgrag.search.question import read_question
from tgrag.search.requests import QueryRequest
from tgrag.search.temporal import choose_communities, choose_relationships, choose_units, rank_states
from tgrag.search.view import View
from tgrag.settings import SearchSettings, SignalSettings

SETTINGS = SearchSettings(entities=3)


@pytest.fixture(scope="module")
def view(snapshot):
    return View(snapshot, resolve_as_of(snapshot, None, []))


@pytest.fixture(scope="module")
def question(view):
    text = "Что сделал Гаврила?"
    return read_question(text, ToyEmbedder().embed_queries([text])[0], view)


@pytest.fixture(scope="module")
def states(view, question):
    return rank_states(question, view, SETTINGS).head(SETTINGS.entities).rows.tolist()


def test_states_of_the_named_entity_come_first(view, states):
    assert len(states) == 3
    assert {s.name for s in view.entity_states(states[:2])} == {"Гаврила"}
    assert {s.book_title for s in view.entity_states(states[:2])} == {"Маяк на скале", "Рижский гость"}


def test_relationships_inside_the_chosen_entities_come_first_then_by_time(view, states):
    chosen = {view.entity_of(state) for state in states}
    edges = choose_relationships(states, view, 10)
    inside = [set(view.entities_of_edge(edge)) <= chosen for edge in edges]
    assert inside == sorted(inside, reverse=True)
    for group in (True, False):
        times = [edge for edge, within in zip(edges, inside, strict=True) if within == group]
        assert times == sorted(times)
    assert len(choose_relationships(states, view, 1)) <= len(states)


def test_communities_are_those_with_most_of_the_states(view, states):
    without_vector = read_question("Что сделал Гаврила?", None, view)
    best = choose_communities(without_vector, states, view, 5)
    members = [set(window.members) for window in view.windows(best.rows.tolist())]
    chosen = {state.state_id for state in view.entity_states(states)}
    overlaps = [len(chosen & group) for group in members]
    assert overlaps == best.scores.tolist() == sorted(overlaps, reverse=True)
    assert overlaps[0] > 0
    assert len(choose_communities(without_vector, [], view, 5)) == 0


def test_a_community_is_also_found_by_its_own_vector(view, question):
    assert len(choose_communities(question, [], view, 2)) == 2


def test_each_step_says_what_it_was_given_and_what_it_chose(snapshot):
    engine = Engine(snapshot, ToyEmbedder(), ToyTokenizer(), SearchSettings())
    asked = QueryRequest(question="Что сделал Гаврила?", explain=True)
    found = engine.retrieve(asked)
    steps = {step.step: step for step in found.steps}
    assert {"hints", "entities", "relationships", "communities", "text_units", "context"} <= steps.keys()
    assert steps["relationships"].inputs == steps["entities"].outputs
    assert [c.id for c in steps["context"].outputs]
    assert {c.id for c in steps["text_units"].outputs} >= {
        item.id for item in found.items if item.kind == "text_unit"
    }
    assert engine.query(asked).steps == found.steps
    assert engine.retrieve(asked.model_copy(update={"explain": False})).steps is None


def test_units_that_the_states_rest_on_are_raised(view, question, states):
    def scores(evidence_of, **weights):
        off = dict.fromkeys(SignalSettings.model_fields, 0.0)
        settings = SETTINGS.model_copy(
            update={"classic_units": 0, "signals": SignalSettings(**off | weights)}
        )
        return choose_units(question, evidence_of, view, settings, None).ranking.as_dict()

    evidence = set(view.units_of(states).tolist())
    without = scores([])
    raised = scores(states, evidence=0.5)
    assert evidence
    assert all(raised[row] > without[row] for row in evidence)
    assert all(raised[row] == without[row] for row in raised.keys() - evidence)
    assert scores(states, evidence=0.0) == without


def test_a_description_that_the_text_holds_is_not_told_again(snapshot):
    settings = SearchSettings(budget_tokens=200, entities_share=0.5, communities=0)
    found = Engine(snapshot, ToyEmbedder(), ToyTokenizer(), settings).retrieve(
        QueryRequest(question="Что сделал Гаврила?")
    )
    text = " ".join(item.text for item in found.items if item.kind == "text_unit")
    lines = [item for item in found.items if item.kind in ("entity", "relationship")]
    told = [part for item in lines for part in item.text.partition(": ")[2].split(SEPARATOR)]
    assert told
    assert not [part for part in told if part in text]
    assert len(told) == len(set(told))


@pytest.mark.parametrize("budget", [200, 300, 1000])
def test_the_context_keeps_to_its_budget_and_to_story_order(snapshot, budget):
    engine = Engine(snapshot, ToyEmbedder(), ToyTokenizer(), SearchSettings(budget_tokens=budget))
    found = engine.retrieve(QueryRequest(question="Что сделал Гаврила?"))
    assert 0 < ToyTokenizer().count(found.context) <= found.n_tokens <= budget
    assert "text_unit" in {item.kind for item in found.items}
    places = [(item.series, item.first_ordinal) for item in found.items]
    assert places == sorted(places)
    for item in found.items:
        assert f"[{item.label}] {item.text}" in found.context
        assert item.book in item.label
        assert all(heading in item.label for heading in item.chapter.split(" / "))


def test_what_one_part_leaves_goes_to_the_next(snapshot):
    def texts(**shares):
        engine = Engine(
            snapshot,
            ToyEmbedder(),
            ToyTokenizer(),
            SearchSettings(budget_tokens=200, communities=0, **shares),
        )
        items = engine.retrieve(QueryRequest(question="Что сделал Гаврила?")).items
        return sum(item.n_tokens for item in items if item.kind == "text_unit")

    assert texts(entities=1, relationships_per_entity=1) > texts(entities=15, relationships_per_entity=10)


def test_section_titles_are_in_the_language_of_the_question(view, question):
    writer = ItemWriter(view, ToyTokenizer(), ToyTokenizer.name)
    items = [writer.text_unit(unit, 1.0) for unit in view.text_units([1, 0])]
    lines = [f"[{item.label}] {item.text}" for item in items]
    assert render(in_story_order(items), "uk") == "\n".join(["# Текст", lines[1], lines[0]])
    assert render(items, "en").startswith("# Text\n")
    assert render([], "ru") == ""


def test_an_item_too_long_for_the_budget_makes_way_for_the_next(view, question):
    writer = ItemWriter(view, ToyTokenizer(), ToyTokenizer.name)
    items = sorted((writer.text_unit(u, 1.0) for u in view.text_units(range(5))), key=lambda i: -i.n_tokens)
    kept, left = fill(items, items[-1].n_tokens)
    assert kept == [items[-1]] or kept[0].n_tokens == items[-1].n_tokens
    assert left == 0
