"""What the benchmarks of extraction share: synthetic text units, and the mock server as a process of its own."""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, overload

from tests.extraction import unit
from tests.mock_llm import Running
from tgrag.index.walk import UnitMethod
from tgrag.models.chat_wire import identity_of
from tgrag.records import TextUnit
from tgrag.settings import Settings, load_settings


class SyntheticUnits(Sequence[TextUnit]):
    """Units of one document with about 1,750 characters each, made when they are read; of so many different texts."""

    def __init__(self, n: int, most_texts: int | None = None) -> None:
        self._numbers, self._most_texts = range(n), most_texts or n

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, place: int) -> TextUnit: ...
    @overload
    def __getitem__(self, place: slice) -> list[TextUnit]: ...
    def __getitem__(self, place: int | slice) -> TextUnit | list[TextUnit]:
        if isinstance(place, slice):
            return [self[n] for n in self._numbers[place]]
        n = self._numbers[place]
        return unit(n, text=unit(n % self._most_texts).text + " Была зима." * 150)


@contextmanager
def server(**config: Any) -> Iterator[Running]:
    """Run the mock as a process of its own."""
    command = [sys.executable, "-m", "tests.mock_llm", "--port", "0", "--config", json.dumps(config)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        yield Running(process.stdout.readline().split()[-1])
    finally:
        process.terminate()
        process.wait()


def settings_for(root: str, mock: Running, n_slots: int, workers: int) -> Settings:
    chat = {"model": "mock", "base_url": mock.base_url, "max_in_flight": n_slots}
    return load_settings(root=root, profile="openai", chat=chat, index={"workers": workers})


def method_of(settings: Settings) -> UnitMethod:
    return UnitMethod(identity_of(settings.chat), settings.extract)
