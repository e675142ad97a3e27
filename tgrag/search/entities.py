"""Entities and how they develop: who there is, found by any form of any name, and their states with quotes.

Everything is read through a view, so a name, an alias or a state is told only when it is known by then.
"""

import re
from collections.abc import Sequence

import numpy as np
from pydantic import BaseModel, Field

from tgrag.errors import EntityNotFound, InvalidRequest
from tgrag.language import lemma, lemmas, words
from tgrag.records import EntityState, Evidence, Language, TextUnit
from tgrag.search.citations import cite, verify
from tgrag.search.horizon import resolve_as_of
from tgrag.search.labels import chapter_label, label
from tgrag.search.passages import split
from tgrag.search.requests import AsOf, Citation
from tgrag.search.view import View, Views
from tgrag.store.links import Integers
from tgrag.store.snapshot import Snapshot

PAGE = 50
LONGEST_PAGE = 200
_ID = re.compile(r"[0-9a-f]{16,}")


class EntityItem(BaseModel):
    """A canonical entity. entity_id: of its row known earliest, so it may change as merges become known; each of its
    former ids is still understood. aliases: its other names, in the order in which they are known."""

    entity_id: str
    name: str
    aliases: list[str]
    type: str
    language: Language
    series: str
    first_ordinal: int
    last_ordinal: int
    n_text_units: int = Field(description="text units that speak of it")
    n_states: int = Field(description="chapters that speak of it, one for each of its names there")


class EntityList(BaseModel):
    """A page of entities: best match first; without ``q`` those first that most text units speak of."""

    collection: str
    version: str
    total: int
    offset: int
    limit: int
    entities: list[EntityItem]


class Description(BaseModel):
    """What a text unit says of an entity, and the sentence that it is told by, looked up in the text unit."""

    text: str
    citation: Citation


class StateItem(BaseModel):
    """An entity as one chapter shows it."""

    state_id: str
    name: str
    label: str
    book: str
    book_number: int
    chapter: str
    chapter_id: str
    first_ordinal: int
    last_ordinal: int
    descriptions: list[Description]


class EntityDetail(BaseModel):
    """An entity and where it appears, in story order."""

    collection: str
    version: str
    entity: EntityItem
    appears_in: list[str]


class Timeline(BaseModel):
    """A page of an entity's states, in story order. total: of its states."""

    collection: str
    version: str
    entity: EntityItem
    total: int
    offset: int
    limit: int
    states: list[StateItem]


class Entities:
    """The entities of one snapshot as of any time.

    Every method raises what ``as_of`` raises (UnknownBook, UnknownChapter, AmbiguousAsOf, InvalidRequest).
    """

    def __init__(self, snapshot: Snapshot, views: Views) -> None:
        self._snapshot, self._views = snapshot, views
        self._source = {"collection": snapshot.collection, "version": snapshot.version_id}

    def find(
        self, q: str | None = None, as_of: AsOf | None = None, offset: int = 0, limit: int = PAGE
    ) -> EntityList:
        """Return a page of the entities whose names hold every word of ``q`` in any form; of all without it."""
        view = self._view(as_of)
        rows = found(q, view)
        page = [entity_item(row, view) for row in rows[offset : offset + limit].tolist()]
        return EntityList(**self._source, total=len(rows), offset=offset, limit=limit, entities=page)

    def detail(self, entity_id: str, as_of: AsOf | None = None) -> EntityDetail:
        """Raises EntityNotFound."""
        view = self._view(as_of)
        row = _row(entity_id, view)
        states = view.entity_states(view.states_of(row).tolist())
        places = dict.fromkeys(label(state.book_title, state.headings) for state in states)
        return EntityDetail(**self._source, entity=entity_item(row, view), appears_in=list(places))

    def timeline(
        self, entity_id: str, as_of: AsOf | None = None, offset: int = 0, limit: int = PAGE
    ) -> Timeline:
        """Raises EntityNotFound."""
        view = self._view(as_of)
        row = _row(entity_id, view)
        rows = view.states_of(row)
        states = state_items(rows[offset : offset + limit], view)
        return Timeline(
            **self._source,
            entity=entity_item(row, view),
            total=len(rows),
            offset=offset,
            limit=limit,
            states=states,
        )

    def meant(self, name_or_id: str, as_of: AsOf | None = None) -> str:
        """Return the id of the entity that an id or a name means: the best match. Raises EntityNotFound."""
        view = self._view(as_of)
        if _ID.fullmatch(name_or_id):
            return view.entity_id(_row(name_or_id, view))
        rows = found(name_or_id, view)
        if not len(rows):
            raise _not_found(name_or_id)
        return view.entity_id(int(rows[0]))

    def _view(self, as_of: AsOf | None) -> View:
        return self._views.at(resolve_as_of(self._snapshot, as_of, ()))


