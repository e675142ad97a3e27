"""Some of a sequence, without a copy of it."""

from collections.abc import Sequence
from typing import TypeVar, overload

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")


class Picked(Sequence[T]):
    """The items with these numbers, in the order of the numbers; each is read when it is asked for."""

    def __init__(self, items: Sequence[T], numbers: NDArray[np.integer]) -> None:
        self._items, self._numbers = items, numbers

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> "Picked[T]": ...
    def __getitem__(self, place: int | slice) -> "T | Picked[T]":
        if isinstance(place, slice):
            return Picked(self._items, self._numbers[place])
        return self._items[int(self._numbers[place])]
