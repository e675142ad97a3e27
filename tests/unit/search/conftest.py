import pytest

from tests.unit.search.graphs import BOOKS, ToyEmbedder, ToyTokenizer, library
from tgrag.search.engine import Engine
from tgrag.settings import SearchSettings
from tgrag.store.snapshot import Snapshot


@pytest.fixture(scope="session")
def snapshot() -> Snapshot:
    return library(BOOKS)


@pytest.fixture(scope="session")
def engine(snapshot: Snapshot) -> Engine:
    return Engine(snapshot, ToyEmbedder(), ToyTokenizer(), SearchSettings())
