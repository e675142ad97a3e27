"""A made-up version of any size: columns drawn straight into Arrow, as indexing a library of novels would leave them.

A series has three books of twenty chapters and 1,000 text units of about 200 words by Zipf's law; to three text units
come nine entities, some of them twice, with states, descriptions and relationships in their own series. Vectors are
clustered: those of a chapter lie around a common centre.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tgrag.graph.health import Health
from tgrag.index.manifest import Manifest
from tgrag.records import NEVER
from tgrag.store import lexical, vectors
from tgrag.store.tables import TABLES, schema_of, table_bytes

VERSION = "0" * 32
DIMENSION = 384
UNITS_PER_SERIES = 1000
CHAPTERS_PER_BOOK = 20
BOOKS = 3
WORDS_PER_UNIT = 200
VOCABULARY = 60_000
LETTERS = 10  # of a word and the space after it
FIRST_NAMES = 3_000
STATES = 1.5  # an entity
RELATIONSHIPS = 3  # an entity
MERGED = 0.1  # share of the entities that are another name of an earlier one
NOISE = 0.9  # length of what sets a vector apart from its chapter's centre of length 1

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Places:
    """Where rows lie: the series, and the ordinal in it, of each."""

    series: Integers
    ordinal: Integers

    @property
    def book(self) -> Integers:
        return self.ordinal * BOOKS // UNITS_PER_SERIES

    @property
    def chapter(self) -> Integers:
        """Count chapters from 0 through all books of the series."""
        return self.ordinal * BOOKS * CHAPTERS_PER_BOOK // UNITS_PER_SERIES

    def take(self, rows: Integers) -> "Places":
        return Places(self.series[rows], self.ordinal[rows])


class Synthetic:
    """A version of ``n_entities`` entities, by a seed of its own."""

    def __init__(self, n_entities: int) -> None:
        self._rng = np.random.default_rng(n_entities)
        self.words = words(VOCABULARY)
        self._word_share = 1 / np.arange(3, VOCABULARY + 3)
        self._word_share /= self._word_share.sum()
        self._pool = np.frombuffer(" ".join(self._draw_words(200_000)).encode(), np.uint8)
        self.n_series = max(1, round(n_entities / 3 / UNITS_PER_SERIES))
        self.n_entities = n_entities
        self.units = Places(
            np.repeat(np.arange(self.n_series), UNITS_PER_SERIES),
            np.tile(np.arange(UNITS_PER_SERIES), self.n_series),
        )

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Yield the files of the version and their paths, one after the other: together they are large."""
        tables, places = self._tables()
        for name in list(tables):
            yield f"data/{name}.parquet", table_bytes(tables.pop(name))
        for name, of_table in places.items():
            yield f"vectors/{name}.faiss", vectors.build(self._vectors(of_table))

    def _tables(self) -> tuple[dict[str, pa.Table], dict[str, Places]]:
        rng, units = self._rng, self.units
        n_units, n = len(units.series), self.n_entities
        unit_ids, counts = _ids(rng, n_units), rng.poisson(STATES - 1, n) + 1
        series_of = rng.integers(self.n_series, size=n)
        first = rng.integers(UNITS_PER_SERIES, size=n)
        entity_ids, (given, family) = _ids(rng, n), self._names(n)
        entities = _table(
            "entities",
            entity_id=entity_ids,
            series_id=_texts("series", series_of),
            name=_joined(given, family),
            type=pa.repeat("PERSON", n),
            lemma_key=_joined(given, family),
            language=pa.repeat("en", n),
            aliases=_lists(
                np.ones(n, np.int64),
                pa.StructArray.from_arrays([family, pa.array(first)], ["name", "known_from"]),
            ),
            known_from=first,
            first_ordinal=first,
            last_ordinal=np.full(n, UNITS_PER_SERIES - 1),
            n_mentions=2 * counts,
            degree=np.full(n, RELATIONSHIPS),
        )

        owner = np.repeat(np.arange(n), counts)
        later = np.where(
            np.diff(owner, prepend=-1) > 0, 0, rng.integers(1, UNITS_PER_SERIES, size=len(owner))
        )
        begins = np.minimum(first[owner] + later, UNITS_PER_SERIES - 1)
        order = np.lexsort((begins, series_of[owner]))
        owner, begins = owner[order], begins[order]
        states = Places(series_of[owner], begins)
        state_ids = _ids(rng, len(owner))
        evidence = Places(np.repeat(states.series, 2), np.repeat(begins, 2))
        evidence.ordinal[1::2] = np.minimum(
            evidence.ordinal[1::2] + rng.integers(0, 8, len(owner)), UNITS_PER_SERIES - 1
        )
        entity_states = _table(
            "entity_states",
            state_id=state_ids,
            entity_id=entity_ids.take(owner),
            name=entities["name"].combine_chunks().take(owner),
            type=pa.repeat("PERSON", len(owner)),
            descriptions=_lists(np.full(len(owner), 2), self._evidence(evidence, unit_ids)),
            last_ordinal=evidence.ordinal[1::2],
            **self._where(states, "known_from", "first_ordinal"),
        )

        source = np.sort(rng.integers(len(owner), size=RELATIONSHIPS * n))
        target = np.minimum(source + rng.integers(1, 30, size=len(source)), len(owner) - 1)
        target = np.where(states.series[target] == states.series[source], target, source)
        edges = states.take(target)
        edge_order = np.lexsort((edges.ordinal, edges.series))
        source, target, edges = source[edge_order], target[edge_order], edges.take(edge_order)
        relationships = _table(
            "relationships",
            relationship_id=_ids(rng, len(source)),
            source_id=entity_ids.take(owner[source]),
            target_id=entity_ids.take(owner[target]),
            source_name=entities["name"].combine_chunks().take(owner[source]),
            target_name=entities["name"].combine_chunks().take(owner[target]),
            source_state_id=state_ids.take(source),
            target_state_id=state_ids.take(target),
            type=pa.repeat("CO_OCCURS", len(source)),
            strength=np.ones(len(source), np.int64),
            weight=np.full(len(source), 0.1),
            evidence=_lists(np.ones(len(source), np.int64), self._evidence(edges, unit_ids)),
            last_ordinal=edges.ordinal,
            **{
                k: v
                for k, v in self._where(edges, "known_from", "first_ordinal").items()
                if k != "document_id"
            },
        )

        chosen = np.sort(rng.choice(n, round(MERGED * n), replace=False))
        others = _other_of_series(chosen, series_of, rng)
        merges = _table(
            "merges",
            merge_id=_ids(rng, len(chosen)),
            series_id=_texts("series", series_of[chosen]),
            source_id=entity_ids.take(chosen),
            target_id=entity_ids.take(others),
            known_from=np.maximum(first[chosen], first[others]),
            known_until=np.full(len(chosen), NEVER),
            decision=pa.repeat("merge", len(chosen)),
            reason=pa.repeat("made up", len(chosen)),
        )
        windows = Places(units.series[::15], units.ordinal[::15])
        members = rng.integers(0, 20, size=len(windows.series) * 20) + np.repeat(
            np.searchsorted(
                states.series * UNITS_PER_SERIES + begins, windows.series * UNITS_PER_SERIES + windows.ordinal
            ),
            20,
        )
        ends = np.minimum(windows.ordinal + 19, UNITS_PER_SERIES - 1)
        communities = _table(
            "communities",
            community_id=_ids(rng, len(ends)),
            kind=pa.repeat("window", len(ends)),
            members=_lists(np.full(len(ends), 20), state_ids.take(np.minimum(members, len(owner) - 1))),
            title=self._texts(len(ends), 60),
            summary=self._texts(len(ends), 300),
            report=self._texts(len(ends), 1000),
            last_ordinal=ends,
            **{
                k: v
                for k, v in self._where(Places(windows.series, ends), "known_from").items()
                if k != "chapter_id"
            },
            first_ordinal=windows.ordinal,
        )
        text_units, index = self._text_units(unit_ids)
        tables = {
            "documents": self._documents(),
            "text_units": text_units,
            "entities": entities,
            "entity_states": entity_states,
            "relationships": relationships,
            "merges": merges,
            "communities": communities,
            "lexical": index,
            "names": self._name_index(entities),
        }
        return tables, {"text_units": units, "entity_states": states, "communities": windows}

    def _where(self, places: Places, *ordinals: str) -> dict[str, Any]:
        """Return the columns that say where rows lie; each of ``ordinals`` gets their ordinals."""
        book = places.series * BOOKS + places.book
        chapter = places.chapter % CHAPTERS_PER_BOOK + 1
        return {
            "series_id": _texts("series", places.series),
            "document_id": _texts("document", book),
            "book_number": places.book + 1,
            "book_title": _texts("book", book),
            "chapter_id": pa.array(chapter).cast(pa.string()),
            "headings": _lists(np.ones(len(chapter), np.int64), _texts("Chapter", chapter)),
            **dict.fromkeys(ordinals, places.ordinal),
        }

    def _documents(self) -> pa.Table:
        book = np.arange(self.n_series * BOOKS)
        n = len(book)
        blank = pa.repeat("", n)
        return _table(
            "documents",
            document_id=_texts("document", book),
            source=_texts("source", book),
            **dict.fromkeys(("content_hash", "parse_key"), blank),
            format=pa.repeat("txt", n),
            n_bytes=np.zeros(n, np.int64),
            status=pa.repeat("indexed", n),
            reason=pa.nulls(n, pa.string()),
            title=_texts("book", book),
            language=pa.repeat("en", n),
            series_id=_texts("series", book // BOOKS),
            series_title=_texts("series", book // BOOKS),
            series_origin=pa.repeat("single", n),
            book_number=book % BOOKS + 1,
            book_title=_texts("book", book),
            date=pa.nulls(n, pa.string()),
            n_pages=pa.nulls(n, pa.int64()),
            warnings=_lists(np.zeros(n, np.int64), pa.array([], pa.string())),
            n_characters=np.zeros(n, np.int64),
            n_text_units=np.full(n, UNITS_PER_SERIES // BOOKS),
        )

    def _text_units(self, unit_ids: pa.Array) -> tuple[pa.Table, pa.Table]:
        """Return the text units and their inverted index."""
        n = len(self.units.series)
        drawn = np.concatenate(
            [self._draw(UNITS_PER_SERIES * WORDS_PER_UNIT).astype(np.int32) for _ in range(self.n_series)]
        )
        texts = [self._joined(part) for part in np.split(drawn, self.n_series)]
        one = np.ones(n, np.int64)
        table = _table(
            "text_units",
            text_unit_id=unit_ids,
            chunk_index=self.units.ordinal % (UNITS_PER_SERIES // BOOKS),
            relative_position=np.zeros(n),
            page_numbers=_lists(one, pa.array(one)),
            fragments=_lists(np.zeros(n, np.int64), pa.array([], flat_type("text_units", "fragments"))),
            start=np.zeros(n, np.int64),
            end=np.zeros(n, np.int64),
            n_tokens=np.full(n, 300),
            language=pa.repeat("en", n),
            date=pa.nulls(n, pa.string()),
            text=pa.concat_arrays(texts),
            **self._where(self.units, "ordinal"),
        )
        rows = np.repeat(np.arange(n, dtype=np.int32), WORDS_PER_UNIT)
        return table, _inverted(drawn, rows, n, self.words)

    def _joined(self, drawn: Integers) -> pa.Array:
        """Return the texts of some text units, given their words one after the other."""
        ends = pa.array(np.arange(0, len(drawn) + 1, WORDS_PER_UNIT, dtype=np.int32))
        return pc.binary_join(pa.ListArray.from_arrays(ends, self.words.take(pa.array(drawn))), " ")

    def _name_index(self, entities: pa.Table) -> pa.Table:
        """Return the inverted index of a full name and a family name for each entity."""
        given, family = (pc.list_element(pc.split_pattern(entities["name"], " "), i) for i in (0, 1))
        words = pa.concat_arrays(
            [given.combine_chunks(), family.combine_chunks(), family.combine_chunks()]
        ).dictionary_encode()
        own = 2 * np.arange(self.n_entities)
        return _inverted(
            words.indices.to_numpy(),
            np.concatenate([own, own, own + 1]),
            2 * self.n_entities,
            words.dictionary,
        )

    def _names(self, n: int) -> tuple[pa.Array, pa.Array]:
        """Return a first and a family name of each: some names are those of many."""
        given = self.words.take(pa.array(VOCABULARY - 1 - self._draw(n) % FIRST_NAMES))
        return given, self.words.take(
            pa.array(VOCABULARY - 1 - FIRST_NAMES - self._rng.integers(20_000, size=n))
        )

    def _evidence(self, places: Places, unit_ids: pa.Array) -> pa.Array:
        units = unit_ids.take(pa.array(places.series * UNITS_PER_SERIES + places.ordinal))
        columns = [
            self._texts(len(units), 100),
            pa.array(places.ordinal),
            units,
            pa.array(np.ones(len(units), np.int64)),
        ]
        return pa.StructArray.from_arrays(columns, ["text", "ordinal", "text_unit_id", "strength"])

    def _vectors(self, places: Places) -> NDArray[np.float32]:
        """Return vectors as an index stores them, rounded to half precision."""
        result = np.empty((len(places.series), DIMENSION), np.float32)
        for start in range(0, len(result), 20_000):
            part = places.take(np.arange(start, min(start + 20_000, len(result))))
            noise = self._rng.standard_normal((len(part.series), DIMENSION)).astype(np.float32)
            rows = centres(part.series, part.chapter) + noise * np.float32(NOISE / np.sqrt(DIMENSION))
            rows /= np.linalg.norm(rows, axis=1, keepdims=True)
            result[start : start + len(rows)] = rows.astype(np.float16)
        return result

    def _texts(self, n: int, length: int) -> pa.Array:
        """Return n passages of whole words, of so many letters."""
        starts = LETTERS * self._rng.integers((len(self._pool) - length) // LETTERS, size=n)
        return _fixed(self._pool[starts[:, None] + np.arange(length - 1)])

    def _draw(self, n: int) -> Integers:
        """Return places in the vocabulary by Zipf's law."""
        steps = np.cumsum(self._word_share)
        return np.minimum(np.searchsorted(steps, self._rng.random(n)), VOCABULARY - 1)

    def _draw_words(self, n: int) -> list[str]:
        return self.words.take(pa.array(self._draw(n))).to_pylist()


def manifest(files: dict[str, str], settings: dict[str, Any], embedder: dict[str, Any]) -> Manifest:
    """Return the manifest of a made-up version with these digests of its files."""
    return Manifest(
        tgrag_version="benchmark",
        collection="synthetic",
        version_id=VERSION,
        recipe_id="",
        parent=None,
        created_at="",
        settings=settings,
        files=files,
        embedder=embedder,
        collection_file=None,
        series=[],
        counts={},
        health=Health(
            nodes=0,
            edges=0,
            components=0,
            largest_component=0,
            isolated_nodes=0,
            duplicate_rate=0,
            weak_names=0,
        ),
        stages={},
        dead_letters=[],
    )


def centres(series: Integers, chapter: Integers) -> NDArray[np.float32]:
    """Return the centre of length 1 of each chapter's vectors: a mean of the series' and of its own direction."""
    keys = np.column_stack([series, chapter])
    distinct, place = np.unique(keys, axis=0, return_inverse=True)
    own = np.stack([_direction(s, c + 1) + _direction(s, 0) for s, c in distinct.tolist()])
    own /= np.linalg.norm(own, axis=1, keepdims=True)
    result: NDArray[np.float32] = own[place.reshape(-1)].astype(np.float32)
    return result


def _direction(*key: int) -> NDArray[np.float64]:
    vector = np.random.default_rng(key).standard_normal(DIMENSION)
    result: NDArray[np.float64] = vector / np.linalg.norm(vector)
    return result


def flat_type(table: str, column: str) -> pa.DataType:
    return schema_of(TABLES[table].record).field(column).type.value_type


def _table(name: str, /, **columns: Any) -> pa.Table:
    """Return a table of the index, its columns in any order."""
    schema = schema_of(TABLES[name].record)
    arrays = [columns.pop(field.name) for field in schema]
    assert not columns, columns.keys()
    typed = [a if isinstance(a, pa.Array) else pa.array(a) for a in arrays]
    return pa.table([a.cast(f.type) for a, f in zip(typed, schema, strict=True)], schema=schema)


def _inverted(terms: Integers, rows: Integers, n_rows: int, words: pa.Array) -> pa.Table:
    """Return the inverted index of (term, row) pairs; ``words`` are the terms, in any order."""
    rank = np.empty(len(words), np.int64)
    order = pc.sort_indices(words).to_numpy()
    rank[order] = np.arange(len(words))
    keys = rank[terms]
    keys *= n_rows
    keys += rows
    keys.sort()
    begins = np.flatnonzero(np.diff(keys, prepend=-1))
    frequencies = np.diff(np.append(begins, len(keys)))
    keys = keys[begins]
    found, counts = np.unique(keys // n_rows, return_counts=True)
    columns = [
        words.take(pa.array(order[found])),
        _lists(counts, pa.array((keys % n_rows).astype(np.int32))),
        _lists(counts, pa.array(frequencies.astype(np.int32))),
    ]
    return pa.table(
        [c.cast(f.type) for c, f in zip(columns, lexical.SCHEMA, strict=True)], schema=lexical.SCHEMA
    )


def _other_of_series(rows: Integers, series_of: Integers, rng: np.random.Generator) -> Integers:
    """Return for each row another row of its series, where there is one."""
    order = np.argsort(series_of, kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    other = order[np.minimum(place[rows] + rng.integers(1, 50, len(rows)), len(order) - 1)]
    return np.where(series_of[other] == series_of[rows], other, rows)


def _lists(lengths: Integers, values: pa.Array) -> pa.Array:
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), values)


def _ids(rng: np.random.Generator, n: int) -> pa.Array:
    """Return n distinct ids in ascending order, as hashes look."""
    digits = np.frombuffer(b"0123456789abcdef", np.uint8)
    drawn = digits[rng.integers(16, size=(n, 32), dtype=np.uint8)]
    return _fixed(np.sort(drawn.view("S32").ravel()).view(np.uint8).reshape(n, 32))


def _fixed(letters: NDArray[np.uint8]) -> pa.Array:
    """Return strings of equal length, one a row of ASCII letters."""
    n, length = letters.shape
    offsets = np.arange(0, (n + 1) * length, length, dtype=np.int32 if n * length < 2**31 else np.int64)
    kind = pa.StringArray if offsets.dtype == np.int32 else pa.LargeStringArray
    return kind.from_buffers(n, pa.py_buffer(offsets), pa.py_buffer(np.ascontiguousarray(letters)))


def _texts(prefix: str, numbers: Integers) -> pa.Array:
    """Return "prefix 000012" for each number, in an order that is that of the numbers."""
    padded = pc.utf8_lpad(pa.array(numbers).cast(pa.string()), 6, "0")
    return pc.binary_join_element_wise(prefix, padded, " ")


def _joined(first: pa.Array, second: pa.Array) -> pa.Array:
    return pc.binary_join_element_wise(first, second, " ")


def words(n: int) -> pa.Array:
    """Return words that no dictionary knows, and that are so their own lemmas."""
    syllables = [c + v for c in "bdfgklmnprtvz" for v in "aiou"]
    base = len(syllables)
    return pa.array(
        ["".join(syllables[(place * 7919 // base**i) % base] for i in range(4)) + "x" for place in range(n)]
    )
