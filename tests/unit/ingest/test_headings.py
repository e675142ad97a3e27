import pytest

from tgrag.ingest.headings import (
    ARTICLE,
    BOOK,
    CHAPTER,
    DIVISION,
    PART,
    SECTION,
    VOLUME,
    heading_at,
    line_heading,
)


@pytest.mark.parametrize(
    ("line", "level"),
    [
        ("Глава I", CHAPTER),
        ("ГЛАВА XIV.", CHAPTER),
        ("Глава первая", CHAPTER),
        ("Глава двадцать вторая", CHAPTER),
        ("ГЛАВА 3. Сержант гвардии", CHAPTER),
        ("Глава 12-я", CHAPTER),
        ("Первая глава", CHAPTER),
        ("5 глава", CHAPTER),
        ("Глава первая, в которой герой теряет шляпу", CHAPTER),
        ("Часть вторая", PART),
        ("Том второй[88]", VOLUME),
        ("КНИГА ТРЕТЬЯ", BOOK),
        ("Раздел I. Общая часть", DIVISION),
        ("Статья 12. Права и обязанности сторон", ARTICLE),
        ("Розділ ІІ", DIVISION),
        ("Частина перша", PART),
        ("Розділ п’ятий", DIVISION),
        ("Стаття 5. Сфера дії", ARTICLE),
        ("Глава ХІІ", CHAPTER),
        ("CHAPTER I. Down the Rabbit-Hole", CHAPTER),
        ("Chapter Twenty-One", CHAPTER),
        ("Chapter the First", CHAPTER),
        ("Part Two", PART),
        ("Book the Second", BOOK),
        ("BOOK II: The Golden Thread", BOOK),
        ("The Third Book", BOOK),
        ("Act III", PART),
        ("SCENE 2. A room in the castle", SECTION),
        ("VIII", SECTION),
        ("ІV.", SECTION),
        ("X", SECTION),
        ("Ch. 1", CHAPTER),
        ("Гл. IV.", CHAPTER),
        ("[Chapter 1]", CHAPTER),
        ("[Часть вторая]", PART),
        ("Г Л А В А П Е Р В А Я", CHAPTER),
        ("P A R T I I", PART),
    ],
)
def test_headings_are_known_by_their_words(line: str, level: int) -> None:
    heading = line_heading(line)
    assert heading is not None
    assert (heading.text, heading.level) == (line, level)


@pytest.mark.parametrize(
    "line",
    [
        "12",
        "Глава семьи вышел из комнаты.",
        "Часть вторая была скучна.",
        "Книга первая лежала на столе и ждала",
        "часть 2 статьи 5 применяется",
        "Глава 3 ........ 17",
        "— Глава первая, — сказал он.",
        "Part of the problem",
        "Chapter and verse",
        "Глава с названием",
        "I am here",
        "C",
        "М.",
        "IIII",
        "Том Сойер",
        "Книга джунглей",
        "Acts 5",
        "Гл. 3. С. 15.",
        "[1]",
        "[I]",
        "[Chapter 1 is missing in this copy.]",
        "Г Л А В Н Ы Й",
    ],
)
def test_what_only_looks_like_a_heading_is_none(line: str) -> None:
    assert line_heading(line) is None


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["ГЛАВА I", "СЕРЖАНТ ГВАРДИИ", "Текст."], ("ГЛАВА I. СЕРЖАНТ ГВАРДИИ", 2)),
        (["I", "", "", "БЭЛА", "", "Текст."], ("I. БЭЛА", 4)),
        (["Chapter 1.", "", "The Boy Who Lived", "", "Mr. and Mrs."], ("Chapter 1. The Boy Who Lived", 3)),
        (["Часть вторая", "(Окончание)", "II"], ("Часть вторая (Окончание)", 2)),
        (["ПРИЛОЖЕНИЕ", "ПРОПУЩЕННАЯ ГЛАВА *", "Мы"], ("ПРИЛОЖЕНИЕ. ПРОПУЩЕННАЯ ГЛАВА *", 2)),
        (["Эпилог", "Прошло семь лет"], ("Эпилог", 1)),
        (["I", "А в ненастные дни", "Собирались они"], ("I", 1)),
        (["II", "", "Он вышел.", ""], ("II", 1)),
        (["ГЛАВА I", "— Да, — сказал он", ""], ("ГЛАВА I", 1)),
        (["Часть первая", "Глава первая", "Текст"], ("Часть первая", 1)),
        (["ГЛАВА X", "А. С. ПУШКИН", ""], ("ГЛАВА X", 1)),
    ],
)
def test_a_title_below_joins_its_heading(lines: list[str], expected: tuple[str, int]) -> None:
    found = heading_at(lines, 0)
    assert found is not None
    assert (found[0].text, found[1]) == expected


@pytest.mark.parametrize(
    "line", ["Предисловие", "ЗАКЛЮЧЕНИЕ", "Епілог", "Від автора", "Prologue", "APPENDIX", "Notes"]
)
def test_unnumbered_headings_stand_alone(line: str) -> None:
    assert heading_at(["", line, ""], 1) is not None
    assert heading_at([f"{line} было длинным."], 0) is None


def test_an_unnumbered_word_inside_a_paragraph_is_text() -> None:
    assert heading_at(["и вот написано было наконец", "Предисловие", "к этой книге"], 1) is None
