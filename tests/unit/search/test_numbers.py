import pytest

from tgrag.search.numbers import Heading, numbered_places, read_heading, roman


@pytest.mark.parametrize(
    ("text", "kind", "number", "title"),
    [
        ("Глава III. Обман", "chapter", 3, "Обман"),
        ("ГЛАВА ПЕРВАЯ", "chapter", 1, ""),
        ("Часть вторая", "part", 2, ""),
        ("Двадцать первая глава", "chapter", 21, ""),
        ("Глава двадцать первая. Конец", "chapter", 21, "Конец"),
        ("Том второй", "book", 2, ""),
        ("Розділ 12", "chapter", 12, ""),
        ("Частина третя", "part", 3, ""),
        ("П'ята глава", "chapter", 5, ""),
        ("CHAPTER XXI. The End", "chapter", 21, "The End"),
        ("Third Chapter", "chapter", 3, ""),
        ("Chapter twenty-first", "chapter", 21, ""),
        ("IV", None, 4, ""),
        ("ХII", None, 12, ""),  # the first letter is Cyrillic
        ("III. Сон", None, 3, "Сон"),
        ("II Return", None, 2, "Return"),
        ("12. Обов'язки", None, 12, "Обов'язки"),
        ("1.2. Scope", None, None, "1.2. Scope"),
        ("I Go to Sea", None, None, "I Go to Sea"),
        ("С ПРИВЕТОМ", None, None, "С ПРИВЕТОМ"),
        ("2 главы", None, None, "2 главы"),
        ("Эпилог", None, None, "Эпилог"),
        ("", None, None, ""),
    ],
)
def test_a_heading_is_read_for_its_kind_number_and_title(text, kind, number, title):
    assert read_heading(text) == Heading(kind, number, title)


@pytest.mark.parametrize(
    ("text", "value"),
    [("I", 1), ("XIV", 14), ("MCMXC", 1990), ("ІХ", 9), ("IIX", None), ("iv", None), ("", None)],
)
def test_roman_numerals(text, value):
    assert roman(text) == value


@pytest.mark.parametrize(
    ("question", "kind", "number"),
    [
        ("Что было в первой главе?", "chapter", 1),
        ("А в главе двадцать третьей?", "chapter", 23),
        ("Чем кончилась третья часть", "part", 3),
        ("Що сталося у другій частині?", "part", 2),
        ("Хто прийшов у розділі п'ятому?", "chapter", 5),
        ("What happens in chapter five?", "chapter", 5),
        ("the 3rd chapter", "chapter", 3),
        ("in Chapter IX", "chapter", 9),
        ("У сьомому розділі", "chapter", 7),
    ],
)
def test_a_question_names_places_in_any_inflection(question, kind, number):
    (found,) = numbered_places([word.strip("?") for word in question.split()])
    assert found[:2] == (kind, number)


@pytest.mark.parametrize(
    "question", ["Сколько глав в книге?", "Две главы и три части", "I read one chapter a day"]
)
def test_counts_are_not_places(question):
    assert numbered_places([word.strip("?") for word in question.split()]) == []
