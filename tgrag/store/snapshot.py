"""One published version in memory, immutable: tables, vectors, inverted index, and who belongs to whom.

Search does not read a snapshot itself but a ``tgrag.search.view.View`` of it, which is cut at a horizon.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tgrag.records import Community, Document, Entity, EntityState, Merge, Relationship, TextUnit
from tgrag.store.identity import Identity
from tgrag.store.lexical import LexicalIndex
from tgrag.store.links import Integers, Links, distinct
from tgrag.store.names import NameIndex
from tgrag.store.places import Book, Chapter, books_of, chapters_of
from tgrag.store.tables import TABLES, Rows, flat_values, narrow, narrow_table, whole
from tgrag.store.titles import PlaceTitles, Titles
from tgrag.store.vectors import VectorIndex

ENDS = ("source", "target")


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Row i of a vector index and of the inverted index is row i of its table.

    book_of: for text_units, entity_states, relationships and communities the place of each row's book in
    ``books``. series_of_entity: the place of each one's series in ``series``. states_of_relationship: source and
    target, shape (n, 2). evidence: for each state the text units of its descriptions. chapters: in the order in
    which they start, an outer one before its inner ones.
    """

    collection: str
    version_id: str
    manifest: Mapping[str, Any]
    documents: Rows[Document]
    text_units: Rows[TextUnit]
    entities: Rows[Entity]
    entity_states: Rows[EntityState]
    relationships: Rows[Relationship]
    communities: Rows[Community]
    unit_vectors: VectorIndex
    state_vectors: VectorIndex
    community_vectors: VectorIndex
    lexical: LexicalIndex
    books: tuple[Book, ...]
    chapters: tuple[Chapter, ...]
    book_of: Mapping[str, Integers]
    series: Sequence[str]
    series_of_entity: NDArray[np.int32]
    document_of_unit: Integers
    names: NameIndex
    identity: Identity
    entity_of_state: Integers
    states_of_entity: Links
    states_of_relationship: Integers
    relationships_of_state: Links
    communities_of_state: Links
    evidence: Links
    entities_of_unit: Links
    units_of_entity: Links
    titles: Titles
    place_titles: PlaceTitles

    @classmethod
    def from_parts(
        cls,
        collection: str,
        version_id: str,
        manifest: Mapping[str, Any],
        tables: Mapping[str, pa.Table],
        vectors: Mapping[str, bytes],
        lexical: pa.Table,
        names: pa.Table,
    ) -> "Snapshot":
        """Assemble a version.

        tables: those of ``TABLES``, in their order. vectors: serialised indexes of "text_units",
        "entity_states" and "communities". lexical, names: the inverted indexes of the text units and of
        the names of the entities.
        """
        rows: dict[str, Rows[Any]] = {
            name: Rows(kind, narrow_table(tables[name])) for name, kind in TABLES.items()
        }
        units, entities, states = rows["text_units"], rows["entities"], rows["entity_states"]
        edges, communities = rows["relationships"], rows["communities"]
        books = books_of(units, rows["documents"])
        chapters = chapters_of(units, books)
        entity_of_state = _places(entities, states.table["entity_id"])
        ends = [_places(states, edges.table[f"{end}_state_id"]) for end in ENDS]
        descriptions = states.nested("descriptions", "ordinal")
        evidence = Links(
            descriptions.offsets,
            _places(units, flat_values(states.table["descriptions"], "text_unit_id")).astype(np.int32),
        )
        mentions = distinct(entity_of_state[descriptions.owners()] * len(units) + evidence.targets)
        mentioned, in_unit = np.divmod(mentions, max(1, len(units)))
        series_of_entity, series = entities.codes("series_id")
        cited = _places(units, flat_values(edges.table["evidence"], "text_unit_id"))
        compact_states = states.with_columns(
            {
                "entity_id": _shared(entity_of_state, entities),
                "name": whole(states.table["name"]).dictionary_encode(),
                "descriptions": _cites(states, "descriptions", evidence.targets, units),
            }
        )
        compact_edges = edges.with_columns(
            {
                **{
                    f"{end}_state_id": _shared(places, states) for end, places in zip(ENDS, ends, strict=True)
                },
                **{
                    f"{end}_id": _shared(entity_of_state[places], entities)
                    for end, places in zip(ENDS, ends, strict=True)
                },
                **{f"{end}_name": whole(edges.table[f"{end}_name"]).dictionary_encode() for end in ENDS},
                "evidence": _cites(edges, "evidence", cited, units),
            }
        )
        return cls(
            collection=collection,
            version_id=version_id,
            manifest=manifest,
            documents=rows["documents"],
            text_units=units,
            entities=entities,
            entity_states=compact_states,
            relationships=compact_edges,
            communities=communities,
            unit_vectors=VectorIndex(vectors["text_units"]),
            state_vectors=VectorIndex(vectors["entity_states"]),
            community_vectors=VectorIndex(vectors["communities"]),
            lexical=LexicalIndex(lexical, len(units)),
            books=books,
            chapters=chapters,
            book_of={
                name: _book_places(rows[name], books)
                for name in ("text_units", "entity_states", "relationships", "communities")
            },
            series=series,
            series_of_entity=series_of_entity,
            document_of_unit=_places(rows["documents"], units.table["document_id"]),
            names=NameIndex(names, entities),
            identity=_identity(entities, rows["merges"]),
            entity_of_state=entity_of_state,
            states_of_entity=Links.from_pairs(entity_of_state, np.arange(len(states)), len(entities)),
            states_of_relationship=np.column_stack(ends),
            relationships_of_state=Links.from_pairs(
                np.column_stack(ends).ravel(), np.repeat(np.arange(len(edges)), 2), len(states)
            ),
            communities_of_state=Links.from_pairs(
                _places(states, flat_values(communities.table["members"])),
                communities.nested("members").owners(),
                len(states),
            ),
            evidence=evidence,
            entities_of_unit=Links.from_pairs(in_unit, mentioned, len(units)),
            units_of_entity=Links.from_pairs(mentioned, in_unit, len(entities)),
            titles=Titles(units),
            place_titles=PlaceTitles(books, chapters),
        )

    def chapters_of(self, series_id: str) -> list[Chapter]:
        """Return the chapters of a series in the order in which they start."""
        return [chapter for chapter in self.chapters if chapter.book.series_id == series_id]


