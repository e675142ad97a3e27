"""What is made of the nodes' answers; that they are asked is tested with two real nodes."""

from collections.abc import Callable

import pytest

from tgrag import shared_root
from tgrag.errors import ConfigurationError
from tgrag.nodes import Node, Said

HEAD, OTHER, THIRD = (Node(name, name, 0) for name in ("head", "other", "third"))


@pytest.fixture
def nodes(monkeypatch: pytest.MonkeyPatch) -> list[Node]:
    alive = [HEAD, OTHER]
    monkeypatch.setattr(shared_root, "alive_nodes", lambda: list(alive))
    monkeypatch.setattr(shared_root, "_seen", {})
    return alive


def answer(
    monkeypatch: pytest.MonkeyPatch, *said: Said[bool], meanwhile: Callable[[], None] = lambda: None
) -> list[Node]:
    """Let the nodes answer so; return those that are asked."""
    asked: list[Node] = []

    def who_sees(_: str, nodes: list[Node]) -> list[Said[bool]]:
        asked.extend(nodes)
        meanwhile()
        return [one for one in said if one.node in nodes]

    monkeypatch.setattr(shared_root, "who_sees", who_sees)
    return asked


def test_a_node_that_does_not_see_the_root_is_named(
    monkeypatch: pytest.MonkeyPatch, nodes: list[Node]
) -> None:
    answer(monkeypatch, Said(HEAD, True), Said(OTHER, False))
    with pytest.raises(ConfigurationError, match="not shared by all 2 nodes: other does not see it"):
        shared_root.require_shared("/root")


def test_a_node_that_dies_while_it_is_asked_stops_nothing(
    monkeypatch: pytest.MonkeyPatch, nodes: list[Node]
) -> None:
    said = (Said(HEAD, True), Said(OTHER, True), Said(THIRD, fault="The node has died"))
    nodes.append(THIRD)
    asked = answer(monkeypatch, *said, meanwhile=lambda: nodes.remove(THIRD))
    shared_root.require_shared("/root")
    shared_root.require_shared("/root")
    assert asked == [HEAD, OTHER, THIRD], "those that have answered are not asked again"


def test_a_new_node_is_asked_alone(monkeypatch: pytest.MonkeyPatch, nodes: list[Node]) -> None:
    asked = answer(monkeypatch, Said(HEAD, True), Said(OTHER, True), Said(THIRD, False))
    shared_root.require_shared("/root")
    nodes.append(THIRD)
    with pytest.raises(ConfigurationError, match="third"):
        shared_root.require_shared("/root")
    assert asked == [HEAD, OTHER, THIRD]
