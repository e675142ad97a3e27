from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tgrag.errors import ConfigurationError
from tgrag.ingest.collection import (
    CollectionFile,
    ParsedSource,
    Placement,
    load_collection_files,
    natural_key,
    place,
)
from tgrag.records import Element, ParsedDocument


def source(name: str, **fields: object) -> ParsedSource:
    elements = (Element("paragraph", "Був собі дід та баба, і мали вони курочку. Її звали Ряба."),)
    return ParsedSource(name, ParsedDocument(**({"status": "ok", "elements": elements} | fields)))  # type: ignore[arg-type]


def placed(*sources: ParsedSource, config: CollectionFile | None = None) -> dict[str, Placement]:
    return {placement.source: placement for placement in place(sources, config)}


def series(placements: dict[str, Placement]) -> dict[str, tuple[str, str, int]]:
    return {name: (p.series_id, p.series_origin, p.book_number) for name, p in placements.items()}


def test_a_file_alone_is_a_series_of_its_own() -> None:
    placement = placed(source("books/Лісова пісня.txt"))["books/Лісова пісня.txt"]
    assert (placement.series_id, placement.series_origin, placement.book_number) == (
        "books/Лісова пісня",
        "single",
        1,
    )
    assert placement.title == placement.series_title == placement.book_title == "Лісова пісня"
    assert placement.language == "uk"
    assert placed(source("a.fb2.zip"))["a.fb2.zip"].series_id == "a"


def test_file_names_that_differ_in_one_number_are_a_series_in_natural_order() -> None:
    names = ["x/hp10.txt", "x/hp2.epub", "x/hp1.txt", "x/other.txt", "y/hp3.txt"]
    placements = placed(*map(source, names))
    assert series(placements) == {
        "x/hp10.txt": ("x/hp#", "file names", 10),
        "x/hp2.epub": ("x/hp#", "file names", 2),
        "x/hp1.txt": ("x/hp#", "file names", 1),
        "x/other.txt": ("x/other", "single", 1),
        "y/hp3.txt": ("y/hp3", "single", 1),
    }
    assert placements["x/hp2.epub"].series_title == "hp"


def test_volumes_by_word_and_roman_number() -> None:
    names = ["Война и мир. Том IV.fb2", "Война и мир. Том II.fb2", "Война и мир. Том I.fb2"]
    placements = placed(*map(source, names))
    assert [placements[name].book_number for name in names] == [4, 2, 1]
    assert {p.series_title for p in placements.values()} == {"Война и мир"}
    assert {p.series_title for p in placed(source("w/1.txt"), source("w/2.txt")).values()} == {"w"}


@pytest.mark.parametrize(
    "names",
    [
        ["w/Том первый.txt", "w/Том второй.txt", "w/Том третий.txt", "w/Том десятый.txt"],
        ["w/Saga Book One.txt", "w/Saga Book Two.txt", "w/Saga Book Three.txt", "w/Saga Book Twenty-One.txt"],
        ["w/Перша книга.txt", "w/Друга книга.txt", "w/Третя книга.txt"],
        ["w/Part the First.txt", "w/Part the Second.txt", "w/Part the Third.txt"],
        ["w/diary 1904-12-01.txt", "w/diary 1905-01-30.txt", "w/diary 1905-02-01.txt"],
        ["w/IX.txt", "w/X.txt", "w/XI.txt"],
    ],
)
def test_a_series_is_in_the_order_of_its_numbers_in_words_and_dates(names: list[str]) -> None:
    placements = placed(*map(source, reversed(names)))
    assert len({placement.series_id for placement in placements.values()}) == 1
    assert sorted(names, key=lambda name: placements[name].book_number) == names


def test_a_series_is_told_by_numbered_titles_where_file_names_say_nothing() -> None:
    placements = placed(
        source("w/c.fb2", title="Кольцо. Книга вторая"),
        source("w/a.fb2", title="Кольцо. Книга третья"),
        source("w/b.fb2", title="Кольцо. Книга первая"),
        source("w/d.fb2", title="Кольцо"),
    )
    assert series(placements) == {
        "w/b.fb2": ("w/Кольцо. Книга #", "titles", 1),
        "w/c.fb2": ("w/Кольцо. Книга #", "titles", 2),
        "w/a.fb2": ("w/Кольцо. Книга #", "titles", 3),
        "w/d.fb2": ("w/d", "single", 1),
    }
    assert placements["w/a.fb2"].series_title == "Кольцо"


