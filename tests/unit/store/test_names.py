"""Entities by the lemmas of their names."""

import pyarrow as pa

from tests.unit.search.graphs import BOOKS, library
from tgrag.language import lemmas
from tgrag.store.lexical import Vocabulary


def expected(entities, asked):
    """Look at every name of every entity."""
    found = []
    for row, entity in enumerate(entities):
        for name, known in [
            (entity.name, entity.known_from),
            *((a.name, a.known_from) for a in entity.aliases),
        ]:
            words = set(lemmas(name, entity.language))
            if words & asked:
                found.append((row, len(words & asked) / len(words), known))
    return found


def test_every_name_that_shares_a_lemma_is_found():
    snapshot = library(BOOKS)
    entities = snapshot.entities.take(range(len(snapshot.entities)))
    for asked in ({"марфа"}, {"никита", "одинцов", "рига"}, {"нет"}, set()):
        found = snapshot.names.search(asked)
        rows = zip(found.entities.tolist(), found.shares.tolist(), found.known_from.tolist(), strict=True)
        assert list(rows) == expected(entities, asked)
    assert len(snapshot.names.search({"никита", "оксана"}).entities) >= 2


def test_a_vocabulary_knows_the_place_of_each_term_and_of_no_other():
    terms = ["a", "b", "я", "ё", "𝒳"]
    vocabulary = Vocabulary(pa.chunked_array([terms[:2], terms[2:]]))
    assert [vocabulary.place(term) for term in terms] == list(range(5))
    assert vocabulary.place("") is vocabulary.place("c") is vocabulary.place("𝒴") is None
