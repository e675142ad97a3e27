from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.search.graphs import BookText, text_units
from tgrag.search.passages import LENGTH, passages, split

(UNIT,) = text_units(
    [BookText("s", 1, "Т", [((), ["Раз дом.  Два дом.\nТри дом! Пять дом? Семь дом. Шесть."])])]
)
ALL = split(UNIT)


def test_sentences_have_no_white_space_around():
    assert [s.text for s in ALL] == ["Раз дом.", "Два дом.", "Три дом!", "Пять дом?", "Семь дом.", "Шесть."]
    assert [s.number for s in ALL] == list(range(6))


def test_a_sentence_is_quoted_with_those_after_it():
    (quote,) = passages([ALL[1]], 4)
    assert quote.text == "Два дом.\nТри дом! Пять дом?"


@settings(deadline=None)
@given(st.permutations(ALL), st.integers(1, 6))
def test_quotes_are_spans_in_story_order_that_do_not_overlap(best_first, n):
    quotes = passages(best_first, n)
    assert 1 <= len(quotes) <= n
    assert any(best_first[0].text in quote.text for quote in quotes)
    end = 0
    for quote in quotes:
        assert quote.start >= end
        end = quote.start + len(quote.text)
        assert UNIT.text[quote.start : end] == quote.text
        assert len([s for s in ALL if quote.start <= s.start < end]) <= LENGTH
