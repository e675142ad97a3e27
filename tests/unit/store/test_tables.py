import random
from dataclasses import dataclass, fields

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tgrag.records import Alias, Entity, EntityState, TextUnit
from tgrag.store.tables import (
    TABLES,
    Rows,
    from_row,
    ordered_table,
    read_table,
    records_of,
    schema_of,
    table_bytes,
    to_table,
)

texts = st.text(st.characters(codec="utf-8"), max_size=8)
entities = st.builds(
    Entity,
    entity_id=texts,
    series_id=texts,
    name=texts,
    type=texts,
    lemma_key=texts,
    language=st.sampled_from(["ru", "uk", "en"]),
    aliases=st.lists(st.builds(Alias, texts, st.integers(0, 2**62))).map(tuple),
    known_from=st.integers(0, 2**62),
    first_ordinal=st.integers(0, 9),
    last_ordinal=st.integers(0, 9),
    n_mentions=st.integers(0, 9),
    degree=st.integers(0, 9),
)


@pytest.mark.parametrize("name", TABLES)
def test_every_table_has_a_schema_with_the_fields_of_its_record(name):
    kind = TABLES[name]
    assert schema_of(kind.record).names == [field.name for field in fields(kind.record)]
    assert to_table(kind.record, []).num_rows == 0


def test_types_follow_the_hints():
    schema = schema_of(TextUnit)
    assert schema.field("ordinal").type == pa.int64()
    assert schema.field("relative_position").type == pa.float64()
    assert schema.field("language").type == pa.string()
    assert schema.field("page_numbers").type.value_type == pa.int64()
    assert schema.field("date").nullable
    assert not schema.field("text").nullable
    struct = schema_of(EntityState).field("descriptions").type.value_type
    assert [field.name for field in struct] == ["text", "ordinal", "text_unit_id", "strength"]


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(entities, max_size=5))
def test_records_survive_the_way_to_bytes_and_back(records):
    table = read_table(table_bytes(to_table(Entity, records)))
    assert [from_row(Entity, row) for row in table.to_pylist()] == records
    assert records_of(Entity, table) == records


@dataclass(frozen=True)
class Part:
    name: str
    places: tuple[int, ...]


@dataclass(frozen=True)
class Whole:
    name: str
    weight: float
    known: bool
    number: int | None
    date: str | None
    parts: tuple[Part, ...]
    first: Part
    last: Part | None


whole_numbers = st.integers(-(2**63), 2**63 - 1)
parts = st.builds(Part, places=st.lists(whole_numbers, max_size=3).map(tuple))
wholes = st.builds(
    Whole,
    weight=st.floats(allow_nan=False),
    number=st.none() | whole_numbers,
    parts=st.lists(parts, max_size=3).map(tuple),
    first=parts,
    last=st.none() | parts,
)


@given(st.lists(wholes, max_size=6), st.integers(0, 6), st.booleans())
def test_columns_give_the_records_that_rows_give(records, start, repeated):
    table = to_table(Whole, records)
    if repeated:
        table = table.set_column(0, "name", table["name"].dictionary_encode())
    assert records_of(Whole, table) == [from_row(Whole, row) for row in table.to_pylist()] == records
    assert records_of(Whole, table.slice(start)) == records[start:]


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(entities, max_size=8, unique_by=lambda e: e.entity_id), st.randoms())
def test_the_same_records_in_any_order_give_the_same_bytes(records, rng: random.Random):
    shuffled = rng.sample(records, len(records))
    assert table_bytes(ordered_table("entities", shuffled)) == table_bytes(ordered_table("entities", records))


def test_bytes_do_not_depend_on_how_a_table_is_chunked():
    table = pa.table({"a": list(range(100))})
    pieces = pa.concat_tables([table.slice(0, 7), table.slice(7)])
    assert table_bytes(pieces) == table_bytes(table)


def test_rows_give_records_columns_and_lists():
    records = [
        Entity(str(n), "s", "n", "T", "k", "ru", tuple(Alias(f"{n}{i}", i) for i in range(n)), n, 0, 0, 1, 0)
        for n in range(4)
    ]
    rows = Rows(TABLES["entities"], to_table(Entity, records))
    assert rows.row(2) == records[2]
    assert rows.take([3, 1]) == [records[3], records[1]]
    assert rows.by_id["3"] == 3
    assert rows.column("known_from").tolist() == [0, 1, 2, 3]
    known = rows.nested("aliases", "known_from")
    assert known.values[known.offsets[3] : known.offsets[4]].tolist() == [0, 1, 2]
    assert known.owners().tolist() == [1, 2, 2, 3, 3, 3]
