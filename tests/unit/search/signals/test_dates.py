import pytest

from tests.unit.search.graphs import BookText, text_units
from tgrag.search.signals.dates import date_match, read_dates


@pytest.mark.parametrize(
    ("text", "years", "intervals"),
    [
        ("Who owned it from 1811 to 1827?", {1811, 1827}, {(1811, 1827)}),
        ("served 1916–1920 and again in 1925", {1916, 1920, 1925}, {(1916, 1920)}),
        ("between 1975 and Feb 2016", {1975, 2016}, {(1975, 2016)}),
        ("жил здесь с 1811 по 1827 год", {1811, 1827}, {(1811, 1827)}),
        ("у 1811–1827 роках", {1811, 1827}, {(1811, 1827)}),
        ("1,200 people, 1.5 km, 18000 tons, 12345", set(), set()),
        ("in 1920 to 1910", {1920, 1910}, set()),
        ("no date at all", set(), set()),
    ],
)
def test_years_and_intervals_are_read(text, years, intervals):
    found = read_dates(text)
    assert (found.years, found.intervals) == (years, intervals)
    assert bool(found) == bool(years)


def test_a_full_date_is_a_day_and_no_year():
    found = read_dates("the report on 2023-11-24")
    assert found.days == {"2023-11-24"}
    assert not found.years


def units(*texts, date=None):
    return text_units([BookText("s", 1, "Book", [((), texts)], language="en", date=date)])


def test_the_same_interval_comes_first_then_an_overlapping_one():
    found = units(
        "Owned from 1811 to 1827.", "Owned from 1820 to 1900.", "Owned from 1950 to 1960.", "Nothing."
    )
    same, overlapping = date_match(read_dates("Who owned it from 1811 to 1827?"), range(4), found)
    assert same.rows.tolist() == [0]
    assert overlapping.rows.tolist() == [0, 1]
    assert overlapping.scores[0] == 1


def test_a_year_asked_for_lies_inside_an_interval():
    _, overlapping = date_match(
        read_dates("Who owned it in 1815?"), range(2), units("1811 to 1827", "1830 to 1840")
    )
    assert overlapping.rows.tolist() == [0]


def test_the_day_of_a_document_counts():
    same, _ = date_match(read_dates("reported on 2023-11-24"), range(1), units("News.", date="2023-11-24"))
    assert same.rows.tolist() == [0]
