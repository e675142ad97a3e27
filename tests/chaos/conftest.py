"""One mock server and one undisturbed run for all trials."""

from collections.abc import Iterator

import pytest

from tests.index_runs import SECONDS, SLOTS, UNITS, Run, end_started, write_book
from tests.mock_llm import Config, Running, running


@pytest.fixture(scope="package")
def mock() -> Iterator[Running]:
    with running(Config(seconds=SECONDS, slots=SLOTS, max_entities=1)) as server:
        yield server


@pytest.fixture(scope="package")
def undisturbed(mock: Running, tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("undisturbed")
    run = Run(write_book(folder), str(folder / "root"), mock)
    summary = run.finish()
    assert summary["extraction"]["llm"] == summary["counts"]["text_units"] == UNITS
    return run


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    yield
    end_started()
