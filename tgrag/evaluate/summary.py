"""Results as figures for a program and as lines for a person."""

from collections.abc import Iterator
from typing import Any

from tgrag.console import table
from tgrag.evaluate.results import LATENCY, Comparison, Estimate, Results

MAIN = (
    "recall@2", "recall@5", "recall@10", "full@5", "full@10", "evidence_in_context", "full_in_context",
    "page_hit@1", "page_hit@5", "page_hit@10", "document_hit@1", "document_hit@5", "node_recall", "path_recall",
    "order_in_story", "order_in_library", "abstention", "false_abstention", "exact_match", "token_f1", "lemma_f1",
    "answer_quoted", "citation_precision", "leak",
)  # fmt: skip
"""The metrics of quality that are shown and compared first, in this order."""


def figures(results: Results) -> dict[str, Any]:
    """Return ``{"runs": [{"set", "mode", "n", "metrics", "by_type"}], "comparisons": […]}``.

    metrics: by name ``{"mean", "low", "high", "n"}``; by_type: for each type of question such metrics. latency_ms has
    "p50" and "p95" too.
    """
    runs = []
    for set, mode in results.runs():
        names = results.metrics(set, mode)
        metrics = _metrics(results, set, mode, names)
        if LATENCY in metrics:
            metrics[LATENCY] |= results.percentiles(set, mode)
        types = {type: _metrics(results, set, mode, names, type) for type in results.types(set)}
        runs.append(
            {
                "set": set,
                "mode": mode,
                "n": results.n_questions(set, mode),
                "metrics": metrics,
                "by_type": {type: found for type, found in types.items() if found},
            }
        )
    return {"runs": runs, "comparisons": [_comparison(each) for each in comparisons(results)]}


def _metrics(results: Results, set: str, mode: str, names: list[str], type: str = "") -> dict[str, Any]:
    found = {name: results.estimate(set, mode, name, type) for name in names}
    return {name: _estimate(value) for name, value in found.items() if value}


def _estimate(value: Estimate) -> dict[str, float]:
    rounded = {name: round(getattr(value, name), 4) for name in ("mean", "low", "high")}
    return rounded | {"n": value.n}


def _comparison(each: Comparison) -> dict[str, Any]:
    return {
        "set": each.set,
        "metric": each.metric,
        "mode": each.mode,
        "against": each.against,
        "difference": _estimate(each.difference),
        "p": round(each.p, 4),
    }


def comparisons(results: Results) -> Iterator[Comparison]:
    """Yield every pair of modes of a set, the later one minus the earlier, in each metric of MAIN."""
    modes: dict[str, list[str]] = {}
    for set, mode in results.runs():
        modes.setdefault(set, []).append(mode)
    for set, names in modes.items():
        for place, mode in enumerate(names):
            for against in names[:place]:
                for metric in MAIN:
                    if found := results.compare(set, metric, mode, against):
                        yield found


def lines(results: Results) -> Iterator[str]:
    """Yield a table of means with intervals, in percent, for each set, and how the modes differ."""
    compared = list(comparisons(results))
    modes: dict[str, list[str]] = {}
    for set, mode in results.runs():
        modes.setdefault(set, []).append(mode)
    for set, names in modes.items():
        yield f"{set} ({results.n_questions(set, names[0])} questions; 95 % intervals)"
        metrics = [m for m in MAIN if any(results.values(set, mode, m) for mode in names)]
        rows = [(m, *(_cell(results.estimate(set, mode, m)) for mode in names)) for m in metrics]
        rows.append(("context tokens", *(_mean(results.estimate(set, m, "context_tokens")) for m in names)))
        rows.append(("ms p50 / p95", *(_latency(results.percentiles(set, mode)) for mode in names)))
        yield from table(("", *names), rows)
        for each in compared:
            if each.set == set and each.p < 0.05:
                d = each.difference
                yield (
                    f"  {each.metric}: {each.mode} − {each.against} = {100 * d.mean:+.1f} "
                    f"[{100 * d.low:+.1f}, {100 * d.high:+.1f}], p = {each.p:.3f}"
                )
        yield ""


def _cell(value: Estimate | None) -> str:
    return "-" if value is None else f"{100 * value.mean:.1f} [{100 * value.low:.0f}–{100 * value.high:.0f}]"


def _mean(value: Estimate | None) -> str:
    return "-" if value is None else f"{value.mean:,.0f}"


def _latency(percentiles: dict[str, float]) -> str:
    return f"{percentiles['p50']:.0f} / {percentiles['p95']:.0f}" if percentiles else "-"
