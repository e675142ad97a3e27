from hypothesis import given, settings
from hypothesis import strategies as st

from tgrag.store.keys import ABSENT, Keys


@settings(deadline=None)
@given(st.lists(st.text()), st.lists(st.text()))
def test_strings_have_the_number_of_their_first_place(given_ones: list[str], others: list[str]) -> None:
    keys = Keys(iter(given_ones))
    asked = given_ones + others
    expected = [given_ones.index(s) if s in given_ones else ABSENT for s in asked]
    assert keys.numbers(asked).tolist() == expected
    assert [keys.number(s) for s in asked] == expected
    assert len(keys) == len(given_ones)
