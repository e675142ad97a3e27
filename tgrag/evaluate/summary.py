"""Results as figures for a program and as lines for a person."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

from tgrag.console import table
from tgrag.evaluate.results import LATENCY, WIN_OVER, Comparison, Estimate, Results

MAIN = (
    "recall@2", "recall@5", "recall@10", "full@5", "full@10", "evidence_in_context", "full_in_context",
    "page_hit@1", "page_hit@5", "page_hit@10", "document_hit@1", "document_hit@5", "node_recall", "path_recall",
    "order_in_story", "order_in_library", "abstention", "false_abstention", "exact_match", "token_f1", "lemma_f1",
    "answer_quoted", "citation_precision", "leak", "leak_in_answer", "judge_score", "context_recall", "faithfulness",
    "judge_agreement", "judge_order_agreement",
)  # fmt: skip
"""The metrics of quality that are shown and compared first, in this order."""

SIGNIFICANT = 0.05  # a p below it is told; with so many pairs, one in twenty is chance


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
    compared = [_comparison(each) for set in modes_by_set(results) for each in comparisons(results, set)]
    return {"runs": runs, "comparisons": compared}


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


def comparisons(results: Results, set: str) -> Iterator[Comparison]:
    """Yield every pair of modes of a set, the later one minus the earlier, in each metric of MAIN."""
    for against, mode in combinations(modes_by_set(results)[set], 2):
        for metric in MAIN:
            if found := results.compare(set, metric, mode, against):
                yield found


def significant(results: Results, set: str) -> list[Comparison]:
    """Return the comparisons of a set whose p is below SIGNIFICANT."""
    return [each for each in comparisons(results, set) if each.p < SIGNIFICANT]


def modes_by_set(results: Results) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for set, mode in results.runs():
        found.setdefault(set, []).append(mode)
    return found


def lines(results: Results) -> Iterator[str]:
    """Yield a table of means with intervals, in percent, for each set, and how the modes differ."""
    for set, modes in modes_by_set(results).items():
        n = max(results.n_questions(set, mode) for mode in modes)
        yield f"{set} ({n} questions; percent, 95 % intervals)"
        rows = [
            [m, *(interval(results.estimate(set, mode, m)) for mode in modes)]
            for m in shown(results, set, modes)
        ]
        yield from table(("", *modes), [*rows, *cost_rows(results, set, modes)])
        for each in significant(results, set):
            difference = interval(each.difference)
            yield f"  {each.metric}: {each.mode} − {each.against} = {difference}, p = {each.p:.3f}"
        yield ""


def shown(results: Results, set: str, modes: list[str]) -> list[str]:
    """Return the metrics of a set that are shown: those of MAIN, then what a judge preferred."""
    wins = {m for mode in modes for m in results.metrics(set, mode) if m.startswith(WIN_OVER)}
    return [m for m in (*MAIN, *sorted(wins)) if any(results.values(set, mode, m) for mode in modes)]


def cost_rows(results: Results, set: str, modes: list[str]) -> list[list[str]]:
    """Return rows of what each mode costs: tokens of the context and milliseconds of a retrieval."""
    tokens = [results.estimate(set, mode, "context_tokens") for mode in modes]
    if not any(tokens):
        return []
    latencies = [results.percentiles(set, mode) for mode in modes]
    return [
        ["context tokens", *(f"{value.mean:,.0f}" if value else "-" for value in tokens)],
        ["ms p50 / p95", *(f"{of['p50']:.0f} / {of['p95']:.0f}" if of else "-" for of in latencies)],
    ]


def interval(value: Estimate | None) -> str:
    """Return a share as «71.9 [65.0, 78.1]», in percent."""
    if value is None:
        return "-"
    return f"{100 * value.mean:.1f} [{100 * value.low:.1f}, {100 * value.high:.1f}]"
