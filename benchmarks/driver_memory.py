"""What extraction by a language model takes of the driver's memory, by the number of text units.

The whole stage runs in a process of its own: where units stand is read, all are asked at a mock server that answers
at once, they are read again, and every extraction is read once as the graph would. Units are made when they are read.
Of very many units only some have a text of their own: the others are answered from the memo, which saves the time of
the server and changes nothing for the driver.
"""

import multiprocessing
import tempfile
import threading
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.measure import say
from benchmarks.mocked import SyntheticUnits, server, settings_for
from tests.mock_llm import Running
from tgrag.index.asking import Asking
from tgrag.index.budget import Budget
from tgrag.index.extraction import LlmExtraction
from tgrag.index.manifest import StageCost
from tgrag.store.root import open_root

_FIELDS = ("VmRSS", "RssAnon", "RssShmem")  # of /proc/self/status
_SAMPLE_SECONDS = 0.05


@dataclass(frozen=True)
class Memory:
    """Peaks of the driver: resident; of that anonymous (its heap) and shared (Ray's object store, mapped).

    bytes_a_further_unit: how much more each unit takes than in the row above, resident and of the heap.
    """

    units: int
    resident_mb: float
    heap_mb: float
    shared_mb: float
    resident_bytes_a_further_unit: float | None = None
    heap_bytes_a_further_unit: float | None = None


def memory(numbers: Sequence[int], most_texts: int) -> list[Memory]:
    """Run the stage over so many units each time, of at most so many different texts."""
    rows: list[Memory] = []
    for n_units in numbers:
        say(f"memory of the driver with {n_units} units")
        context = multiprocessing.get_context("spawn")
        with server(seconds=0.0, slots=64) as mock, ProcessPoolExecutor(1, mp_context=context) as pool:
            row = pool.submit(_measured, n_units, most_texts, mock.base_url).result()
        rows.append(_beside(rows[-1], row) if rows else row)
    return rows


def _beside(smaller: Memory, row: Memory) -> Memory:
    more = (row.units - smaller.units) / 1e6
    return replace(
        row,
        resident_bytes_a_further_unit=(row.resident_mb - smaller.resident_mb) / more,
        heap_bytes_a_further_unit=(row.heap_mb - smaller.heap_mb) / more,
    )


def _measured(n_units: int, most_texts: int, base_url: str) -> Memory:
    with _Peaks() as peaks:
        _whole_stage(SyntheticUnits(n_units, most_texts), base_url)
    return Memory(n_units, *(peaks.mb[name] for name in _FIELDS))


def _whole_stage(units: SyntheticUnits, base_url: str) -> None:
    with tempfile.TemporaryDirectory() as root:
        settings = settings_for(root, Running(base_url.removesuffix("/v1")), 32, 1)
        asking = Asking(open_root(root), "c", settings, {"d0": "d0"}, lambda line: None)
        stage = LlmExtraction(units, asking)
        stage.ask(Budget(), StageCost(seconds=0))
        found = stage.result()
        assert found.counts.llm == len(units)
        assert sum(bool(found.extractions[unit.text_unit_id].entities) for unit in units) == len(units)
    import ray

    ray.shutdown()


class _Peaks:
    """The peaks of this process's memory, in MB by field, sampled all the time."""

    def __init__(self) -> None:
        self.mb = dict.fromkeys(_FIELDS, 0.0)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def __enter__(self) -> "_Peaks":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _sample(self) -> None:
        while not self._over.wait(_SAMPLE_SECONDS):
            for line in Path("/proc/self/status").read_text().splitlines():
                name, _, value = line.partition(":")
                if name in self.mb:
                    self.mb[name] = max(self.mb[name], int(value.split()[0]) * 1024 / 1e6)
