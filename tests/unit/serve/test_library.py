import threading
import time

import pytest

from tests.unit.serve.fakes import FakeCatalog, FakeEngine
from tgrag.errors import EmbedderMismatch, InvalidRequest, NoVersion, UnknownCollection
from tgrag.serve.library import Library


def library(catalog: FakeCatalog, max_open: int = 8) -> Library:
    return Library(catalog, FakeEngine, max_open)  # type: ignore[arg-type]


def test_a_collection_is_opened_once_and_kept() -> None:
    catalog = FakeCatalog(a="v1")
    shelf = library(catalog)
    assert shelf.engine("a") is shelf.engine("a")
    assert catalog.opened == [("a", "v1")]


def test_what_is_open_is_told_and_what_is_closed_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[str, float, dict[str, str]]] = []

    def tell(name: str, value: float = 1.0, **labels: str) -> None:
        told.append((name, value, labels))

    monkeypatch.setattr("tgrag.serve.library.tell", tell)
    shelf = library(FakeCatalog(a="v1", b="v2"), max_open=1)
    shelf.engine("a")
    shelf.engine("b")
    shelf.tell()
    assert told == [
        ("tgrag_open_collections", 1, {}),
        ("tgrag_index_version", 1.0, {"collection": "b", "version": "v2"}),
        ("tgrag_dead_letters", 1, {"collection": "b"}),
    ]


def test_simultaneous_first_questions_open_a_collection_once() -> None:
    catalog = FakeCatalog(a="v1")
    opened = []

    def slow_engine(snapshot: str) -> FakeEngine:
        time.sleep(0.05)
        opened.append(snapshot)
        return FakeEngine(snapshot)

    shelf = Library(catalog, slow_engine, 8)  # type: ignore[arg-type]
    threads = [threading.Thread(target=shelf.engine, args=("a",)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert opened == ["v1"]


def test_the_only_collection_need_not_be_named() -> None:
    assert library(FakeCatalog(a="v1")).engine(None).version == "v1"
    with pytest.raises(InvalidRequest, match="a, b"):
        library(FakeCatalog(a="v1", b="v1")).engine(None)
    with pytest.raises(UnknownCollection):
        library(FakeCatalog()).engine(None)


def test_a_collection_without_a_version_is_asked_again_next_time() -> None:
    catalog = FakeCatalog(a=None)
    shelf = library(catalog)
    with pytest.raises(NoVersion):
        shelf.engine("a")
    catalog.published["a"] = "v1"
    assert shelf.engine("a").version == "v1"


def test_refresh_swaps_to_the_published_version_and_leaves_running_queries_theirs() -> None:
    catalog = FakeCatalog(a="v1")
    shelf = library(catalog)
    running = shelf.engine("a")
    catalog.published["a"] = "v2"
    assert shelf.engine("a") is running
    shelf.refresh()
    assert (running.version, shelf.engine("a").version) == ("v1", "v2")


def test_an_unreadable_version_leaves_the_old_one_and_is_tried_once() -> None:
    catalog = FakeCatalog(a="v1")
    shelf = library(catalog)
    shelf.engine("a")
    catalog.published["a"] = "v2"
    catalog.unreadable["v2"] = EmbedderMismatch("another embedder")
    shelf.refresh()
    shelf.refresh()
    assert shelf.engine("a").version == "v1"
    assert catalog.opened == [("a", "v1"), ("a", "v2")]


def test_a_store_that_fails_for_a_while_changes_nothing() -> None:
    catalog = FakeCatalog(a="v1", b="v1")
    shelf = library(catalog)
    shelf.engine("a")
    catalog.published["a"] = "v2"
    with catalog.out_of_order():
        shelf.refresh()
    assert shelf.engine("a").version == "v1"
    shelf.refresh()
    assert shelf.engine("a").version == "v2"


def test_the_least_recently_used_collection_is_closed() -> None:
    catalog = FakeCatalog(a="v1", b="v1", c="v1")
    shelf = library(catalog, max_open=2)
    for name in ("a", "b", "a", "c", "a", "b"):
        shelf.engine(name)
    assert [name for name, _ in catalog.opened] == ["a", "b", "c", "b"]


def test_a_deleted_collection_is_closed() -> None:
    catalog = FakeCatalog(a="v1")
    shelf = library(catalog)
    shelf.engine("a")
    del catalog.published["a"]
    shelf.refresh()
    with pytest.raises(UnknownCollection):
        shelf.engine("a")
