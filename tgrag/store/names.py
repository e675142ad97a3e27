"""The names of entities by their lemmas: who may be meant by the words of a question."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tgrag.language import lemmas
from tgrag.records import Entity
from tgrag.store import lexical
from tgrag.store.links import Links, distinct
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
        self._of_entity = Links(
            np.append(own, len(self._entities)), np.arange(len(self._entities), dtype=np.int32)
        )

    def search(self, asked: Iterable[str]) -> NamesFound:
        """Return the names, by row, that have any of these lemmas."""
        names, shared = self._sharing(asked)
        return NamesFound(
            self._entities[names].astype(np.int64), shared / self._sizes[names], self._known_from[names]
        )

    def _sharing(self, asked: Iterable[str]) -> tuple[Integers, Integers]:
        """Return the names that have any of these lemmas, by row, and how many of them each has."""
        places = (self._terms.place(lemma) for lemma in sorted(set(asked)))
        spans = [self._names.of(place) for place in places if place is not None]
        return np.unique(np.concatenate([np.empty(0, np.int32), *spans]), return_counts=True)

    def of(self, entities: Integers) -> tuple[Integers, Integers, Integers, Integers]:
        """Return the names of entity rows: the place in ``entities`` and the row of each, a number that equal names share,
        from when it is known."""
        places, names = self._of_entity.of(entities)
        written = self._sizes[names] > 0
        places, names = places[written], names[written]
        return (
            places,
            self._entities[names].astype(np.int64),
            self._numbers[names].astype(np.int64),
            self._known_from[names],
        )

    def bearing(self, numbers: Integers) -> tuple[Integers, Integers, Integers]:
        """Return who bears names: the place in ``numbers`` and the entity row of each, and from when that is known."""
        places, names = self._of_number.of(numbers)
        return places, self._entities[names].astype(np.int64), self._known_from[names]

    def made_of(self, asked: Iterable[str]) -> Integers:
        """Return the numbers of the names that have no lemma but these."""
        names, shared = self._sharing(asked)
        return distinct(self._numbers[names[shared == self._sizes[names]]])

    @cached_property
    def _numbers(self) -> NDArray[np.int32]:
        """For each name a number, the same for names of the same lemmas: those have the same sum of random numbers."""
        lengths = np.diff(self._names.offsets)
        of_lemma = np.random.default_rng(0).integers(2**63, size=len(lengths))
        sums = np.zeros(len(self._entities), dtype=np.int64)
        np.add.at(sums, self._names.values, np.repeat(of_lemma, lengths))
        return np.unique(sums, return_inverse=True)[1].astype(np.int32)

    @cached_property
    def _of_number(self) -> Links:
        numbers = self._numbers.astype(np.int64)
        return Links.from_pairs(numbers, np.arange(len(numbers)), int(numbers.max(initial=-1)) + 1)
