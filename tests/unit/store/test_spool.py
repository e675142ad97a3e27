"""Records on a scratch file come back as they were, in any order, also between two parts."""

import tempfile
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tgrag.errors import StorageError
from tgrag.store.keys import Keys
from tgrag.store.spool import BLOCK, BLOCKS_AT_HAND, Spool, Spooled
from tgrag.store.tables import to_table


@dataclass(frozen=True, slots=True)
class Part:
    name: str
    sizes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Thing:
    key: str
    number: int
    parts: tuple[Part, ...]
    remark: str | None


things = st.builds(
    Thing,
    st.text(max_size=3),
    st.integers(-(2**63), 2**63 - 1),
    st.lists(st.builds(Part, st.text(), st.lists(st.integers(0, 9)).map(tuple)), max_size=3).map(tuple),
    st.none() | st.text(),
)


def thing(n: int, remark: str | None = None) -> Thing:
    return Thing(str(n), n, (Part("часть", (n, n)),) * (n % 3), remark)


@settings(deadline=None)
@given(st.lists(st.lists(things, max_size=5), max_size=4))
def test_records_come_back_equal(parts: list[list[Thing]]) -> None:
    kept: Spool[Thing] = Spool(Thing)
    expected: list[Thing] = []
    for part in parts:
        assert kept.append(to_table(Thing, part)) == len(expected)
        expected += part
        assert list(kept) == expected
    assert [kept[row] for row in reversed(range(len(kept)))] == expected[::-1]


def test_blocks_are_read_again_when_they_are_no_more_at_hand() -> None:
    n = BLOCK * (BLOCKS_AT_HAND + 3) + 1
    kept: Spool[Thing] = Spool(Thing)
    kept.append(to_table(Thing, map(thing, range(n))))
    for _ in range(2):
        assert [kept[row].number for row in range(n)] == list(range(n))
    assert len(kept._at_hand) == BLOCKS_AT_HAND
    with pytest.raises(IndexError):
        kept[n]


def test_columns_of_others_are_left_out() -> None:
    kept: Spool[Thing] = Spool(Thing)
    table = to_table(Thing, [thing(1)])
    kept.append(table.append_column("other", pa.array([1])))
    assert list(kept) == [thing(1)]


def test_the_file_has_no_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    kept: Spool[Thing] = Spool(Thing)
    kept.append(to_table(Thing, [thing(1)]))
    assert not list(tmp_path.iterdir()) and kept[0] == thing(1)


def test_a_full_disk_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(buffering: int) -> FileIO:
        return FileIO("/dev/full", "w")

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    with pytest.raises(StorageError, match="TMPDIR"):
        Spool(Thing).append(to_table(Thing, [thing(1)]))


def test_a_later_record_takes_the_place_of_an_earlier_one() -> None:
    kept: Spooled[Thing] = Spooled(Thing, "key", Keys(map(str, range(200))))
    assert not kept and "3" not in kept
    kept.put(to_table(Thing, map(thing, range(100))))
    kept.put(to_table(Thing, [thing(3, "later"), thing(150)]))
    assert kept["3"] == kept.at(3) == thing(3, "later")
    assert dict(kept) == {str(n): thing(n, "later" if n == 3 else None) for n in [*range(100), 150]}
    assert "151" not in kept and "no key" not in kept and kept.get("151") is None
    for absent in ("151", "no key"):
        with pytest.raises(KeyError):
            kept[absent]
    with pytest.raises(KeyError):
        kept.put(to_table(Thing, [thing(200)]))
