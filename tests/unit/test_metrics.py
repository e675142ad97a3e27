import json
from pathlib import Path

import pytest

from tgrag.metrics import METRICS, PREFIX, dashboard, query_of, tell

REPOSITORY = Path(__file__).parents[2]


def test_the_dashboard_in_the_repository_shows_every_metric_and_nothing_else() -> None:
    written = json.loads((REPOSITORY / "docker/grafana/tgrag.json").read_text(encoding="utf-8"))
    assert written == dashboard()
    asked = [panel["targets"][0]["expr"] for panel in written["panels"]]
    assert asked == [query_of(metric) for metric in METRICS.values()]
    assert all(PREFIX + name in query for name, query in zip(METRICS, asked, strict=True))


def test_the_guide_names_every_metric_with_its_labels() -> None:
    guide = (REPOSITORY / "docs/observability.md").read_text(encoding="utf-8")
    rows = {tuple(cell.strip() for cell in line.strip("|").split("|")) for line in guide.splitlines()}
    for metric in METRICS.values():
        labels = ", ".join(f"`{label}`" for label in metric.labels)
        assert (f"`{metric.name}`", metric.kind, labels, metric.told) in rows


def test_what_is_told_wrongly_is_an_error_and_outside_of_ray_nothing_happens() -> None:
    tell("tgrag_saved_calls", purpose="extract")
    with pytest.raises(KeyError, match="labels"):
        tell("tgrag_saved_calls", question="Кто?")
    with pytest.raises(KeyError):
        tell("tgrag_unheard_of")
