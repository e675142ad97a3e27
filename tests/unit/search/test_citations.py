import pytest

from tgrag.records import Box, Fragment
from tgrag.search.citations import covering
from tgrag.search.labels import page_label

FRAGMENTS = (Fragment(0, 14, Box(1, 1, 9, 2)), Fragment(50, 14, Box(1, 3, 9, 4)), Fragment(90, 15))


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [(0, 50, [0]), (0, 51, [0, 1]), (49, 91, [0, 1, 2]), (50, 90, [1]), (95, 99, [2]), (90, 90, [])],
)
def test_a_quote_stands_on_the_fragments_that_it_touches(start: int, end: int, expected: list[int]) -> None:
    assert covering(FRAGMENTS, start, end) == [FRAGMENTS[n] for n in expected]


def test_a_text_without_pages_has_none() -> None:
    assert covering((), 0, 10) == []


@pytest.mark.parametrize(
    ("pages", "label"),
    [([], ""), ([7], "p. 7"), ([14, 15], "p. 14–15"), ([1, 2, 3, 7, 9, 10], "p. 1–3, 7, 9–10")],
)
def test_pages_are_shown_as_ranges(pages: list[int], label: str) -> None:
    assert page_label(pages) == label
