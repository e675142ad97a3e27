"""Where all text units of a run stand, in some tens of bytes each: counts are in memory, the rest is on spools."""

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tgrag.index.assemble import UsedAnswer
from tgrag.index.read_units import Fault
from tgrag.records import Extraction
from tgrag.store.keys import ABSENT, Keys
from tgrag.store.spool import Spooled

_COUNTS = ("n_missing", "n_answers", "n_faults", "dropped", "stubs")
_KEY = "text_unit_id"


@dataclass(frozen=True, slots=True)
class Account:
    """The stored answers that a text unit used, and what keeps it from being done."""

    text_unit_id: str
    answers: tuple[UsedAnswer, ...]
    faults: tuple[Fault, ...]


class Readings:
    """The latest reading of each text unit; arrays are by the number of the unit among those given.

    extractions: of the units that are done, and whatever else is put there.
    """

    def __init__(self, text_unit_ids: Iterable[str]) -> None:
        self.keys = Keys(text_unit_ids)
        self.extractions: Spooled[Extraction] = Spooled(Extraction, _KEY, self.keys)
        self.accounts: Spooled[Account] = Spooled(Account, _KEY, self.keys)
        self.done = np.zeros(len(self.keys), np.bool_)
        self.counts = {name: np.zeros(len(self.keys), np.int32) for name in _COUNTS}

    def take(self, table: pa.Table) -> None:
        """Take in a table of Readings."""
        numbers = self.keys.numbers(table[_KEY].to_pylist())
        counted = {
            "n_missing": table["n_missing"],
            "n_answers": pc.list_value_length(table["answers"]),
            "n_faults": pc.list_value_length(table["faults"]),
            "dropped": table["dropped"],
            "stubs": table["stubs"],
        }
        for name, column in counted.items():
            self.counts[name][numbers] = column.to_numpy()
        self.done[numbers] = done = (self.counts["n_missing"] + self.counts["n_faults"])[numbers] == 0
        self.extractions.put(table.filter(pa.array(done)))
        self.accounts.put(table)

    def total(self, count: str, of: NDArray[np.bool_] | slice = slice(None)) -> int:
        return int(self.counts[count][of].sum(dtype=np.int64))

    def faults(self) -> Iterator[tuple[int, Fault]]:
        """Return what keeps units from being done, with the numbers of the units."""
        for number in np.flatnonzero(self.counts["n_faults"]).tolist():
            for fault in self.accounts.at(number).faults:
                yield number, fault


class Marked(Set[str]):
    """The text units that are marked, by number."""

    def __init__(self, readings: Readings, marks: NDArray[np.bool_]) -> None:
        self._readings, self._marks = readings, marks

    def __contains__(self, text_unit_id: object) -> bool:
        number = self._readings.keys.number(text_unit_id) if isinstance(text_unit_id, str) else ABSENT
        return number != ABSENT and bool(self._marks[number])

    def __len__(self) -> int:
        return int(self._marks.sum())

    def __iter__(self) -> Iterator[str]:
        for number in np.flatnonzero(self._marks).tolist():
            yield self._readings.accounts.at(number).text_unit_id


@dataclass(frozen=True, slots=True)
class Answers(Iterable[UsedAnswer]):
    """The answers that text units used, in the order of the units."""

    accounts: Mapping[str, Account]

    def __iter__(self) -> Iterator[UsedAnswer]:
        for account in self.accounts.values():
            yield from account.answers
