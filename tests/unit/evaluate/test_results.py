import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tgrag.errors import InvalidRequest
from tgrag.evaluate.page import report_page
from tgrag.evaluate.results import Result, Results, estimate, joined, paired_p, read_parquet, write_parquet
from tgrag.evaluate.summary import figures, lines


def results(mode: str, values: list[float], set: str = "books", metric: str = "recall@5") -> list[Result]:
    return [
        Result(set, mode, str(n), "fact" if n % 2 else "chain", metric, value)
        for n, value in enumerate(values)
    ]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_the_interval_holds_the_mean_and_does_not_depend_on_order(values):
    found = estimate(values)
    assert found.low <= found.mean + 1e-9 and found.mean <= found.high + 1e-9
    assert estimate(random.Random(1).sample(values, len(values))) == found


def test_the_interval_of_coin_throws_is_the_binomial_one():
    found = estimate([1.0] * 50 + [0.0] * 50)
    assert found.mean == 0.5
    assert found.low == pytest.approx(0.40, abs=0.02)
    assert found.high == pytest.approx(0.60, abs=0.02)


def test_a_difference_is_judged_question_by_question():
    assert paired_p([0.0] * 30) == 1.0
    assert paired_p([0.1] * 30) < 0.01
    assert paired_p([0.1, -0.1] * 15) > 0.5
    found = Results([*results("a", [0.0, 1.0, 0.5]), *results("b", [1.0, 1.0])]).compare(
        "books", "recall@5", "b", "a"
    )
    assert found is not None
    assert (found.difference.mean, found.difference.n) == (0.5, 2)


def test_figures_have_the_form_that_programs_read():
    found = figures(Results([*results("classic", [0.0, 1.0]), *results("temporal", [1.0, 1.0])]))
    run = found["runs"][0]
    assert (run["set"], run["mode"], run["n"]) == ("books", "classic", 2)
    assert run["metrics"]["recall@5"]["mean"] == 0.5
    assert run["by_type"]["chain"]["recall@5"] == {"mean": 0.0, "low": 0.0, "high": 0.0, "n": 1}
    assert found["comparisons"][0]["difference"]["mean"] == 0.5


def test_latency_has_its_percentiles():
    values = [float(n) for n in range(101)]
    found = figures(Results(results("classic", values, metric="latency_ms")))["runs"][0]["metrics"]
    assert (found["latency_ms"]["p50"], found["latency_ms"]["p95"]) == (50, 95)


def test_single_results_are_kept_and_set_beside_others(tmp_path):
    first = Results(results("temporal", [0.0, 1.0]))
    write_parquet(first, tmp_path / "monday.parquet")
    assert read_parquet(tmp_path / "monday.parquet") == first.all
    both = joined(Results(results("temporal", [1.0, 1.0])), [tmp_path / "monday.parquet"])
    assert both.runs() == [("books", "temporal (monday)"), ("books", "temporal")]
    assert figures(both)["comparisons"][0]["difference"]["mean"] == 0.5


def test_a_file_of_something_else_is_told(tmp_path):
    (tmp_path / "x.parquet").write_text("no results")
    with pytest.raises(InvalidRequest, match="holds no results"):
        read_parquet(tmp_path / "x.parquet")


def test_the_report_shows_every_set_and_mode_and_needs_no_other_file():
    found = Results([*results("classic", [0.0, 1.0] * 9), *results("temporal <new>", [1.0, 1.0] * 9)])
    page = report_page(found)
    assert "temporal &lt;new&gt;" in page and page.count("<circle") == 2
    assert "http" not in page and "<script" not in page
    assert "recall@5 by type of question" in page
    assert any("temporal <new> − classic = 50.0" in line for line in lines(found))
