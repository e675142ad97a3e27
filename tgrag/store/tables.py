"""Records <-> Arrow tables <-> Parquet bytes, and the order in which each table is written.

One ordered writer a table: the same records in any order give the same bytes.
"""

import types
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property, lru_cache, partial
from itertools import pairwise
from operator import attrgetter
from typing import Any, Generic, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from tgrag.records import Community, Document, Entity, EntityState, Merge, Relationship, TextUnit

T = TypeVar("T")

ROW_GROUP = 1_000_000  # so many that reading most tables puts nothing together
_SCALARS: dict[Any, pa.DataType] = {str: pa.string(), bool: pa.bool_(), int: pa.int64(), float: pa.float64()}


# --- schemas ------------------------------------------------------------------------------------------


def schema_of(record_class: type) -> pa.Schema:
    """Return the Arrow schema of a record class, one field a dataclass field, in the same order."""
    return pa.schema(_arrow_fields(record_class))


def _arrow_fields(record_class: type) -> list[pa.Field]:
    result = []
    for name, hint in _hints(record_class).items():
        inner, nullable = _optional(hint)
        result.append(pa.field(name, _arrow_type(inner), nullable=nullable))
    return result


def _arrow_type(hint: Any) -> pa.DataType:
    if hint in _SCALARS:
        return _SCALARS[hint]
    if get_origin(hint) is Literal:
        return pa.string()
    if get_origin(hint) is tuple and get_args(hint)[1:] == (...,):
        return pa.list_(pa.field("element", _arrow_type(get_args(hint)[0]), nullable=False))
    if is_dataclass(hint):
        return pa.struct(_arrow_fields(cast(type, hint)))
    raise TypeError(f"no Arrow type for {hint!r}")


def _optional(hint: Any) -> tuple[Any, bool]:
    if get_origin(hint) in (Union, types.UnionType) and type(None) in get_args(hint):
        (inner,) = (argument for argument in get_args(hint) if argument is not type(None))
        return inner, True
    return hint, False


@lru_cache(maxsize=64)
def _hints(record_class: type) -> dict[str, Any]:
    hints = get_type_hints(record_class)
    return {field.name: hints[field.name] for field in fields(record_class)}


# --- records and tables -------------------------------------------------------------------------------


def to_table(record_class: type[T], records: Iterable[T]) -> pa.Table:
    """Return the records as a table, one row each, in the given order."""
    rows = list(records)
    schema = schema_of(record_class)
    columns = [pa.array([_plain(getattr(row, f.name)) for row in rows], type=f.type) for f in schema]
    return pa.Table.from_arrays(columns, schema=schema)


def from_row(record_class: type[T], mapping: Mapping[str, Any]) -> T:
    """Return the record that a row of plain Python values stands for."""
    return cast(T, _record_builder(cast(Any, record_class))(mapping))


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    return value


@lru_cache(maxsize=64)
def _record_builder(record_class: type) -> Callable[[Mapping[str, Any]], Any]:
    converters = {name: _converter(_optional(hint)[0]) for name, hint in _hints(record_class).items()}

    def build(mapping: Mapping[str, Any]) -> Any:
        values = {}
        for name, convert in converters.items():
            value = mapping[name]
            values[name] = value if convert is None or value is None else convert(value)
        return record_class(**values)

    return build


def _converter(hint: Any) -> Callable[[Any], Any] | None:
    """Return what turns a plain value into a field's value; None when it already is one."""
    if is_dataclass(hint):
        return _record_builder(cast(type, hint))
    if get_origin(hint) is tuple:
        convert = _converter(get_args(hint)[0])
        return tuple if convert is None else lambda items: tuple(convert(item) for item in items)
    return None


def records_of(record_class: type[T], table: pa.Table) -> list[T]:
    """Return the records that the rows of a table stand for: a column at a time, twice as fast as ``from_row``."""
    readers = _readers(cast(type, record_class))
    return list(map(record_class, *(read(whole(table[name])) for name, read in readers.items())))


_Reader = Callable[[pa.Array], list[Any]]


