import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tgrag.errors import ConfigurationError
from tgrag.ingest.collection_file import load_collection_files
from tgrag.ingest.sources import discover, read_source


@pytest.fixture
def books(tmp_path: Path) -> Path:
    folder = tmp_path / "books"
    (folder / "deep" / "er").mkdir(parents=True)
    (folder / ".git").mkdir()
    for name in (
        "b.txt",
        "a.txt",
        "deep/c.md",
        "deep/er/d.txt",
        ".hidden.txt",
        ".git/e.txt",
        "collection.yaml",
    ):
        (folder / name).write_text(name, encoding="utf-8")
    return folder


def names(*inputs: object) -> list[str]:
    return [file.source for file in discover([str(path) for path in inputs])]


def test_a_folder_is_read_to_its_depths(books: Path) -> None:
    assert names(books) == ["books/a.txt", "books/b.txt", "books/deep/c.md", "books/deep/er/d.txt"]
    file = discover([str(books)])[0]
    assert read_source(file.location) == b"a.txt"
    assert file.n_bytes == 5
    assert Path(file.location).is_absolute()


def test_files_and_globs_are_named_by_their_base_name(books: Path) -> None:
    assert names(books / "a.txt") == ["a.txt"]
    assert names(books / "*.txt") == ["a.txt", "b.txt"]
    assert names(books / "**" / "*.txt") == ["a.txt", "b.txt", "d.txt"]


def test_names_do_not_depend_on_where_the_folder_lies(books: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = names(books)
    monkeypatch.chdir(books)
    assert names(".") == expected
    assert names("../books") == expected
    assert names("deep/..") == expected
    monkeypatch.chdir(books.parent)
    assert names("books/") == expected


def test_names_are_composed_unicode(tmp_path: Path) -> None:
    (tmp_path / "и\u0306.txt").write_text("x", encoding="utf-8")
    assert names(tmp_path / "и\u0306.txt") == ["й.txt"]


def test_a_link_back_into_the_folder_ends(books: Path) -> None:
    (books / "deep" / "loop").symlink_to(books, target_is_directory=True)
    (books / "link.txt").symlink_to(books / "a.txt")
    assert names(books) == [
        "books/a.txt",
        "books/b.txt",
        "books/deep/c.md",
        "books/deep/er/d.txt",
        "books/link.txt",
    ]


def test_the_same_file_twice_is_one_document(books: Path) -> None:
    assert names(books / "a.txt", books / "*.txt") == ["a.txt", "b.txt"]


def test_two_files_of_one_name_are_an_error_that_names_both(books: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "a.txt").write_text("other", encoding="utf-8")
    with pytest.raises(ConfigurationError) as caught:
        discover([str(books / "a.txt"), str(tmp_path / "other" / "a.txt")])
    assert str(books / "a.txt") in caught.value.message
    assert str(tmp_path / "other" / "a.txt") in caught.value.message
    assert "rename" in caught.value.message


@pytest.mark.parametrize("name", ["nothing.txt", "*.pdf", "empty"])
def test_an_input_without_files_is_an_error(books: Path, name: str) -> None:
    (books / "empty").mkdir()
    with pytest.raises(ConfigurationError, match="name a file"):
        discover([str(books / name)])


def test_reading_what_is_gone_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"gone\.txt"):
        read_source(str(tmp_path / "gone.txt"))


def test_what_is_no_file_is_left_out_and_never_waited_for(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("text")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "nowhere").symlink_to("missing")
    os.mkfifo(tmp_path / "pipe.txt")
    assert [file.source for file in discover([str(tmp_path)])] == [f"{tmp_path.name}/a.txt"]
    with pytest.raises(ConfigurationError, match="neither a file nor a folder"):
        discover([str(tmp_path / "pipe.txt")])
    with pytest.raises(OSError, match="no regular file"):
        read_source(str(tmp_path / "pipe.txt"))


def test_one_file_named_in_two_ways_is_one(tmp_path: Path) -> None:
    (tmp_path / "books").mkdir()
    (tmp_path / "books" / "a.txt").write_text("text")
    inputs = [str(tmp_path / "books"), str(tmp_path / "books" / ".." / "books")]
    assert len(discover(inputs)) == 1


def test_a_name_that_is_no_unicode_can_be_shown(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"\xcf\xf0.txt")).write_text("text")
    (file,) = discover([str(tmp_path)])
    assert file.source == f"{tmp_path.name}/\\xcf\\xf0.txt"


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
def test_a_collection_file_that_is_no_file(tmp_path: Path, make: Callable[[Path], None]) -> None:
    (tmp_path / "a.txt").write_text("text")
    make(tmp_path / "collection.yaml")
    with pytest.raises(ConfigurationError, match=r"collection\.yaml cannot be read"):
        load_collection_files([str(tmp_path)])


def test_a_collection_file_speaks_of_its_own_folder_and_the_nearest_wins(tmp_path: Path) -> None:
    deep = tmp_path / "books" / "saga" / "parts"
    deep.mkdir(parents=True)
    for folder in (deep, tmp_path / "books"):
        (folder / "a.txt").write_text("text", encoding="utf-8")
    (tmp_path / "books" / "collection.yaml").write_text("series: [{title: Outer, books: [a.txt]}]")
    (deep.parent / "collection.yaml").write_text("series: [{title: Inner, books: [parts/a.txt]}]")
    stated = load_collection_files([str(tmp_path / "books")])
    assert stated is not None
    titles = [match[0].title for name in names(tmp_path / "books") if (match := stated.find(name))]
    assert titles == ["Outer", "Inner"]


def test_an_empty_input_is_not_the_working_directory() -> None:
    with pytest.raises(ConfigurationError, match="empty"):
        discover([""])
