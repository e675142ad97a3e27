from hypothesis import given
from hypothesis import strategies as st

from tgrag.graph.strength import strength
from tgrag.records import Evidence


def of(*strengths: int) -> int:
    return strength(Evidence("…", place, f"u{place}", value) for place, value in enumerate(strengths))


def test_one_piece_counts_as_it_says_and_a_second_adds_less() -> None:
    assert [of(value) for value in range(1, 11)] == list(range(1, 11))
    assert of(1, 1, 1, 1) == 3, "four mentions by fast extraction"
    assert of(6, 6) == 8, "two facts of middling weight are no turning point"
    assert of(10, 1) == 10


@given(st.lists(st.integers(1, 10), min_size=1, max_size=50), st.integers(1, 10))
def test_more_evidence_never_weakens(strengths: list[int], more: int) -> None:
    assert max(strengths) <= of(*strengths) <= of(*strengths, more) <= 10