def found(q: str | None, view: View) -> Integers:
    """Return canonical entities, best first: the largest share of a name, then by how many text units speak of each."""
    entities, n_units = view.present_entities
    shares = np.zeros(len(entities))
    if q is not None:
        terms = [
            tuple(sorted({lemma(word, language) for language in view.languages}))
            for word in dict.fromkeys(words(q))
        ]
        if not terms:
            raise InvalidRequest("q: has no word; leave it out to list every entity")
        holders = set.intersection(*(set(view.named_entities([term])) for term in terms))
        named = np.isin(entities, np.array(sorted(holders), dtype=np.int64))
        entities, n_units = entities[named], n_units[named]
        share = view.named_entities(terms)
        shares = np.array([share[entity] for entity in entities.tolist()])
    ordered: Integers = entities[np.lexsort((entities, -n_units, -np.round(shares, 6)))]
    return ordered


def entity_item(row: int, view: View) -> EntityItem:
    members = view.entity_rows(row)
    own = members[0]
    names = [(member.known_from, member.name) for member in members]
    names += [(alias.known_from, alias.name) for member in members for alias in member.aliases]
    aliases = dict.fromkeys(name for _, name in sorted(names) if name != own.name)
    states = view.entity_states(view.states_of(row).tolist())
    _, units = view.units_with_each(np.array([row]))
    return EntityItem(
        entity_id=own.entity_id,
        name=own.name,
        aliases=list(aliases),
        type=own.type,
        language=own.language,
        series=view.document(states[0].document_id).series_title,
        first_ordinal=min(state.first_ordinal for state in states),
        last_ordinal=max(state.last_ordinal for state in states),
        n_text_units=len(units),
        n_states=len(states),
    )


def state_items(rows: Sequence[int] | Integers, view: View) -> list[StateItem]:
    """Return states with what is known of them by now, each description with its quote."""
    states = view.entity_states([int(row) for row in rows])
    units = {
        unit.text_unit_id: unit for unit in view.text_units(view.units_of(int(row) for row in rows).tolist())
    }
    return [_state_item(state, units, view) for state in states]


def _state_item(state: EntityState, units: dict[str, TextUnit], view: View) -> StateItem:
    descriptions = [
        Description(text=item.text, citation=cite(number, told_by(item, state.name, unit), unit, view))
        for number, item in enumerate(state.descriptions, start=1)
        for unit in (units[item.text_unit_id],)
    ]
    return StateItem(
        state_id=state.state_id,
        name=state.name,
        label=label(state.book_title, state.headings),
        book=state.book_title,
        book_number=state.book_number,
        chapter=chapter_label(state.headings),
        chapter_id=state.chapter_id,
        first_ordinal=state.first_ordinal,
        last_ordinal=state.last_ordinal,
        descriptions=descriptions,
    )


def told_by(description: Evidence, name: str, unit: TextUnit) -> str:
    """Return the passage of a text unit that a description is told by: itself where it stands there letter for letter,
    else the sentence that shares most words with it and the name."""
    if verify(description.text, unit) is not None:
        return description.text
    said = set(lemmas(f"{name} {description.text}", unit.language))
    best = max(
        split(unit),
        key=lambda sentence: (len(said.intersection(lemmas(sentence.text, unit.language))), -sentence.start),
        default=None,
    )
    return best.text if best else unit.text


def _row(entity_id: str, view: View) -> int:
    row = view.entity_called(entity_id)
    if row is None:
        raise _not_found(entity_id)
    return row


def _not_found(wanted: str) -> EntityNotFound:
    return EntityNotFound(
        f"no entity «{wanted}» is known here as of then; look it up by name: GET /v1/entities?q=…, or "
        "`tgrag entities NAME`"
    )
