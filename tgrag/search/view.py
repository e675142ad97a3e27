"""Everything that a search may read, already cut at a horizon.

Search code gets a view and never a snapshot, so nothing after the horizon can reach a ranking, a context, a
hint or an error. Masks are boolean arrays over the rows of a table; records come out with their lists cut.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tgrag.graph.strength import MAX_STRENGTH, strength
from tgrag.models.protocols import Vectors
from tgrag.records import Community, Document, EntityState, Evidence, Language, Relationship, TextUnit
from tgrag.search.horizon import Horizon
from tgrag.store.lexical import Mask, Term
from tgrag.store.places import Book, BookKey, Chapter
from tgrag.store.snapshot import Integers, Name, Snapshot
from tgrag.store.tables import Rows

Scores = NDArray[np.float64]
Place = TypeVar("Place", Book, Chapter)


class View:
    """A snapshot as it was known at a horizon.

    units, states, relationships, communities: masks of the visible rows.
    """

    def __init__(self, snapshot: Snapshot, horizon: Horizon) -> None:
        self._snapshot = snapshot
        self._horizon = horizon
        self._limits = np.array([horizon.of(book) for book in snapshot.books], dtype=np.int64)
        self.units = self._known("text_units", snapshot.text_units.column("ordinal"))
        self.states = self._known("entity_states", snapshot.entity_states.column("known_from"))
        self.relationships = self._known("relationships", snapshot.relationships.column("known_from"))
        self.communities = self._known("communities", snapshot.communities.column("known_from"))

    def _known(self, table: str, known_from: Integers) -> Mask:
        mask: Mask = known_from <= self._limits[self._snapshot.book_of[table]]
        return mask

    # --- records --------------------------------------------------------------------------------------

    def text_units(self, rows: Sequence[int]) -> list[TextUnit]:
        return self._snapshot.text_units.take(_visible(rows, self.units))

    def entity_states(self, rows: Sequence[int]) -> list[EntityState]:
        """Return states with the descriptions that are known by now."""
        result = []
        for state in self._snapshot.entity_states.take(_visible(rows, self.states)):
            known = self._cut(state.descriptions, state.series_id)
            result.append(replace(state, descriptions=known, last_ordinal=known[-1].ordinal))
        return result

    def edges(self, rows: Sequence[int]) -> list[Relationship]:
        """Return relationships with the evidence known by now, and the strength that follows from it."""
        result = []
        for edge in self._snapshot.relationships.take(_visible(rows, self.relationships)):
            known = self._cut(edge.evidence, edge.series_id)
            value = strength(known)
            cut = replace(edge, evidence=known, strength=value, weight=value / MAX_STRENGTH)
            result.append(replace(cut, last_ordinal=known[-1].ordinal))
        return result

    def windows(self, rows: Sequence[int]) -> list[Community]:
        return self._snapshot.communities.take(_visible(rows, self.communities))

    def _cut(self, evidence: Iterable[Evidence], series_id: str) -> tuple[Evidence, ...]:
        limit = self._horizon.last[series_id]
        return tuple(item for item in evidence if item.ordinal <= limit)

    def document(self, document_id: str) -> Document:
        """Return a document of which something is visible."""
        if document_id not in self._documents:
            raise KeyError(document_id)
        documents = self._snapshot.documents
        return documents.row(documents.by_id[document_id])

    # --- places ---------------------------------------------------------------------------------------

    @cached_property
    def books(self) -> dict[BookKey, Book]:
        """The books of which something is visible, cut at the horizon."""
        limits = zip(self._snapshot.books, self._limits.tolist(), strict=True)
        return {book.key: _begun(book, limit) for book, limit in limits if book.first_ordinal <= limit}

    @cached_property
    def chapters(self) -> list[Chapter]:
        """The chapters that have begun, in the order in which they start, cut at the horizon."""
        return [
            _begun(chapter, limit)
            for chapter in self._snapshot.chapters
            if chapter.first_ordinal <= (limit := self._horizon.of(chapter.book))
        ]

    @cached_property
    def languages(self) -> list[Language]:
        """The languages of the visible text."""
        return sorted(set(self._snapshot.text_units.column("language")[self.units].tolist()))

    @cached_property
    def _documents(self) -> set[str]:
        return set(self._snapshot.text_units.column("document_id")[self.units].tolist())

    # --- searches -------------------------------------------------------------------------------------

    def nearest_units(self, query: Vectors, k: int) -> tuple[Integers, Scores]:
        return self._snapshot.unit_vectors.search(query, k, self.units)

    def nearest_states(self, query: Vectors, k: int) -> tuple[Integers, Scores]:
        return self._snapshot.state_vectors.search(query, k, self.states)

    def nearest_windows(self, query: Vectors, k: int) -> tuple[Integers, Scores]:
        """Return the windows that are over by now whose title and summary are nearest."""
        return self._snapshot.community_vectors.search(query, k, self.communities)

    def lexical_scores(self, terms: Iterable[Term]) -> Scores:
        """Return the BM25 score of every text unit, by the statistics of the visible ones; 0 outside."""
        return self._snapshot.lexical.search(terms, self.units)

    def idf(self, terms: Iterable[Term]) -> dict[Term, float]:
        """Return how rare each term is in the visible text units."""
        return self._snapshot.lexical.idf(terms, self.units)

    def found(self, terms: Iterable[Term]) -> set[Term]:
        """Return the terms that occur in a visible text unit."""
        return self._snapshot.lexical.found(terms, self.units)

    def name_scores(self, terms: Iterable[Term]) -> Scores:
        """Return for every entity state the share of a known name of its entity that the terms cover."""
        asked = {lemma for term in terms for lemma in term}
        best = np.zeros(len(self._snapshot.entities))
        for lemma in asked:
            for name in self._names(lemma):
                share = len(name.lemmas & asked) / len(name.lemmas)
                best[name.entity_row] = max(best[name.entity_row], share)
        return np.where(self.states, best[self._snapshot.entity_of_state], 0.0)

    def in_names(self, terms: Iterable[Term]) -> set[Term]:
        """Return the terms that are words of a known name."""
        return {term for term in terms if any(True for lemma in term for _ in self._names(lemma))}

    def _names(self, lemma: str) -> Iterator[Name]:
        series = self._snapshot.entities.column("series_id")
        for name in self._snapshot.names.get(lemma, ()):
            if name.known_from <= self._horizon.last.get(series[name.entity_row], -1):
                yield name

    # --- who belongs to whom --------------------------------------------------------------------------

    def entity_of(self, state: int) -> int:
        return int(self._snapshot.entity_of_state[state])

    def entities_of_edge(self, relationship: int) -> tuple[int, int]:
        source, target = self._snapshot.states_of_relationship[relationship]
        return self.entity_of(source), self.entity_of(target)

    def relationships_of(self, state: int) -> Integers:
        """Return the visible relationships that a state is an end of."""
        rows = self._snapshot.relationships_of_state[state]
        return rows[self.relationships[rows]]

    def communities_of(self, state: int) -> Integers:
        """Return the visible communities that a state is a member of."""
        rows = self._snapshot.communities_of_state[state]
        return rows[self.communities[rows]]

    def units_of(self, states: Iterable[int]) -> Integers:
        """Return the text units that are known evidence of any of these states, ascending."""
        evidence = self._snapshot.evidence
        chosen = np.zeros(len(self.states), dtype=np.bool_)
        chosen[np.fromiter(states, dtype=np.int64)] = True
        known = chosen[evidence.states] & self.units[evidence.units]
        return np.unique(evidence.units[known])

    def units_between(self, book: BookKey, first_ordinal: int, last_ordinal: int) -> Mask:
        """Return the visible text units of a book in a span of ordinals, both ends inclusive."""
        return self.units & self._between("text_units", "ordinal", book, first_ordinal, last_ordinal)

    def states_between(self, book: BookKey, first_ordinal: int, last_ordinal: int) -> Mask:
        """Return the visible entity states of a book that begin in a span of ordinals."""
        return self.states & self._between(
            "entity_states", "first_ordinal", book, first_ordinal, last_ordinal
        )

    def _between(self, table: str, column: str, book: BookKey, first: int, last: int) -> Mask:
        rows: Rows[TextUnit] | Rows[EntityState] = getattr(self._snapshot, table)
        ordinals = rows.column(column)
        place = [known.key for known in self._snapshot.books].index(book)
        mask: Mask = (self._snapshot.book_of[table] == place) & (first <= ordinals) & (ordinals <= last)
        return mask


def _begun(place: Place, limit: int) -> Place:
    return place if place.last_ordinal <= limit else replace(place, last_ordinal=limit)


def _visible(rows: Sequence[int], mask: Mask) -> Sequence[int]:
    if not all(mask[row] for row in rows):
        raise IndexError("a row beyond the horizon was asked for")
    return rows