def _identity(entities: Rows[Entity], merges: Rows[Merge]) -> Identity:
    table = merges.table.filter(pc.equal(merges.table["decision"], "merge"))
    return Identity(
        ends=(_places(entities, table["source_id"]), _places(entities, table["target_id"])),
        standing=(table["known_from"].to_numpy(), table["known_until"].to_numpy()),
        series=table["series_id"].to_numpy(),
        entity_known=entities.column("known_from"),
    )


def _places(rows: Rows[Any], keys: pa.Array | pa.ChunkedArray) -> Integers:
    """Return the row of each key. Raises ValueError on a key that no row has."""
    keys = whole(keys) if isinstance(keys, pa.ChunkedArray) else keys
    encoded = keys if pa.types.is_dictionary(keys.type) else None
    values = keys if encoded is None else encoded.dictionary
    places = pc.index_in(values, value_set=whole(rows.table[rows.kind.key]))
    if places.null_count:
        raise ValueError(f"{places.null_count} references to rows that are not there, by {rows.kind.key}")
    found: Integers = places.to_numpy().astype(np.int64)
    return found if encoded is None else found[encoded.indices.to_numpy()]


def _shared(places: NDArray[Any], rows: Rows[Any]) -> pa.Array:
    """Return keys by the rows that they name: the keys themselves are those of the other table."""
    keys = whole(rows.table[rows.kind.key])
    return pa.DictionaryArray.from_arrays(pa.array(places.astype(np.int32)), keys)


def _cites(rows: Rows[Any], column: str, units: NDArray[Any], text_units: Rows[TextUnit]) -> pa.Array:
    """Return a column of evidence with the ids of its text units shared."""
    lists = whole(rows.table[column])
    items = lists.flatten()
    names = [field.name for field in items.type]
    fields = [
        _shared(units, text_units) if name == "text_unit_id" else narrow(items.field(name)) for name in names
    ]
    lengths = lists.value_lengths().to_numpy(zero_copy_only=False)
    offsets = pa.array(np.concatenate([[0], np.cumsum(lengths)]), pa.int32())
    return pa.ListArray.from_arrays(offsets, pa.StructArray.from_arrays(fields, names))


def _book_places(rows: Rows[Any], books: Sequence[Book]) -> Integers:
    place = {book.key: number for number, book in enumerate(books)}
    codes, series = rows.codes("series_id")
    numbers = rows.column("book_number")
    span = int(numbers.max(initial=0)) + 1
    keys, of_key = np.unique(codes.astype(np.int64) * span + numbers, return_inverse=True)
    found = [place[series[key // span], key % span] for key in keys.tolist()]
    return np.array(found, dtype=np.int64)[of_key]
