"""What tgrag tells Prometheus, through Ray: it comes out of the metrics port of every node, beside Ray's own and vLLM's.

``python -m tgrag.metrics`` prints the Grafana dashboard of these metrics. Labels take few values: names of steps,
modes, stages and collections, and never a text.
"""

import json
import sys
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

SECONDS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0)
PREFIX = "ray_"  # which Ray puts before every name


@dataclass(frozen=True, slots=True)
class Metric:
    """kind: a counter only grows, a gauge is as it is, a histogram counts seconds. told: for a person."""

    name: str
    kind: Literal["counter", "gauge", "histogram"]
    labels: tuple[str, ...]
    told: str


METRICS = {
    metric.name: metric
    for metric in (
        Metric("tgrag_requests", "counter", ("method", "status"), "requests over HTTP by route and status"),
        Metric("tgrag_query_seconds", "histogram", ("mode",), "seconds of a question in a retriever"),
        Metric(
            "tgrag_query_step_seconds", "histogram", ("mode", "step"), "seconds of each step of a question"
        ),
        Metric("tgrag_query_tokens", "counter", ("kind",), "tokens of contexts, prompts and answers"),
        Metric("tgrag_query_fall_backs", "counter", ("step", "used"), "steps that used their next best"),
        Metric(
            "tgrag_index_version",
            "gauge",
            ("collection", "version"),
            "1 for the version that a replica answers from",
        ),
        Metric("tgrag_model_calls", "counter", ("purpose", "outcome"), "requests that a chat model saw"),
        Metric("tgrag_model_call_seconds", "histogram", ("purpose",), "seconds of a request to a chat model"),
        Metric("tgrag_model_tokens", "counter", ("purpose", "direction"), "tokens to and from a chat model"),
        Metric(
            "tgrag_saved_calls",
            "counter",
            ("purpose",),
            "calls that the memo store or a call in flight answered",
        ),
        Metric(
            "tgrag_index_progress",
            "gauge",
            ("stage",),
            "how much of a stage of an index run is done, from 0 to 1",
        ),
        Metric(
            "tgrag_index_stage_seconds",
            "gauge",
            ("collection", "stage"),
            "seconds of each stage of the last run",
        ),
        Metric(
            "tgrag_dead_letters", "gauge", ("collection",), "calls without an answer in the published version"
        ),
    )
}


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
    """Return what a panel asks Prometheus: rates, the present value, or the 95th percentile."""
    name, labels = PREFIX + metric.name, ", ".join(metric.labels)
    match metric.kind:
        case "counter":
            return f"sum by ({labels}) (rate({name}_total[5m]))"
        case "gauge":
            return f"max by ({labels}) ({name})"
        case "histogram":
            return f"histogram_quantile(0.95, sum by (le, {labels}) (rate({name}_bucket[5m])))"


def dashboard() -> dict[str, Any]:
    """Return a Grafana dashboard with a panel for each metric, two in a row."""
    panels = [
        {
            "id": number + 1,
            "type": "timeseries",
            "title": metric.told,
            "datasource": {"type": "prometheus", "uid": "${datasource}"},
            "gridPos": {"h": 8, "w": 12, "x": 12 * (number % 2), "y": 8 * (number // 2)},
            "fieldConfig": {
                "defaults": {"unit": "s" if metric.name.endswith("seconds") else "short"},
                "overrides": [],
            },
            "targets": [
                {
                    "refId": "A",
                    "expr": query_of(metric),
                    "legendFormat": " ".join(f"{{{{{x}}}}}" for x in metric.labels),
                }
            ],
        }
        for number, metric in enumerate(METRICS.values())
    ]
    source = {"name": "datasource", "type": "datasource", "query": "prometheus", "label": "Prometheus"}
    return {
        "uid": "tgrag",
        "title": "tgrag",
        "schemaVersion": 39,
        "refresh": "30s",
        "time": {"from": "now-6h", "to": "now"},
        "templating": {"list": [source]},
        "panels": panels,
    }


if __name__ == "__main__":
    print(json.dumps(dashboard(), indent=1, ensure_ascii=False))
