"""Reports of windows in the context, and windows found by their own vectors."""

from dataclasses import replace

import pytest

from tests.unit.search.graphs import ToyEmbedder, ToyTokenizer
from tgrag.search.context import ItemWriter, fill_in_full
from tgrag.search.horizon import resolve_as_of
from tgrag.search.requests import AsOf, ContextItem
from tgrag.search.view import View


def item(name: str, n_tokens: int) -> ContextItem:
    return ContextItem(
        kind="community",
        id=name.lower(),
        name=name,
        label="",
        text=name,
        series="",
        book="",
        book_number=1,
        chapter="",
        first_ordinal=0,
        last_ordinal=0,
        score=1.0,
        n_tokens=n_tokens,
    )


@pytest.mark.parametrize(
    ("budget", "shown", "left"),
    [
        (19, ["a"], 9),
        (30, ["a", "b"], 10),
        (60, ["a", "B"], 0),
        (110, ["A", "b"], 0),
        (200, ["A", "B"], 50),
    ],
)
def test_as_many_as_fit_are_shown_and_the_best_in_full(budget: int, shown: list[str], left: int) -> None:
    pairs = [(item("a", 10), item("A", 100)), (item("b", 10), item("B", 50))]
    kept, rest = fill_in_full(pairs, budget)
    assert ([i.name for i in kept], rest) == (shown, left)


def test_a_report_is_shown_in_full_and_its_summary_where_there_is_none(snapshot) -> None:
    view = View(snapshot, resolve_as_of(snapshot, None, ()))
    writer = ItemWriter(view, ToyTokenizer(), ToyTokenizer.name)
    (window,) = view.windows([0])
    assert writer.report(window, 1.0) == writer.community(window, 1.0)
    told = replace(window, report="Первое.\n\nВторое.")
    assert writer.report(told, 1.0).text == f"{window.title}. Первое. Второе."
    assert writer.report(told, 1.0).n_tokens > 0


def test_a_window_is_found_by_its_own_vector_once_it_is_over(snapshot) -> None:
    whole = View(snapshot, resolve_as_of(snapshot, None, ()))
    rows = list(range(len(whole.communities)))
    titles = {book.series_id: book.series_title for book in snapshot.books}
    for row, window in zip(rows, whole.windows(rows), strict=True):
        vector = ToyEmbedder().embed_passages([f"{window.title}. {window.summary}"])[0]
        found, scores = whole.nearest_windows(vector, len(rows))
        assert scores[found.tolist().index(row)] == pytest.approx(scores[0])
        limit = AsOf(ordinal=min(window.known_from - 1, window.last_ordinal), series=titles[window.series_id])
        before = View(snapshot, resolve_as_of(snapshot, limit, ()))
        visible = before.nearest_windows(vector, len(rows))[0].tolist()
        assert row not in visible
        assert visible == [r for r in found.tolist() if before.communities[r]]
