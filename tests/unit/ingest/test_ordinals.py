import pytest
from hypothesis import given
from hypothesis import strategies as st

from tgrag.ingest.ordinals import number, roman
from tgrag.ingest.sequences import Mark, in_sequence

ROMAN = ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX")
TENS = ("", "X", "XX", "XXX", "XL", "L", "LX", "LXX", "LXXX", "XC")


@pytest.mark.parametrize(
    ("ordinal", "value"),
    [
        ("3", 3), ("12-я", 12), ("3rd", 3), ("№ 7", 7), ("No. 5", 5), ("XIV", 14), ("ХІІ", 12), ("iv", 4),
        ("первая", 1), ("ПЕРВАЯ", 1), ("третий", 3), ("двадцать вторая", 22), ("сороковая", 40),
        ("перша", 1), ("друга", 2), ("п’ятий", 5), ("тридцять третя", 33), ("десята", 10),
        ("one", 1), ("Second", 2), ("Twenty-One", 21), ("fortieth", 40), ("the", None), ("IIII", None), ("Iv", None),
        ("последняя", None), ("", None),
    ],
)  # fmt: skip
def test_numbers_are_read_as_they_are_written(ordinal: str, value: int | None) -> None:
    assert number(ordinal) == value


@given(st.integers(1, 99))
def test_roman_numbers(value: int) -> None:
    text = TENS[value // 10] + ROMAN[value % 10]
    assert roman(text) == roman(text.lower()) == value


def marks(*places: tuple[int, int]) -> list[Mark]:
    return [Mark("chapter", number, position) for number, position in places]


def test_a_numbering_goes_up_begins_again_and_has_text_between() -> None:
    chapters = marks((1, 0), (2, 900), (3, 1800), (1, 3000), (2, 4000), (3, 5000))
    assert in_sequence(chapters, gap=300, shortest=3) == set(range(6))
    assert in_sequence(marks((1, 0), (2, 20), (3, 40)), gap=300, shortest=2) == set()
    assert in_sequence(marks((7, 0), (1812, 900), (9, 1800)), gap=300, shortest=2) == set()


def test_a_number_out_of_its_row_and_a_missing_one_do_not_break_a_numbering() -> None:
    places = marks((1, 0), (9, 400), (2, 900), (4, 1800), (5, 2700), (40, 3000), (6, 3600))
    assert in_sequence(places, gap=300, shortest=3) == {0, 2, 3, 4, 6}


def test_schemes_do_not_mix() -> None:
    places = [Mark("part", 1, 0), Mark("chapter", 1, 10), Mark("chapter", 2, 900), Mark("part", 2, 1800)]
    assert in_sequence(places, gap=300, shortest=2) == {0, 1, 2, 3}
    assert in_sequence([Mark("part", 1, 0), Mark("chapter", 2, 900)], gap=300, shortest=2) == set()
