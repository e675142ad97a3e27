"""Very many strings by number, in a few bytes each."""

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

ABSENT = -1
_BYTES = 16  # 128 bits of a hash tell strings apart, as everywhere in tgrag


class Keys:
    """The numbers of strings, counted in the order given; of equal ones the first counts. 20 bytes a string."""

    def __init__(self, strings: Iterable[str]) -> None:
        digests = _digests(strings)
        order = np.argsort(digests, kind="stable")
        self._digests, self._numbers = digests[order], order.astype(np.int32)

    def __len__(self) -> int:
        return len(self._digests)

    def numbers(self, strings: Iterable[str]) -> NDArray[np.int32]:
        """Return the number of each string, ABSENT for one that was not given."""
        wanted = _digests(strings)
        if not len(self):
            return np.full(len(wanted), ABSENT, np.int32)
        places = np.minimum(self._digests.searchsorted(wanted), len(self) - 1)
        return np.where(self._digests[places] == wanted, self._numbers[places], np.int32(ABSENT))

    def number(self, string: str) -> int:
        return int(self.numbers((string,))[0])


def _digests(strings: Iterable[str]) -> NDArray[np.bytes_]:
    joined = bytearray()
    for string in strings:
        joined += blake2b(string.encode(), digest_size=_BYTES).digest()
    return np.frombuffer(joined, f"S{_BYTES}")
