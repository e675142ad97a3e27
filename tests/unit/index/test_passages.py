"""What is embedded, and what the vector of a text unit is made of."""

import numpy as np
import pytest

from tests.unit.search.graphs import BOOKS, ToyEmbedder, text_units
from tgrag.index.assemble import unit_passage, vector_file
from tgrag.models.tokenizer import tokenizer
from tgrag.settings import ChunkSettings, EmbedSettings
from tgrag.store.vectors import VectorIndex

EMBEDDER = ToyEmbedder()
TOKENIZER = tokenizer(ChunkSettings().tokenizer)


def index_of(units, settings):
    passages = [unit_passage(unit, EMBEDDER.identity, TOKENIZER, settings) for unit in units]
    parts = {part.key: part.text for passage in passages for part in passage.parts}
    known = dict(zip(parts, EMBEDDER.embed_passages([*parts.values()]), strict=True))
    file = vector_file(passages, known, EMBEDDER.identity, settings.title_weight)
    return VectorIndex(file), {parts[key]: vector for key, vector in known.items()}


@pytest.mark.parametrize("weight", [0.0, 0.3])
def test_the_first_unit_of_a_book_has_its_title_in_its_vector(weight):
    units = text_units(BOOKS)
    index, known = index_of(units, EmbedSettings(title_weight=weight))
    assert {unit.text for unit in units} <= known.keys()
    assert (BOOKS[0].title in known) == bool(weight)
    for row, unit in enumerate(units):
        expected = known[unit.text]
        if weight and unit.chunk_index == 0:
            expected = expected + weight * known[unit.book_title]
        expected = expected / np.linalg.norm(expected)
        mask = np.arange(len(units)) == row
        assert index.search(expected, 1, mask)[1] == pytest.approx([1.0], abs=1e-3)
