"""What tgrag tells Prometheus, through Ray: it comes out of the metrics port of every node, beside Ray's own and vLLM's.

``python -m tgrag.metrics`` prints the Grafana dashboard of these metrics. Labels take few values: names of steps,
modes, stages, versions and collections, and never a text.

Ray 2.60 hands what was counted on when a process ends, also one that is killed by Ray; a gauge is forgotten 20 s after it
was told, so whoever holds one tells it again while it holds.
"""

import json
import sys
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Any, Literal

SECONDS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0)
PREFIX = "ray_"  # which Ray puts before every name

Kind = Literal["counter", "gauge", "histogram"]
Part = Literal["Requests", "Questions", "Models", "Indexes", "Index runs"]


@dataclass(frozen=True, slots=True)
class Metric:
    """kind: a counter only grows, a gauge is as it is, a histogram counts seconds. told: for a person.

    fold: how the gauges of several processes become one.
    """

    part: Part
    name: str
    kind: Kind
    unit: Literal["seconds", "tokens", "1"]
    labels: tuple[str, ...]
    told: str
    fold: Literal["max", "sum"] = "max"


_TABLE: tuple[Metric, ...] = (
    Metric(
        "Requests",
        "tgrag_requests",
        "counter",
        "1",
        ("route", "status", "code"),
        "requests over HTTP; code: `ok`, that of the error, or `caller_left`",
    ),
    Metric(
        "Requests",
        "tgrag_request_seconds",
        "histogram",
        "seconds",
        ("route",),
        "seconds until a request over HTTP was answered whole",
    ),
    Metric("Requests", "tgrag_requests_in_flight", "gauge", "1", (), "requests being answered", "sum"),
    Metric(
        "Questions",
        "tgrag_query_seconds",
        "histogram",
        "seconds",
        ("mode",),
        "seconds of a question in a retriever",
    ),
    Metric(
        "Questions",
        "tgrag_query_step_seconds",
        "histogram",
        "seconds",
        ("mode", "step"),
        "seconds of each step of a question",
    ),
    Metric(
        "Questions",
        "tgrag_query_tokens",
        "counter",
        "tokens",
        ("kind",),
        "tokens of questions: `context`, and the model's `prompt` and `answer`",
    ),
    Metric(
        "Questions",
        "tgrag_query_fall_backs",
        "counter",
        "1",
        ("step", "used", "cause"),
        "steps that used their next best: it is `absent`, `failed`, `busy` or found `nothing`",
    ),
    Metric(
        "Models",
        "tgrag_model_calls",
        "counter",
        "1",
        ("purpose", "outcome"),
        "requests that a chat model saw",
    ),
    Metric(
        "Models",
        "tgrag_model_call_seconds",
        "histogram",
        "seconds",
        ("purpose",),
        "seconds of a request to a chat model",
    ),
    Metric(
        "Models",
        "tgrag_model_tokens",
        "counter",
        "tokens",
        ("purpose", "direction"),
        "tokens to (`in`) and from (`out`) a chat model",
    ),
    Metric(
        "Indexes",
        "tgrag_index_version",
        "gauge",
        "1",
        ("collection", "version"),
        "1 for the version that a replica answers from",
    ),
    Metric(
        "Indexes",
        "tgrag_dead_letters",
        "gauge",
        "1",
        ("collection",),
        "documents and calls without an outcome in the version that is answered from",
    ),
    Metric("Indexes", "tgrag_open_collections", "gauge", "1", (), "collections that a replica holds open"),
    Metric(
        "Index runs",
        "tgrag_index_progress",
        "gauge",
        "1",
        ("stage",),
        "how much of a stage is done, from 0 to 1, while it goes on",
    ),
    Metric(
        "Index runs",
        "tgrag_index_stage_seconds",
        "counter",
        "seconds",
        ("collection", "stage"),
        "seconds of each stage, summed over runs",
    ),
    Metric(
        "Index runs",
        "tgrag_index_calls",
        "counter",
        "1",
        ("collection", "stage", "outcome"),
        "costly calls of runs: `made`, `saved` by the memo store, `failed`",
    ),
)
METRICS = {metric.name: metric for metric in _TABLE}


