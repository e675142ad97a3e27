"""Single results, and what they come to: means with bootstrap intervals, and paired tests between modes."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from scipy import stats

from tgrag.errors import InvalidRequest

RESAMPLES = 2000
CONFIDENCE = 0.95
SEED = 20_240_501
ALL = ""  # instead of a type: questions of all types
LATENCY = "latency_ms"
WIN_OVER = "judge_win_over_"  # and a mode

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Result:
    """One metric of one question in one mode. set: with its variant, as in «made_uk_docs/noisy»."""

    set: str
    mode: str
    question_id: str
    type: str
    metric: str
    value: float


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with the ends of its bootstrap interval, over n questions."""

    mean: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """``mode`` minus ``against`` on the questions that both were asked: mean difference, interval, p of a sign-flip
    permutation test."""

    set: str
    metric: str
    mode: str
    against: str
    type: str
    difference: Estimate
    p: float


def estimate(values: Sequence[float]) -> Estimate:
    """Return the mean with its percentile bootstrap interval; the same for the same values, in any order."""
    data = np.sort(np.asarray(values, dtype=np.float64))
    mean = float(data.mean())
    if len(data) < 2 or data[0] == data[-1]:
        return Estimate(mean, mean, mean, len(data))
    interval = stats.bootstrap(
        (data,),
        np.mean,
        n_resamples=RESAMPLES,
        confidence_level=CONFIDENCE,
        method="percentile",
        rng=np.random.default_rng(SEED),
        batch=100,
    ).confidence_interval
    return Estimate(mean, float(interval.low), float(interval.high), len(data))


def paired_p(differences: Sequence[float]) -> float:
    """Return the two-sided p of a permutation test that flips the signs of paired differences."""
    data = np.sort(np.asarray(differences, dtype=np.float64))
    moved = data[data != 0]
    if len(moved) == 0:
        return 1.0
    rng = np.random.default_rng(SEED)
    observed = abs(float(moved.sum())) - 1e-9
    signs = rng.choice((-1.0, 1.0), size=(RESAMPLES, len(moved)))
    return float((1 + np.count_nonzero(np.abs(signs @ moved) >= observed)) / (RESAMPLES + 1))


class Results:
    """Single results by set, mode, metric and question."""

    def __init__(self, results: Iterable[Result]) -> None:
        self.all = list(results)
        self._values: dict[tuple[str, str, str, str], dict[str, float]] = defaultdict(dict)
        for each in self.all:
            for type in (ALL, each.type):
                self._values[each.set, each.mode, each.metric, type][each.question_id] = each.value

    def runs(self) -> list[tuple[str, str]]:
        """Return the pairs of set and mode, in the order in which they were run."""
        return list(dict.fromkeys((each.set, each.mode) for each in self.all))

    def metrics(self, set: str, mode: str) -> list[str]:
        return list(dict.fromkeys(e.metric for e in self.all if (e.set, e.mode) == (set, mode)))

    def types(self, set: str) -> list[str]:
        return sorted({each.type for each in self.all if each.set == set})

    def n_questions(self, set: str, mode: str) -> int:
        return len({e.question_id for e in self.all if (e.set, e.mode) == (set, mode)})

    def values(self, set: str, mode: str, metric: str, type: str = ALL) -> Mapping[str, float]:
        """Return the values by question; none when the metric does not apply."""
        return self._values.get((set, mode, metric, type), {})

    def estimate(self, set: str, mode: str, metric: str, type: str = ALL) -> Estimate | None:
        values = self.values(set, mode, metric, type)
        return estimate(list(values.values())) if values else None

    def compare(self, set: str, metric: str, mode: str, against: str, type: str = ALL) -> Comparison | None:
        """Compare two modes on the questions that both have; None when there are none."""
        first, second = (self.values(set, name, metric, type) for name in (mode, against))
        both = sorted(first.keys() & second.keys())
        if not both:
            return None
        differences = [first[key] - second[key] for key in both]
        return Comparison(set, metric, mode, against, type, estimate(differences), paired_p(differences))

    def percentiles(self, set: str, mode: str) -> dict[str, float]:
        """Return p50 and p95 of the milliseconds a request."""
        values = list(self.values(set, mode, LATENCY).values())
        if not values:
            return {}
        return {f"p{q}": float(np.percentile(values, q)) for q in (50, 95)}


def write_parquet(results: Results, path: Path) -> None:
    """Write single results, one a row."""
    columns = zip(*map(astuple, results.all), strict=True)
    names = [field.name for field in fields(Result)]
    pq.write_table(pa.table(dict(zip(names, map(list, columns), strict=True))), path)


def joined(results: Results, earlier: Iterable[Path]) -> Results:
    """Return results with those of earlier runs, whose modes are told by their file: «temporal (monday)».

    Raises InvalidRequest when a file holds something else.
    """
    added = [
        replace(each, mode=f"{each.mode} ({path.stem})") for path in earlier for each in read_parquet(path)
    ]
    return Results([*added, *results.all])


def read_parquet(path: Path) -> list[Result]:
    """Read what write_parquet wrote. Raises InvalidRequest when the file is something else."""
    try:
        rows = pq.read_table(path).to_pylist()
        return [Result(**row) for row in rows]
    except (OSError, TypeError, pa.ArrowInvalid) as error:
        raise InvalidRequest(f"{path} holds no results of `tgrag evaluate`: {error}") from None
