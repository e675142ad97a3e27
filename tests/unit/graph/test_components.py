from hypothesis import given
from hypothesis import strategies as st

from tgrag.graph.components import components

ids = [str(n) for n in range(8)]
pairs = st.lists(st.tuples(st.sampled_from(ids), st.sampled_from(ids)), max_size=12)


def test_the_first_of_a_component_stands_for_it():
    assert components("abcd", [("c", "b"), ("d", "c")]) == {"a": "a", "b": "b", "c": "b", "d": "b"}


@given(pairs)
def test_a_component_is_what_pairs_lead_to(given_pairs):
    reached = {key: {key} for key in ids}
    for _ in ids:
        for first, second in given_pairs:
            reached[first] = reached[second] = reached[first] | reached[second]
    assert components(ids, given_pairs) == {key: min(reached[key]) for key in ids}