@lru_cache(maxsize=64)
def _readers(record_class: type) -> dict[str, _Reader]:
    """Return, for each field, what reads a column as values of that field."""
    return {name: _reader(_optional(hint)[0]) for name, hint in _hints(record_class).items()}


def _reader(hint: Any) -> _Reader:
    if is_dataclass(hint):
        read: _Reader = partial(_structs, hint)
    elif get_origin(hint) is tuple:
        element = get_args(hint)[0]
        read = partial(_lists, _reader(element)) if is_dataclass(element) else _lists_of_scalars
    else:
        return _scalars
    convert = _converter(hint) or tuple
    return lambda column: read(column) if not column.null_count else _with_absent(column, convert)


def _structs(record_class: Any, column: pa.Array) -> list[Any]:
    readers = _readers(record_class).values()
    return list(
        map(record_class, *(read(part) for read, part in zip(readers, column.flatten(), strict=True)))
    )


def _lists(read: _Reader, column: pa.Array) -> list[Any]:
    items = read(column.flatten())
    ends = np.cumsum(column.value_lengths().to_numpy()).tolist()
    return [tuple(items[begin:end]) for begin, end in pairwise([0, *ends])]


def _lists_of_scalars(column: pa.Array) -> list[Any]:
    return list(map(tuple, column.to_pylist()))


def _with_absent(column: pa.Array, convert: Callable[[Any], Any]) -> list[Any]:
    return [None if value is None else convert(value) for value in column.to_pylist()]


def _scalars(column: pa.Array) -> list[Any]:
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if column.null_count:
        return cast(list[Any], column.to_pylist())
    return cast(list[Any], column.to_numpy(zero_copy_only=False).tolist())


def table_bytes(table: pa.Table) -> bytes:
    """Return a table as Parquet (Snappy, fixed row groups): the same rows give the same bytes."""
    sink = pa.BufferOutputStream()
    pq.write_table(table.combine_chunks(), sink, compression="snappy", row_group_size=ROW_GROUP)
    return cast(bytes, sink.getvalue().to_pybytes())


def read_table(data: bytes, repeated: Set[str] = frozenset()) -> pa.Table:
    """Return the table that ``table_bytes`` wrote, those of its columns that are ``repeated`` as dictionaries."""
    # not pq.read_table, which imports the whole of pandas first
    encoded = [name for name in pq.read_schema(pa.BufferReader(data)).names if name in repeated]
    return (
        pq.ParquetFile(pa.BufferReader(data), read_dictionary=encoded)
        .read(use_threads=False)
        .combine_chunks()
    )


def whole(column: pa.ChunkedArray) -> pa.Array:
    """Return a column in one piece; it is not copied when it is one already."""
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def narrow(values: pa.Array) -> pa.Array:
    """Return whole numbers in half the memory, where they are small enough; all else as it is."""
    if values.type != pa.int64():
        return values
    span = pc.min_max(values).as_py()
    fits = span["min"] is None or -(2**31) <= span["min"] <= span["max"] < 2**31
    return values.cast(pa.int32()) if fits else values


def narrow_table(table: pa.Table) -> pa.Table:
    """Return a table with its columns made ``narrow``."""
    columns = [narrow(whole(column)) for column in table.columns]
    return pa.table(columns, names=table.column_names)


# values that many rows of a table have in common
REPEATED = frozenset({"series_id", "document_id", "book_title", "chapter_id", "type", "kind"})


# --- the tables of a version --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TableKind(Generic[T]):
    """record: the class of a row. key: the field that names a row. order: the fields it is sorted by."""

    record: type[T]
    key: str
    order: tuple[str, ...]


TABLES: dict[str, TableKind[Any]] = {
    "documents": TableKind(Document, "document_id", ("source",)),
    "text_units": TableKind(TextUnit, "text_unit_id", ("series_id", "ordinal")),
    "entities": TableKind(Entity, "entity_id", ("entity_id",)),
    "entity_states": TableKind(EntityState, "state_id", ("series_id", "known_from", "state_id")),
    "relationships": TableKind(
        Relationship, "relationship_id", ("series_id", "known_from", "relationship_id")
    ),
    "merges": TableKind(Merge, "merge_id", ("series_id", "known_from", "merge_id")),
    "communities": TableKind(Community, "community_id", ("series_id", "first_ordinal", "community_id")),
}