def test_a_series_of_metadata_without_numbers_is_in_the_order_of_titles_then_dates() -> None:
    by_title = [("b.epub", "Saga. Book Two"), ("c.epub", "Saga. Book Ten"), ("a.epub", "Saga. Book Eleven")]
    placements = placed(*(source(name, series_title="Saga", title=title) for name, title in by_title))
    assert [placements[name].book_number for name, _ in by_title] == [2, 10, 11]
    by_date = [("z.epub", "1899"), ("y.epub", "1901-05"), ("x.epub", "1901-06-02")]
    placements = placed(*(source(name, series_title="Saga", date=date) for name, date in by_date))
    assert [placements[name].book_number for name, _ in by_date] == [1, 2, 3]


def test_two_numbers_in_a_name_are_told_apart() -> None:
    names = ["2020 hp 1.txt", "2020 hp 2.txt", "2020 hp 3.txt", "2021 hp 1.txt"]
    assert [p.book_number for p in placed(*map(source, names)).values()][:3] == [1, 2, 3]


def test_metadata_goes_before_file_names() -> None:
    placements = placed(
        source("a1.fb2", series_title="Сага", series_number=2, title="Вторая", language="ru"),
        source("a2.fb2", series_title="САГА", series_number=1, title="Первая", language="ru"),
        source("a3.fb2", series_title="Сага"),
    )
    assert series(placements) == {
        "a1.fb2": ("сага", "metadata", 2),
        "a2.fb2": ("сага", "metadata", 1),
        "a3.fb2": ("сага", "metadata", 3),
    }
    assert placements["a1.fb2"].language == "ru"


def test_a_file_of_many_books_has_many_numbers() -> None:
    books = [
        element
        for name in ("MAT", "MAR", "LUK")
        for element in (Element("heading", name, level=0), Element("paragraph", "Text."))
    ]
    placements = placed(source("nt 1.xml", elements=tuple(books)), source("nt 2.xml"))
    assert (placements["nt 1.xml"].n_books, placements["nt 1.xml"].book_title) == (3, "MAT")
    assert placements["nt 2.xml"].book_number == 4


def test_books_are_counted_as_they_are_cut() -> None:
    elements = (
        Element("paragraph", "A preface is a book of its own."),
        Element("heading", "Empty", level=0),
        Element("heading", "MAT", level=0),
        Element("paragraph", "Text."),
    )
    placements = placed(source("nt 1.xml", elements=elements), source("nt 2.xml"))
    assert (placements["nt 1.xml"].n_books, placements["nt 1.xml"].book_title) == (2, "nt 1")
    assert placements["nt 2.xml"].book_number == placements["nt 1.xml"].book_number + 2


YAML = """
series:
  - title: Война и мир
    id: war
    language: ru
    books:
      - {file: second.txt, title: Том второй, date: 1868, language: en}
      - {file: "sub/*.txt", number: 7}
      - first.txt
"""


def test_collection_yaml_states_series_order_titles_languages_and_dates(tmp_path: Path) -> None:
    (tmp_path / "books").mkdir()
    (tmp_path / "books" / "collection.yaml").write_text(YAML, encoding="utf-8")
    config = load_collection_files([str(tmp_path / "books")])
    names = [
        "books/first.txt",
        "books/second.txt",
        "books/sub/a2.txt",
        "books/sub/a10.txt",
        "elsewhere/first.txt",
    ]
    placements = placed(*(source(name, series_title="Другая") for name in names), config=config)
    assert series(placements) == {
        "books/second.txt": ("war", "collection.yaml", 1),
        "books/sub/a2.txt": ("war", "collection.yaml", 7),
        "books/sub/a10.txt": ("war", "collection.yaml", 8),
        "books/first.txt": ("war", "collection.yaml", 9),
        "elsewhere/first.txt": ("другая", "metadata", 1),
    }
    second = placements["books/second.txt"]
    assert (second.title, second.date, second.language, second.series_title) == (
        "Том второй",
        "1868",
        "en",
        "Война и мир",
    )
    assert placements["books/first.txt"].language == "ru"
    assert config is not None
    assert config.unmatched(["books/first.txt", "books/sub/a.txt"]) == ["books/second.txt"]


