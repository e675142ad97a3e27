import itertools

from hypothesis import given
from hypothesis import strategies as st

from tests.unit.graph.test_build import extraction, unit
from tgrag.graph.build import build
from tgrag.graph.windows import spans
from tgrag.records import NEVER
from tgrag.settings import WindowSettings


@given(st.integers(1, 300), st.integers(2, 30), st.data())
def test_windows_cover_everything_and_none_is_redundant(n: int, size: int, data: st.DataObject) -> None:
    overlap = data.draw(st.integers(0, size - 1))
    found = spans(n, size, overlap)
    assert sorted({i for start, end in found for i in range(start, end)}) == list(range(n))
    assert all(end - start == size for start, end in found[:-1])
    assert all(a[1] < b[1] for a, b in itertools.pairwise(found))
    assert all(a[1] - b[0] == overlap for a, b in itertools.pairwise(found))


def test_the_article_s_windows() -> None:
    assert spans(36, 20, 5) == [(0, 20), (15, 35), (30, 36)]
    assert spans(35, 20, 5) == [(0, 20), (15, 35)]
    assert spans(3, 20, 5) == [(0, 3)]


def test_a_window_is_known_when_it_is_over() -> None:
    units = [unit(n, book=1) for n in range(6)] + [unit(n, book=2) for n in range(6, 8)]
    extractions = {u.text_unit_id: extraction(u, [("Анна", True)]) for u in units}
    communities = build(units, extractions, WindowSettings(size=4, overlap=1)).communities
    assert [(c.first_ordinal, c.last_ordinal, c.known_from) for c in communities] == [
        (0, 3, 3),
        (3, 5, 6),
        (6, 7, NEVER),
    ]


def test_title_and_summary_come_from_the_text() -> None:
    units = [unit(n) for n in range(4)]
    mentions = [[("Анна", True), ("Борис", True)], [("Анна", True)], [("Вера", True)], []]
    extractions = {u.text_unit_id: extraction(u, m) for u, m in zip(units, mentions, strict=True)}
    (community,) = build(units, extractions, WindowSettings(size=4, overlap=1)).communities
    assert community.title == "Глава 1: Анна, Борис, Вера"
    assert community.summary == "Здесь Анна, Борис, 0. Здесь Вера, 2."
