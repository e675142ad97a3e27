"""Everything that a search may read, already cut at a horizon.

Search code gets a view and never a snapshot, so nothing after the horizon can reach a ranking, a context, a
hint or an error. Masks are boolean arrays over the rows of a table; records come out with their lists cut.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tgrag.graph.strength import MAX_STRENGTH, strength
from tgrag.models.protocols import Vectors
from tgrag.records import (
    Community,
    Document,
    Entity,
    EntityState,
    Evidence,
    Language,
    Relationship,
    TextUnit,
)
from tgrag.search.horizon import Horizon
from tgrag.search.pagerank import Walk, pagerank
from tgrag.store.identity import People
from tgrag.store.lexical import Mask, Term
from tgrag.store.links import Integers, Links, distinct
from tgrag.store.places import Book, BookKey, Chapter
from tgrag.store.snapshot import Snapshot
from tgrag.store.tables import Rows
from tgrag.store.titles import TitleKey, title_keys

Scores = NDArray[np.float64]
Place = TypeVar("Place", Book, Chapter)
Rowset = TypeVar("Rowset", Sequence[int], Integers)

VIEWS_KEPT = 8  # of an engine: what is counted of a horizon serves the questions that are asked of it


class View:
    """A snapshot as it was known at a horizon.

    units, states, relationships, communities: masks of the visible rows.
    """

    def __init__(self, snapshot: Snapshot, horizon: Horizon) -> None:
        self._snapshot = snapshot
        self._horizon = horizon
        self._limits = np.array([horizon.of(book) for book in snapshot.books], dtype=np.int64)
        self._last = np.array([horizon.last.get(series, -1) for series in snapshot.series], dtype=np.int64)
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

    def text_unit_ids(self, rows: Integers) -> list[str]:
        """Return the ids of text units, which are cheaper than the whole rows."""
        return self._unit_column("text_unit_id", rows)

    def languages_of(self, rows: Integers) -> list[Language]:
        """Return the languages of text units."""
        return self._unit_column("language", rows)

    def places_of(self, rows: Integers) -> Iterable[tuple[str, list[str]]]:
        """Return the book's title and the headings of text units."""
        return zip(self._unit_column("book_title", rows), self._unit_column("headings", rows), strict=True)

    def _unit_column(self, name: str, rows: Integers) -> list[Any]:
        values: list[Any] = self._snapshot.text_units.table[name].take(_visible(rows, self.units)).to_pylist()
        return values

    def text_units_called(self, ids: Collection[str]) -> list[TextUnit]:
        """Return the visible text units of these ids, in reading order."""
        named = pc.is_in(
            self._snapshot.text_units.table["text_unit_id"], value_set=pa.array(ids, pa.string())
        )
        rows = np.flatnonzero(named.to_numpy() & self.units)
        return self.text_units(rows.tolist())

    def entity_states(self, rows: Sequence[int]) -> list[EntityState]:
        """Return states with the descriptions that are known by now."""
        result = []
        for state in self._snapshot.entity_states.take(_visible(rows, self.states)):
            known = self._cut(state.descriptions, state.series_id)
            if len(known) < len(state.descriptions) or state.last_ordinal != known[-1].ordinal:
                state = replace(state, descriptions=known, last_ordinal=known[-1].ordinal)
            result.append(state)
        return result

    def edges(self, rows: Sequence[int]) -> list[Relationship]:
        """Return relationships with the evidence known by now, and the strength that follows from it."""
        result = []
        for edge in self._snapshot.relationships.take(_visible(rows, self.relationships)):
            known = self._cut(edge.evidence, edge.series_id)
            value, last = strength(known), known[-1].ordinal
            if len(known) < len(edge.evidence) or (edge.strength, edge.last_ordinal) != (value, last):
                edge = replace(
                    edge, evidence=known, strength=value, weight=value / MAX_STRENGTH, last_ordinal=last
                )
            result.append(edge)
        return result

    def windows(self, rows: Sequence[int]) -> list[Community]:
        return self._snapshot.communities.take(_visible(rows, self.communities))

    def _cut(self, evidence: Iterable[Evidence], series_id: str) -> tuple[Evidence, ...]:
        limit = self._horizon.last[series_id]
        return tuple(item for item in evidence if item.ordinal <= limit)

    def document(self, document_id: str) -> Document:
        """Return a document of which something is visible."""
        documents = self._snapshot.documents
        row = documents.by_id[document_id]
        if not self._documents[row]:
            raise KeyError(document_id)
        return documents.row(row)

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

    def books_titled(self, firsts: Mapping[Language, Iterable[str]]) -> list[Book]:
        """Return the books of ``books`` whose title begins with one of these lemmas of their language."""
        found = self._snapshot.place_titles.books(firsts)
        return [self.books[book.key] for book in found if book.key in self.books]

    def chapters_titled(self, firsts: Mapping[Language, Iterable[str]]) -> list[Chapter]:
        """Return the chapters of ``chapters`` whose title, without its number, begins with one of these lemmas."""
        found = self._snapshot.place_titles.chapters(firsts)
        limits = [(chapter, self._horizon.of(chapter.book)) for chapter in found]
        return [_begun(chapter, limit) for chapter, limit in limits if chapter.first_ordinal <= limit]

    @cached_property
    def languages(self) -> list[Language]:
        """The languages of the visible text."""
        languages = self._snapshot.text_units.table["language"]
        return sorted(pc.unique(languages.filter(pa.array(self.units))).to_pylist())

    @cached_property
    def _documents(self) -> Mask:
        of_units = self._snapshot.document_of_unit[self.units]
        seen: Mask = np.bincount(of_units, minlength=len(self._snapshot.documents)) > 0
        return seen

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

    def words_in(self, terms: Sequence[Term], units: Integers) -> Mask:
        """Tell which of the terms occur in which of the text units: shape (terms, units)."""
        return self._snapshot.lexical.presence(terms, _visible(units, self.units))

    def found(self, terms: Iterable[Term]) -> set[Term]:
        """Return the terms that occur in a visible text unit."""
        return self._snapshot.lexical.found(terms, self.units)

    def name_scores(self, terms: Iterable[Term]) -> Scores:
        """Return for every entity state the share of a known name of its entity that the terms cover."""
        entities, shares = self._named(terms)
        places, members = self.people.all_members(entities)
        of_members, states = self._snapshot.states_of_entity.of(members)
        scores = np.zeros(len(self.states))
        scores[states] = shares[places[of_members]] * self.states[states]
        return scores

    def named_entities(self, terms: Iterable[Term]) -> dict[int, float]:
        """Return the canonical entities of which the terms cover a known name in part: the largest share of a name."""
        entities, shares = self._named(terms)
        return dict(zip(entities.tolist(), shares.tolist(), strict=True))

    def in_names(self, terms: Iterable[Term]) -> set[Term]:
        """Return the terms that are words of a known name."""
        return {term for term in terms if len(self._known_names(term)[0])}

    def _named(self, terms: Iterable[Term]) -> tuple[Integers, Scores]:
        """Return canonical entities, ascending, and of each the largest share of a known name that the terms cover."""
        rows, shares = self._known_names(lemma for term in terms for lemma in term)
        entities, places = np.unique(self.people.canonical[rows], return_inverse=True)
        largest = np.zeros(len(entities))
        np.maximum.at(largest, places, shares)
        return entities, largest

    def _known_names(self, asked: Iterable[str]) -> tuple[Integers, Scores]:
        """Return the entity row and the share of each known name that has any of these lemmas."""
        found = self._snapshot.names.search(asked)
        known = self._is_known(found.entities, found.known_from)
        return found.entities[known], found.shares[known]

    # --- who belongs to whom --------------------------------------------------------------------------

    @cached_property
    def people(self) -> People:
        """Who is who as far as it is known by now."""
        return self._snapshot.identity.as_of(self._horizon.last)

    def canonical_of(self, entity: int) -> int:
        """Return the row that stands for an entity row: of those known to be one the one known earliest."""
        return int(self.people.canonical[entity])

    def entity_of(self, state: int) -> int:
        """Return the canonical entity row of a state."""
        return self.canonical_of(int(self._snapshot.entity_of_state[state]))

    def states_of(self, entity: int) -> Integers:
        """Return the visible states of a canonical entity, under all its names, in order of appearance."""
        members = self.people.members(entity)
        rows = np.concatenate([self._snapshot.states_of_entity[member] for member in members.tolist()])
        found: Integers = np.sort(rows[self.states[rows]])
        return found

    @cached_property
    def present_entities(self) -> tuple[Integers, Integers]:
        """Return the canonical entities that have a visible state, ascending, and how many text units speak of each."""
        of_states = self._snapshot.entity_of_state[self.states]
        entities = distinct(self.people.canonical[of_states[self._known_entities[of_states]]])
        places, _ = self.units_with_each(entities)
        return entities, np.bincount(places, minlength=len(entities))

    def entity_called(self, entity_id: str) -> int | None:
        """Return the canonical row of a known entity that has this id, or had it before it was known to be another."""
        row = self._snapshot.entities.by_id.get(entity_id)
        if row is None or not self._known_entities[row]:
            return None
        canonical = self.canonical_of(row)
        return canonical if len(self.states_of(canonical)) else None

    def entity_id(self, entity: int) -> str:
        """Return the id of a known entity row."""
        return self.entity_rows(entity)[0].entity_id

    def entity_rows(self, entity: int) -> list[Entity]:
        """Return the rows of a canonical entity, the one known earliest first, with the aliases known by now.

        Counts and last_ordinal are those of the whole text: ask the states instead.
        """
        rows = self._snapshot.entities.take(_visible(self.people.members(entity), self._known_entities))
        return [
            replace(row, aliases=tuple(a for a in row.aliases if a.known_from <= limit))
            for row in rows
            for limit in (self._horizon.last[row.series_id],)
        ]

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
        _, units = self._snapshot.evidence.of(np.fromiter(states, dtype=np.int64))
        return distinct(units[self.units[units]])

    def tokens_of(self, units: Integers) -> Integers:
        """Return how many tokens each text unit has, as counted when it was made."""
        counts: Integers = self._snapshot.text_units.column("n_tokens")[units]
        return counts

    # --- from text unit to text unit ------------------------------------------------------------------

    @cached_property
    def n_units(self) -> int:
        """The number of visible text units."""
        return int(self.units.sum())

    def neighbours(self, units: Integers) -> tuple[Integers, Integers]:
        """Return the visible text units before and after each one in its book; -1 where there is none, or for -1."""
        return self._beside(units, -1), self._beside(units, 1)

    def _beside(self, units: Integers, step: int) -> Integers:
        books = self._snapshot.book_of["text_units"]
        beside = np.clip(units + step, 0, len(books) - 1)
        known = (units >= 0) & (beside == units + step) & (books[beside] == books[units]) & self.units[beside]
        return np.where(known, beside, -1)

    def entities_in_each(self, units: Integers) -> tuple[Integers, Integers]:
        """Return the canonical entities known by now that text units are evidence of: the place in ``units`` of the one
        and the row of the other, each pair once, ascending."""
        places, rows = self._snapshot.entities_of_unit.of(units)
        known = self._known_entities[rows]
        return self._pairs(places[known], self.people.canonical[rows[known]], len(self._known_entities))

    @staticmethod
    def _pairs(places: Integers, numbers: Integers, n_numbers: int) -> tuple[Integers, Integers]:
        """Return pairs, each once, ascending. n_numbers: more than the largest number."""
        return np.divmod(distinct(places * max(1, n_numbers) + numbers), max(1, n_numbers))

    def units_with_each(self, entities: Integers) -> tuple[Integers, Integers]:
        """Return the visible text units that are evidence of several canonical entities: the place in ``entities`` of
        the one and the row of the other, each pair once, ascending."""
        places, members = self.people.all_members(entities)
        of_members, units = self._snapshot.units_of_entity.of(members)
        seen = self.units[units]
        return self._pairs(places[of_members[seen]], units[seen], len(self.units))

    def names_in_each(self, units: Integers) -> list[Integers]:
        """Return, for each text unit, the names known by now of the entities that it is evidence of, ascending: each a
        number that equal names share, in whatever document they stand."""
        of_units, entities = self.entities_in_each(units)
        of_entities, members = self.people.all_members(entities)
        of_members, rows, names, known_from = self._snapshot.names.of(members)
        known = self._is_known(rows, known_from)
        places = of_units[of_entities[of_members[known]]]
        places, names = self._pairs(places, names[known], int(names.max(initial=0)) + 1)
        return np.split(names, np.searchsorted(places, np.arange(1, len(units))))[: len(units)]

    def names_made_of(self, terms: Iterable[Term]) -> Integers:
        """Return the names that have no word but these, as ``names_in_each`` does."""
        return self._snapshot.names.made_of(lemma for term in terms for lemma in term)

    def units_with_names(self, names: Integers, most: int) -> tuple[Integers, Integers]:
        """Return the visible text units that are evidence of whoever is known by each of these names, in any document:
        the place in ``names`` and the row of the unit, each pair once, ascending. None for names that more than ``most``
        entities bear."""
        n_rows = max(1, len(self.units), len(self.people.canonical))
        places, rows, known_from = self._snapshot.names.bearing(names)
        known = self._is_known(rows, known_from)
        places, bearers = self._pairs(places[known], self.people.canonical[rows[known]], n_rows)
        few = np.bincount(places, minlength=len(names))[places] <= most
        entities, of_pair = np.unique(bearers[few], return_inverse=True)
        units_of = Links.from_pairs(*self.units_with_each(entities), len(entities))
        pair, units = units_of.of(of_pair)
        return self._pairs(places[few][pair], units, n_rows)

    def _is_known(self, entities: Integers, known_from: Integers) -> Mask:
        """Tell which of the things told of entity rows are known by now."""
        known: Mask = known_from <= self._last[self._snapshot.series_of_entity[entities]]
        return known

    @cached_property
    def _known_entities(self) -> Mask:
        known_from = self._snapshot.entities.column("known_from")
        known: Mask = known_from <= self._last[self._snapshot.series_of_entity]
        return known

    def walk_from(self, entities: Mapping[int, float]) -> tuple[Integers, Scores]:
        """Return the text units that a walk from canonical entities (with shares) comes to, and how likely it is there."""
        seeds = {
            row: share for entity, share in entities.items() for row in self.people.members(entity).tolist()
        }
        units, _ = pagerank(self._walk, seeds)
        return units.rows, units.scores

    @cached_property
    def _walk(self) -> Walk:
        links = self._snapshot.units_of_entity, self._snapshot.entities_of_unit
        return Walk.of(*links, self.units, self._known_entities)

    def title_keys(self, unit: TextUnit) -> frozenset[TitleKey]:
        return title_keys(unit.book_title, unit.headings, unit.language)

    def longest_title(self, first: str) -> int:
        """Return how many words the longest title that begins with a lemma has; 0 when none does."""
        return self._snapshot.titles.longest.get(first, 0)

    def units_titled(self, key: TitleKey) -> Integers:
        """Return the visible text units under a title, ascending; none when there is no such title."""
        rows = self._snapshot.titles.rows.get(key)
        return np.empty(0, np.int64) if rows is None else rows[self.units[rows]]

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


def _visible(rows: Rowset, mask: Mask) -> Rowset:
    if not mask[np.asarray(rows, dtype=np.int64)].all():
        raise IndexError("a row beyond the horizon was asked for")
    return rows


class Views:
    """The views of one snapshot, those of the horizons used last kept."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.at = lru_cache(maxsize=VIEWS_KEPT)(partial(View, snapshot))
