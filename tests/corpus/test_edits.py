"""An edited sentence costs a few extractions and the windows it touches."""

import statistics
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.books import SAMPLE
from tests.data import shared
from tests.edits import Edit, costs, told
from tests.mock_llm import Running, running


@pytest.fixture(scope="module")
def mock() -> Iterator[Running]:
    with running() as server:
        yield server


def check(name: str, found: list[Edit]) -> None:
    print(told(name, found))
    assert statistics.median(edit.extractions for edit in found) <= 3
    steady = [edit for edit in found if edit.same_number]
    assert steady and all(edit.reports == edit.touched for edit in steady)
    assert statistics.median(edit.touched for edit in found) <= 2


def test_edits_of_the_sample(mock: Running, tmp_path: Path) -> None:
    text = SAMPLE.read_text(encoding="utf-8")
    check("sample", costs(tmp_path, text, 24, mock))


@pytest.mark.long
def test_edits_of_a_novel(mock: Running, tmp_path: Path) -> None:
    path = shared("ruslit_ru", "Pushkin", "Капитанская дочка.txt")
    check(path.stem, costs(tmp_path, path.read_text(encoding="utf-8"), 24, mock))
