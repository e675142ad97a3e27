import ast
import json
from pathlib import Path

import pytest

from tgrag.metrics import METRICS, PREFIX, dashboard, query_of, tell

REPOSITORY = Path(__file__).parents[2]


def test_the_dashboard_in_the_repository_shows_every_metric_and_nothing_else() -> None:
    written = json.loads((REPOSITORY / "docker/grafana/tgrag.json").read_text(encoding="utf-8"))
    assert written == dashboard()
    shown = [panel for panel in written["panels"] if panel["type"] != "row"]
    asked = [panel["targets"][0]["expr"] for panel in shown]
    assert asked == [query_of(metric) for metric in METRICS.values()]
    assert all(PREFIX + name in query for name, query in zip(METRICS, asked, strict=True))


def test_panels_do_not_cover_each_other() -> None:
    cells = [
        (x, y)
        for place in (panel["gridPos"] for panel in dashboard()["panels"])
        for x in range(place["x"], place["x"] + place["w"])
        for y in range(place["y"], place["y"] + place["h"])
    ]
    assert len(cells) == len(set(cells)) and max(x for x, _ in cells) < 24


def test_the_guide_names_every_metric_with_its_labels() -> None:
    guide = (REPOSITORY / "docs/observability.md").read_text(encoding="utf-8")
    rows = {tuple(cell.strip() for cell in line.strip("|").split("|")) for line in guide.splitlines()}
    for metric in METRICS.values():
        labels = ", ".join(f"`{label}`" for label in metric.labels)
        assert (f"`{metric.name}`", metric.kind, metric.unit, labels, metric.told) in rows
    assert sum(len(row) == 5 and row[0].startswith("`tgrag_") for row in rows) == len(METRICS)


def test_each_is_told_somewhere_and_nothing_else_is() -> None:
    named = [
        call.args[0].value
        for path in (REPOSITORY / "tgrag").rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "tell"
        if call.args and isinstance(call.args[0], ast.Constant)
    ]
    assert set(named) == set(METRICS)


def test_what_is_told_wrongly_is_an_error_and_outside_of_ray_nothing_happens() -> None:
    tell("tgrag_dead_letters", 2, collection="shelf")
    with pytest.raises(KeyError, match="labels"):
        tell("tgrag_dead_letters", question="Кто?")
    with pytest.raises(KeyError):
        tell("tgrag_unheard_of")
