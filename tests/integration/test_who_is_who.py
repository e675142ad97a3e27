"""Who is who, from text to what a caller sees: strangers until they are named, and the user's file."""

from pathlib import Path

import pytest

from tests.books import book
from tests.integration.test_as_of import check
from tests.pipeline import Pipeline
from tgrag.errors import ConfigurationError
from tgrag.index.catalog import Catalog
from tgrag.index.run import index
from tgrag.records import Element, ParsedDocument
from tgrag.search.horizon import Horizon
from tgrag.search.view import View
from tgrag.settings import load_settings
from tgrag.store.root import open_root
from tgrag.store.snapshot import Snapshot

STORY = (
    "На мельницу пришел Ракитин и сел у двери. Ночью Ракитин долго смотрел на реку.",
    "Утром старая Маланья принесла Ракитину хлеба. Ракитин молча ел и слушал Маланью.",
    "Вошел мельник и сказал: здравствуй, Степан Ильич Ракитин! Тогда Степан Ильич Ракитин встал.",
    "Через неделю приехал Павел Ильич Ракитин. Маланья сразу узнала, что Павел Ильич Ракитин его брат.",
    "С тех пор Ракитин жил у мельника. Маланья говорила, что Ракитин скоро уедет.",
)


def story() -> ParsedDocument:
    elements = []
    for number, text in enumerate(STORY, 1):
        elements += [Element("heading", f"Глава {number}", level=1), Element("paragraph", text)]
    return ParsedDocument("ok", elements=tuple(elements))


def who(snapshot: Snapshot, last: int) -> set[frozenset[str]]:
    """Return the names of each person that has several when the story is read up to an ordinal."""
    ((series, number),) = {book.key for book in snapshot.books}
    view = View(snapshot, Horizon({series: last}, frozenset({(series, number)})))
    names = [snapshot.entities.row(row).name for row in range(len(snapshot.entities))]
    return {frozenset(names[row] for row in view.people.members(int(head))) for head in view.people.heads}


def test_a_stranger_is_a_stranger_until_he_is_named_and_again_when_he_may_be_another() -> None:
    snapshot = Pipeline().snapshot([("story.txt", story())])
    one = frozenset({"Ракитин", "Степан Ильич Ракитин"})
    assert [who(snapshot, n) for n in range(len(STORY))] == [set(), set(), {one}, set(), set()]


def test_what_is_shown_as_of_a_time_knows_no_later_merge() -> None:
    check(Pipeline(), "story.txt", story())


def indexed(folder: Path, wishes: str) -> Snapshot:
    books = folder / "books"
    books.mkdir()
    (books / "story.txt").write_text(book(*STORY), encoding="utf-8")
    (books / "collection.yaml").write_text(wishes, encoding="utf-8")
    settings = load_settings(root=str(folder / "root"))
    summary = index([str(books)], "c", settings, lambda line: None)
    return Catalog(open_root(settings.root)).collection("c").open(summary.version_id)


@pytest.mark.ray
@pytest.mark.usefixtures("ray_cluster")
def test_what_the_user_says_holds(tmp_path: Path) -> None:
    snapshot = indexed(
        tmp_path,
        "entities:\n"
        "  merge: [[Ракитин, Павел Ильич Ракитин]]\n"
        "  split: [[Ракитин, Степан Ильич Ракитин]]\n"
        "  rename: {Маланья: Маланья Саввишна}\n",
    )
    both = frozenset({"Ракитин", "Павел Ильич Ракитин"})
    last = len(snapshot.text_units) - 1
    assert [who(snapshot, n) for n in range(last - 3, last + 1)] == [set(), set(), {both}, {both}]
    rows = [snapshot.entities.row(row) for row in range(len(snapshot.entities))]
    (renamed,) = [row for row in rows if row.name == "Маланья Саввишна"]
    assert "Маланья" in {alias.name for alias in renamed.aliases}


@pytest.mark.ray
@pytest.mark.usefixtures("ray_cluster")
def test_a_name_that_does_not_occur_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="Онегин"):
        indexed(tmp_path, "entities:\n  merge: [[Онегин, Ракитин]]\n")
