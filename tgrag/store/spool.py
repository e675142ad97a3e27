"""Records out of memory: appended to a scratch file in parts, and read again a block at a time.

The file has no name: nothing is left of it when the process ends, however that happens. It lies where temporary files
go, which the variable TMPDIR tells.
"""

import os
import tempfile
import weakref
from array import array
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

import numpy as np
import pyarrow as pa

from tgrag.errors import StorageError
from tgrag.store.keys import ABSENT, Keys
from tgrag.store.tables import from_row, schema_of

T = TypeVar("T")

BLOCK = 64  # rows that are written and read together
BLOCKS_AT_HAND = 16  # that were read last and are kept as records


class Spool(Generic[T]):
    """Records of one class, by row. What stays in memory is a quarter of a byte a row. Not for several threads."""

    def __init__(self, record_class: type[T]) -> None:
        self._class, self._schema = record_class, schema_of(record_class)
        self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115  (it lives as long as the spool)
        weakref.finalize(self, self._file.close)
        self._first_rows, self._offsets = array("q"), array("q", [0])
        self._n_rows = 0
        self._at_hand: OrderedDict[int, list[T]] = OrderedDict()

    def __len__(self) -> int:
        return self._n_rows

    def __getitem__(self, row: int) -> T:
        if not 0 <= row < self._n_rows:
            raise IndexError(row)
        block = bisect_right(self._first_rows, row) - 1
        return self._block(block)[row - self._first_rows[block]]

    def __iter__(self) -> Iterator[T]:
        for block in range(len(self._first_rows)):
            yield from self._block(block)

    def append(self, table: pa.Table) -> int:
        """Append rows that have the columns of the class, and perhaps others; return the number of the first."""
        first = self._n_rows
        try:
            rows = table.select(self._schema.names).cast(self._schema).combine_chunks()
            for batch in rows.to_batches(max_chunksize=BLOCK):
                data = memoryview(batch.serialize())
                self._offsets.append(self._offsets[-1] + data.nbytes)
                while data:
                    data = data[self._file.write(data) :]
                self._first_rows.append(self._n_rows)
                self._n_rows += batch.num_rows
        except OSError as error:
            folder = tempfile.gettempdir()
            reason = f"cannot write a scratch file in {folder}: {error.strerror}; set TMPDIR"
            raise StorageError(reason) from error
        return first

    def _block(self, block: int) -> list[T]:
        if block in self._at_hand:
            self._at_hand.move_to_end(block)
            return self._at_hand[block]
        start, end = self._offsets[block], self._offsets[block + 1]
        data = os.pread(self._file.fileno(), end - start, start)
        rows = pa.ipc.read_record_batch(pa.py_buffer(data), self._schema).to_pylist()
        records = self._at_hand[block] = [from_row(self._class, row) for row in rows]
        if len(self._at_hand) > BLOCKS_AT_HAND:
            self._at_hand.popitem(last=False)
        return records


class Spooled(Mapping[str, T]):
    """Records by key on a spool: 8 bytes each in memory, beside the keys.

    key: the column that holds it. keys: all that there may be.
    """

    def __init__(self, record_class: type[T], key: str, keys: Keys) -> None:
        self._spool, self._key, self._keys = Spool(record_class), key, keys
        self._rows = np.full(len(keys), ABSENT, np.int64)

    def put(self, table: pa.Table) -> None:
        """Add rows; one whose key there is already takes the place of the earlier one."""
        numbers = self._keys.numbers(table[self._key].to_pylist())
        if (numbers == ABSENT).any():
            raise KeyError("a row whose key is none of those that there may be")
        first = self._spool.append(table)
        self._rows[numbers] = np.arange(first, len(self._spool))

    def at(self, number: int) -> T:
        """Return the record of the key with this number. Raises KeyError."""
        row = int(self._rows[number])
        if row == ABSENT:
            raise KeyError(number)
        return self._spool[row]

    def __getitem__(self, key: str) -> T:
        number = self._keys.number(key)
        if number == ABSENT or self._rows[number] == ABSENT:
            raise KeyError(key)
        return self.at(number)

    def __contains__(self, key: object) -> bool:
        number = self._keys.number(key) if isinstance(key, str) else ABSENT
        return number != ABSENT and bool(self._rows[number] != ABSENT)

    def __len__(self) -> int:
        return int(np.count_nonzero(self._rows != ABSENT))

    def __iter__(self) -> Iterator[str]:
        """Return the keys by number."""
        for row in self._rows[self._rows != ABSENT].tolist():
            yield getattr(self._spool[row], self._key)