def ordered(name: str, records: Iterable[T]) -> list[T]:
    """Return the records of the named table in the order in which they are written."""
    return sorted(records, key=attrgetter(*TABLES[name].order))


def ordered_table(name: str, records: Iterable[Any]) -> pa.Table:
    """Return the named table of these records, in its order."""
    return to_table(TABLES[name].record, ordered(name, records))


@dataclass(frozen=True, slots=True)
class Nested:
    """A list column in flat form: the values of row i are ``values[offsets[i]:offsets[i + 1]]``."""

    offsets: NDArray[np.int64]
    values: NDArray[Any]

    def of(self, row: int) -> NDArray[Any]:
        return self.values[self.offsets[row] : self.offsets[row + 1]]

    def owners(self) -> NDArray[np.int64]:
        """Return, for each value, the row that it belongs to."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))


def flat(lists: pa.ChunkedArray, field: str | None = None) -> Nested:
    """Return a list column in flat form; ``field`` chooses one field of a list of structs."""
    lengths = whole(lists).value_lengths().to_numpy(zero_copy_only=False)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return Nested(offsets, flat_values(lists, field).to_numpy(zero_copy_only=False))


def flat_values(lists: pa.ChunkedArray, field: str | None = None) -> pa.Array:
    """Return the values of all lists of a column, one after the other."""
    values = whole(lists).flatten()
    return values if field is None else values.field(field)


class Rows(Generic[T]):
    """A table with typed access: whole columns as numpy arrays for filters, single rows as records."""

    def __init__(self, kind: TableKind[T], table: pa.Table) -> None:
        self.kind = kind
        self.table = table.combine_chunks()
        self._columns: dict[str, NDArray[Any]] = {}

    def __len__(self) -> int:
        return cast(int, self.table.num_rows)

    def row(self, index: int) -> T:
        return self.take([index])[0]

    def take(self, indices: Sequence[int] | NDArray[np.int64]) -> list[T]:
        """Return the records of these rows, in the order of ``indices``."""
        chosen = self.table.take(pa.array(indices, type=pa.int64()))
        return records_of(self.kind.record, chosen)

    def column(self, name: str) -> NDArray[Any]:
        """Return a scalar column; strings as an object array."""
        if name not in self._columns:
            self._columns[name] = self.table[name].to_numpy()
        return self._columns[name]

    def codes(self, name: str) -> tuple[NDArray[np.int32], list[Any]]:
        """Return a column as places in a list of its distinct values, and that list, in order of appearance."""
        column = whole(self.table[name])
        is_encoded = pa.types.is_dictionary(column.type) and not column.null_count
        encoded = column if is_encoded else column.dictionary_encode(null_encoding="encode")
        return encoded.indices.to_numpy(), encoded.dictionary.to_pylist()

    def runs(self, *names: str) -> NDArray[np.int64]:
        """Return the first row of each longest run of rows that have the same values in these columns."""
        if not len(self):
            return np.empty(0, np.int64)
        begins = np.zeros(len(self), dtype=np.bool_)
        begins[0] = True
        for name in names:
            codes, _ = self.codes(name)
            begins[1:] |= codes[1:] != codes[:-1]
        return np.flatnonzero(begins)

    def with_columns(self, columns: Mapping[str, pa.Array]) -> "Rows[T]":
        """Return the same rows, some columns held in another way."""
        names = self.table.column_names
        return Rows(self.kind, pa.table([columns.get(name, self.table[name]) for name in names], names=names))

    def nested(self, name: str, field: str | None = None) -> Nested:
        """Return a list column in flat form; ``field`` chooses one field of a list of structs."""
        return flat(self.table[name], field)

    @cached_property
    def by_id(self) -> dict[str, int]:
        """Return the row of each key."""
        return {key: index for index, key in enumerate(self.column(self.kind.key))}
