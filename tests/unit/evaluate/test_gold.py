from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.search.graphs import BOOKS, library
from tgrag.evaluate.folding import Folded, fold
from tgrag.evaluate.gold import DocumentText, Located, Piece
from tgrag.evaluate.sets import Gold, Limit
from tgrag.records import TextUnit


def units(*texts: str) -> list[TextUnit]:
    """Text units of one document, a space between them."""
    snapshot = library(BOOKS)
    template = snapshot.text_units.row(0)
    found, start = [], 0
    for place, text in enumerate(texts):
        end = start + len(text)
        found.append(
            replace(template, text_unit_id=f"u{place}", ordinal=place, start=start, end=end, text=text)
        )
        start = end + 1
    return found


@given(st.text(max_size=60))
def test_every_letter_knows_the_character_it_comes_from(text):
    folded = Folded.of(text)
    assert folded.letters == fold(text)
    assert all(
        letter in fold(text[place]) for letter, place in zip(folded.letters, folded.offsets, strict=True)
    )


def test_texts_meet_whatever_happened_to_marks_and_spaces():
    assert fold("Ёлка —\nзеле-\nная!") == fold("елка - зеленая")
    assert fold("об’єкт") == fold("об'єкт")


def test_of_equal_texts_the_nearest_to_the_place_is_meant():
    folded = Folded.of("abc xyz abc xyz abc")
    assert folded.find("abc", 0) == (0, 3)
    assert folded.find("abc", 7) == (6, 9)
    assert folded.find("abc", 99) == (12, 15)
    assert folded.find("nothing", 3) is None


def test_a_quote_over_a_cut_is_in_two_units_and_found_with_both_only():
    document = DocumentText(units("One two three.", "Four five six."))
    located = document.locate(Gold("quote", "d", "two three. Four five"))
    assert [(p.text_unit_id, p.text) for p in located.pieces] == [("u0", "twothree"), ("u1", "fourfive")]
    assert located.is_found(lambda piece: True)
    assert not located.is_found(lambda piece: piece.text_unit_id == "u0")


def test_a_passage_is_found_by_half_of_it_or_by_a_unit_inside_it():
    long = DocumentText(units("a" * 40, "b" * 40, "c" * 40)).locate(
        Gold("passage", "d", "a" * 40 + " " + "b" * 40 + "\n" + "c" * 10)
    )
    assert long.is_found(lambda piece: piece.text_unit_id == "u1")
    assert not long.is_found(lambda piece: piece.text_unit_id == "u2")
    short = DocumentText(units("x" * 100 + "yyyy")).locate(Gold("passage", "d", "yyyy"))
    assert short.is_found(lambda piece: piece.text_unit_id == "u0")


def test_a_long_text_is_found_by_its_ends_when_its_middle_was_changed():
    first, middle, last = ("".join(f"{letter}{n} " for n in range(30)) for letter in "abc")
    document = DocumentText(units(first + middle + last))
    assert document.locate(Gold("passage", "d", first + "gone " + last)).pieces
    assert not document.locate(Gold("passage", "d", first + "gone " + "z" * 60)).pieces


def test_what_is_not_there_is_never_found():
    absent = DocumentText(units("One two.")).locate(Gold("quote", "d", "three"))
    assert absent.pieces == ()
    assert not absent.is_found(lambda piece: True)
    assert not Located("passage", 0, ()).is_found(lambda piece: True)


@pytest.mark.parametrize(("text", "ordinal"), [("One two.", 0), ("Three four.", 1), ("Three", 0)])
def test_a_limit_hides_the_unit_that_is_not_read_to_its_end(text, ordinal):
    document = DocumentText(units("One two.", "Three four.", "Five."))
    last = document.last_unit(Limit("d", text, 0.5))
    assert last is not None and last.ordinal == ordinal


def test_nothing_is_read_before_the_first_unit_ends():
    assert DocumentText(units("One two.", "Three.")).last_unit(Limit("d", "One", 0.0)) is None


@given(st.lists(st.integers(1, 30), min_size=1, max_size=6), st.sampled_from(("passage", "quote")))
def test_more_pieces_never_find_less(sizes, kind):
    pieces = tuple(Piece(f"u{place}", "x" * size, 30) for place, size in enumerate(sizes))
    located = Located(kind, sum(sizes), pieces)
    found = [located.is_found(lambda p, n=n: int(p.text_unit_id[1:]) < n) for n in range(len(sizes) + 1)]
    assert found == sorted(found)
    assert found[-1] and not found[0]
