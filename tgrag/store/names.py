"""The names of entities by their lemmas: who may be meant by the words of a question."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tgrag.language import lemmas
from tgrag.records import Entity
from tgrag.store import lexical
from tgrag.store.tables import Rows, flat, flat_values

Integers = NDArray[np.int64]


def build(entities: Iterable[Entity]) -> pa.Table:
    """Return the inverted index of the names of entities, in the order of their table: lemma -> names.

    The names of an entity are its own and its aliases, one after the other.
    """
    names = (
        (name, entity.language)
        for entity in entities
        for name in (entity.name, *(a.name for a in entity.aliases))
    )
    return lexical.build(sorted(set(lemmas(name, language))) for name, language in names)


@dataclass(frozen=True, slots=True)
class NamesFound:
    """Names that share lemmas with a question: the entity row of each, the share of its lemmas, from when it is known."""

    entities: Integers
    shares: NDArray[np.float64]
    known_from: Integers


class NameIndex:
    """The inverted index ``table`` of the names of ``entities`` in memory."""

    def __init__(self, table: pa.Table, entities: Rows[Entity]) -> None:
        n_aliases = np.diff(entities.nested("aliases", "known_from").offsets)
        self._entities = np.repeat(np.arange(len(entities), dtype=np.int32), n_aliases + 1)
        own = np.cumsum(n_aliases + 1) - n_aliases - 1
        self._known_from = np.empty(len(self._entities), dtype=np.int64)
        self._known_from[own] = entities.column("known_from")
        is_alias = np.ones(len(self._entities), dtype=np.bool_)
        is_alias[own] = False
        self._known_from[is_alias] = flat_values(entities.table["aliases"], "known_from").to_numpy()
        self._terms = lexical.Vocabulary(table["term"])
        self._names = flat(table["rows"])
        self._sizes = np.bincount(self._names.values, minlength=len(self._entities)).astype(np.int32)

    def search(self, asked: Iterable[str]) -> NamesFound:
        """Return the names, by row, that have any of these lemmas."""
        places = (self._terms.place(lemma) for lemma in sorted(set(asked)))
        spans = [self._names.of(place) for place in places if place is not None]
        names, shared = np.unique(np.concatenate([np.empty(0, np.int32), *spans]), return_counts=True)
        return NamesFound(
            self._entities[names].astype(np.int64), shared / self._sizes[names], self._known_from[names]
        )
