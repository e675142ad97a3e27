"""What is shown of who was taken for whom, why, and how to have it otherwise."""

import pytest
import yaml

from tests.unit.graph.test_build import WINDOWS, extraction, unit
from tgrag.graph.build import Graph, build
from tgrag.graph.wishes import Wishes
from tgrag.inspect.entities import Resolved, resolved, resolved_lines

STORY = ("Ракитин", "Степан Ильич Ракитин", "Павел Ильич Ракитин", "Маланья", "Ракитин")
UNITS = [unit(ordinal, chapter=str(ordinal + 1)) for ordinal in range(len(STORY))]


def graph(wishes: Wishes) -> Graph:
    extractions = {u.text_unit_id: extraction(u, [(STORY[u.ordinal], True)]) for u in UNITS}
    return build(UNITS, extractions, WINDOWS, wishes)


def shown(name: str | None = None, wishes: Wishes | None = None) -> Resolved:
    found = graph(wishes or Wishes())
    return resolved(found.entities, found.merges, UNITS, name)


def test_what_held_for_a_time_and_what_nearly_did() -> None:
    found = shown()
    assert found.clusters == []
    (join,) = found.withdrawn
    assert (join.name, join.other) == ("Ракитин", "Степан Ильич Ракитин")
    assert (join.since, join.until) == ("Книга 1, Глава 2", "Книга 1, Глава 3")
    assert {(m.name, m.other, m.reason) for m in found.near_misses} == {
        ("Ракитин", "Степан Ильич Ракитин", "several could be meant"),
        ("Ракитин", "Павел Ильич Ракитин", "several could be meant"),
    }


def test_a_wish_that_is_shown_can_be_written_as_it_is() -> None:
    (miss,) = (m for m in shown().near_misses if m.other.startswith("Павел"))
    (cluster,) = shown(wishes=Wishes(**yaml.safe_load(miss.wish))).clusters
    assert {name.name for name in cluster.names} == {"Ракитин", "Павел Ильич Ракитин"}
    (join,) = cluster.joins
    apart = Wishes(**yaml.safe_load(join.wish))
    together = [{name.name for name in cluster.names} for cluster in shown(wishes=apart).clusters]
    assert not any({join.name, join.other} <= names for names in together)


@pytest.mark.parametrize(("name", "misses"), [("павел", 1), ("Ракитин", 2), ("Маланья", 0)])
def test_only_what_has_the_name(name: str, misses: int) -> None:
    assert len(shown(name).near_misses) == misses


def test_no_more_lines_than_asked_for() -> None:
    lines = list(resolved_lines(shown(), 1))
    assert sum("?" in line for line in lines) == 1
    assert any("1 more" in line for line in lines)