def test_collection_yaml_beside_a_file_speaks_of_its_base_name(tmp_path: Path) -> None:
    (tmp_path / "collection.yaml").write_text("series: [{title: С, books: [a.txt]}]", encoding="utf-8")
    (tmp_path / "a.txt").write_text("x", encoding="utf-8")
    for given_input in (tmp_path / "a.txt", tmp_path / "*.txt"):
        config = load_collection_files([str(given_input)])
        assert series(placed(source("a.txt"), config=config)) == {"a.txt": ("с", "collection.yaml", 1)}


def test_no_collection_yaml_is_none(tmp_path: Path) -> None:
    assert load_collection_files([str(tmp_path)]) is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("series: [{books: [a.txt]}]", "series.0.title"),
        ("series: [{title: A, books: [{file: a.txt, volume: 2}]}]", "series.0.books.0.volume"),
        ("series: [{title: A, language: fr, books: [a.txt]}]", "series.0.language"),
        ("series: [{title: A, books: [{file: a.txt, date: spring}]}]", "series.0.books.0.date"),
        ("series: [{title: A, books: []}]", "series.0.books"),
        ("series: [", "YAML"),
        ("", "file"),
    ],
)
def test_faults_of_collection_yaml_name_file_and_field(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "collection.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=says) as caught:
        load_collection_files([str(tmp_path)])
    assert "collection.yaml" in caught.value.message


@settings(deadline=None)
@given(st.permutations(["a/b1.txt", "a/b2.txt", "a/b10.txt", "c.txt", "d 3.txt", "d 4.txt"]))
def test_places_do_not_depend_on_the_order_of_the_files(names: list[str]) -> None:
    placements = place([source(name) for name in names], None)
    assert [p.source for p in placements] == names
    assert sorted(placements, key=lambda p: p.source) == sorted(
        place([source(name) for name in sorted(names)], None), key=lambda p: p.source
    )
    numbers = [(p.series_id, p.book_number) for p in placements]
    assert len(set(numbers)) == len(numbers)


def test_natural_order() -> None:
    assert sorted(["hp10", "hp2", "HP1"], key=natural_key) == ["HP1", "hp2", "hp10"]


def test_what_is_stated_comes_back_from_a_manifest() -> None:
    stated = CollectionFile.model_validate({"series": [{"title": "Война и мир", "books": ["tom1.fb2"]}]})
    assert CollectionFile.model_validate_json(stated.model_dump_json()) == stated


def test_what_is_stated_of_some_sources() -> None:
    stated = CollectionFile.model_validate(
        {"series": [{"title": "A", "books": ["1.txt", "2.txt"]}, {"title": "B", "books": ["3.txt"]}]}
    )
    (series,) = stated.naming(["x/2.txt"])
    assert (series.title, [book.file for book in series.books]) == ("A", ["2.txt"])


@pytest.mark.parametrize(
    "names",
    [
        ["s/01 Утро.txt", "s/02 Ночь.txt", "s/10 Дорога.txt"],
        ["Harry 1 - Stone.txt", "Harry 2 - Chamber.txt", "Harry 10 - End.txt"],
        ["Том 1/book.txt", "Том 2/book.txt", "Том 10/book.txt"],
    ],
)
def test_numbers_before_titles_and_in_folders_are_a_series(names: list[str]) -> None:
    placements = placed(*map(source, reversed(names)))
    assert len({p.series_id for p in placements.values()}) == 1
    assert sorted(names, key=lambda name: placements[name].book_number) == names


@pytest.mark.parametrize(
    "names",
    [
        ["451.txt", "1984.txt"],
        ["12 стульев.txt", "80 дней.txt", "13 этаж.txt"],
        ["room 12.txt", "level 3.txt"],
        ["Том 1/book.txt", "Том 2/tale.txt"],
    ],
)
def test_unrelated_numbers_are_no_series(names: list[str]) -> None:
    assert {p.series_origin for p in placed(*map(source, names)).values()} == {"single"}


def test_a_series_is_called_as_the_titles_of_its_books_are() -> None:
    placements = placed(*(source(f"t{n}.txt", title=f"Степь. Том {n}") for n in (1, 2, 10)))
    assert {p.series_title for p in placements.values()} == {"Степь"}
