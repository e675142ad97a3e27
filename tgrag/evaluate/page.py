"""Results as one HTML page that needs nothing else: a plot of means with intervals for each set, and tables."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from jinja2 import Environment, PackageLoader, StrictUndefined

from tgrag.evaluate.results import Results
from tgrag.evaluate.summary import cost_rows, interval, modes_by_set, shown, significant

COLORS = ("#3b78c2", "#d9822b", "#3f9a57", "#b04a8f", "#8a6d3b", "#5aa9b8", "#c0392b", "#7f7f7f")
ROW = 11  # pixels a mode
GAP = 10  # between metrics
TOP = 28


@dataclass(frozen=True, slots=True)
class Plot:
    """Pixels across: from ``left`` (0 %) to ``width`` less a margin (100 %)."""

    width: int = 900
    left: int = 190
    right: int = 30

    def x(self, percent: float) -> float:
        return round(self.left + (self.width - self.left - self.right) * percent / 100, 1)


@dataclass(frozen=True, slots=True)
class Mark:
    mode: str
    color: int
    y: float
    mean: float
    low: float
    high: float
    label: str


@dataclass(frozen=True, slots=True)
class Band:
    """A metric in the plot, a mark for each mode."""

    metric: str
    middle: float
    marks: list[Mark]


@dataclass(frozen=True, slots=True)
class Table:
    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class SetPart:
    name: str
    n: int
    modes: list[str]
    bands: list[Band]
    height: float
    tables: list[Table]


def report_page(results: Results) -> str:
    """Return the HTML report."""
    environment = Environment(
        loader=PackageLoader("tgrag.evaluate", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    sets = [_part(results, set, modes) for set, modes in modes_by_set(results).items()]
    return environment.get_template("report.html.jinja").render(sets=sets, colors=COLORS, plot=Plot())


def _part(results: Results, set: str, modes: list[str]) -> SetPart:
    bands = list(_bands(results, set, modes))
    height = bands[-1].marks[-1].y + GAP if bands else TOP
    n = max(results.n_questions(set, mode) for mode in modes)
    return SetPart(set, n, modes, bands, height, list(_tables(results, set, modes)))


def _bands(results: Results, set: str, modes: list[str]) -> Iterator[Band]:
    y = float(TOP)
    for metric in shown(results, set, modes):
        found = [(place, mode, results.estimate(set, mode, metric)) for place, mode in enumerate(modes)]
        marks = []
        for place, mode, value in found:
            if value:
                marks.append(Mark(mode, place, y, value.mean, value.low, value.high, interval(value)))
                y += ROW
        if marks:
            yield Band(metric, (marks[0].y + marks[-1].y) / 2, marks)
            y += GAP


def _tables(results: Results, set: str, modes: list[str]) -> Iterator[Table]:
    present = shown(results, set, modes)
    rows = [[m, *(interval(results.estimate(set, mode, m)) for mode in modes)] for m in present]
    yield Table("Quality, and what it costs", ["", *modes], [*rows, *cost_rows(results, set, modes)])
    types = results.types(set)
    if len(types) > 1:
        for metric in present:
            by_type = [
                [f"{type} ({n})", *(interval(results.estimate(set, mode, metric, type)) for mode in modes)]
                for type in types
                if (n := max(len(results.values(set, mode, metric, type)) for mode in modes))
            ]
            if len(by_type) > 1:
                yield Table(f"{metric} by type of question", ["", *modes], by_type)
    differing = [
        [each.metric, f"{each.mode} − {each.against}", interval(each.difference), f"{each.p:.3f}"]
        for each in significant(results, set)
    ]
    if differing:
        yield Table("Differences with p below 0.05", ["", "", "difference", "p"], differing)