def tell(name: str, value: float = 1.0, **labels: str) -> None:
    """Add to a counter, set a gauge, or observe seconds. Does nothing in a process that is not connected to Ray.

    Raises KeyError on a metric that is not in METRICS, or on other labels than its own.
    """
    metric = METRICS[name]
    if labels.keys() != set(metric.labels):
        raise KeyError(f"{name} has the labels {metric.labels}, not {tuple(labels)}")
    if "ray" not in sys.modules or not sys.modules["ray"].is_initialized():
        return
    instrument = _instrument(metric)
    match metric.kind:
        case "counter":
            if value > 0:
                instrument.inc(value, labels)
        case "gauge":
            instrument.set(value, labels)
        case "histogram":
            instrument.observe(value, labels)


@lru_cache(maxsize=64)
def _instrument(metric: Metric) -> Any:
    from ray.util import metrics

    stated = {"description": metric.told, "tag_keys": metric.labels}
    match metric.kind:
        case "counter":
            return metrics.Counter(metric.name, **stated)
        case "gauge":
            return metrics.Gauge(metric.name, **stated)
        case "histogram":
            return metrics.Histogram(metric.name, boundaries=list(SECONDS), **stated)


def query_of(metric: Metric) -> str:
    """Return what a panel asks Prometheus: rates, the present value, or the 95th percentile.

    What index runs count is shown as it stands: their processes live so shortly that a rate would miss most of it.
    """
    name, by = PREFIX + metric.name, f"by ({', '.join(metric.labels)})"
    match metric.kind:
        case "counter" if metric.part == "Index runs":
            return f"sum {by} ({name}_total)"
        case "counter":
            return f"sum {by} (rate({name}_total[5m]))"
        case "gauge":
            return f"{metric.fold} {by} ({name})"
        case "histogram":
            return (
                f"histogram_quantile(0.95, sum by (le, {', '.join(metric.labels)}) (rate({name}_bucket[5m])))"
            )


def dashboard() -> dict[str, Any]:
    """Return a Grafana dashboard with a panel for each metric, two in a row, under the names of their parts."""
    panels: list[dict[str, Any]] = []
    y = 0
    for part, metrics in groupby(METRICS.values(), key=lambda metric: metric.part):
        panels.append(
            {"type": "row", "title": part, "gridPos": {"h": 1, "w": 24, "x": 0, "y": y}, "panels": []}
        )
        y += 1
        for place, metric in enumerate(metrics):
            y += 8 if place and place % 2 == 0 else 0
            panels.append(_panel(metric, 12 * (place % 2), y))
        y += 8
    source = {"name": "datasource", "type": "datasource", "query": "prometheus", "label": "Prometheus"}
    return {
        "uid": "tgrag",
        "title": "tgrag",
        "schemaVersion": 39,
        "refresh": "30s",
        "time": {"from": "now-6h", "to": "now"},
        "templating": {"list": [source]},
        "panels": [{"id": number} | panel for number, panel in enumerate(panels, start=1)],
    }


def _panel(metric: Metric, x: int, y: int) -> dict[str, Any]:
    told = metric.told.replace("`", "") + (" (95th percentile)" if metric.kind == "histogram" else "")
    target = {
        "refId": "A",
        "expr": query_of(metric),
        "legendFormat": " ".join(f"{{{{{label}}}}}" for label in metric.labels),
    }
    return {
        "type": "timeseries",
        "title": told,
        "datasource": {"type": "prometheus", "uid": "${datasource}"},
        "gridPos": {"h": 8, "w": 12, "x": x, "y": y},
        "fieldConfig": {
            "defaults": {"unit": "s" if metric.unit == "seconds" else "short"},
            "overrides": [],
        },
        "targets": [target],
    }


if __name__ == "__main__":
    print(json.dumps(dashboard(), indent=1, ensure_ascii=False))
