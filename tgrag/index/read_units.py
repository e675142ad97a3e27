"""From stored answers to extractions: where each unit stands, and what its answers say of it."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa

from tgrag.extract.llm import Tally, to_extraction
from tgrag.hashing import stable_hash
from tgrag.index.answers import AnswerMemo
from tgrag.index.assemble import UsedAnswer
from tgrag.index.pipeline import Worker, streamed
from tgrag.index.standing import Standing
from tgrag.index.walk import UnitMethod, UnitTask
from tgrag.models.chat import ChatIdentity, ChatReply
from tgrag.records import ExtractedEntity, ExtractedRelationship, Extraction
from tgrag.settings import ExtractSettings
from tgrag.store.root import open_root
from tgrag.store.tables import from_row, to_table

UNITS_A_BATCH = 512  # reading one takes about a millisecond


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a unit has no extraction. forget: the keys whose answers and failures a new try has to forget."""

    key: str
    reason: str
    transient: bool
    attempts: int
    forget: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """Where a unit stands, and its extraction when it is done. n_missing: calls that the next asking makes.

    dropped, stubs, merged: see llm.Tally.
    """

    text_unit_id: str
    entities: tuple[ExtractedEntity, ...]
    relationships: tuple[ExtractedRelationship, ...]
    answers: tuple[UsedAnswer, ...]
    n_missing: int
    faults: tuple[Fault, ...]
    dropped: int
    stubs: int
    merged: int


class ReadWorker(Worker):
    def __init__(self, root: str, collection: str, identity: ChatIdentity, settings: ExtractSettings) -> None:
        self._memo = AnswerMemo(open_root(root), collection)
        self._method = UnitMethod(identity, settings)

    def __call__(self, batch: pa.Table) -> pa.Table:
        tasks = (from_row(UnitTask, row) for row in batch.to_pylist())
        return to_table(Reading, (reading(task, self._memo, self._method) for task in tasks))


def read_all(
    tasks: Sequence[UnitTask], root: str, collection: str, method: UnitMethod, workers: int | None
) -> Iterator[pa.Table]:
    """Read where units stand: tables of Readings, in no particular order."""
    arguments = {
        "root": root,
        "collection": collection,
        "identity": method.identity,
        "settings": method.settings,
    }

    def rows(start: int, stop: int) -> pa.Table:
        return to_table(UnitTask, tasks[start:stop])

    return streamed(len(tasks), rows, ReadWorker, arguments, UNITS_A_BATCH, workers)


def reading(task: UnitTask, memo: AnswerMemo, method: UnitMethod) -> Reading:
    """Read where a unit stands, and its extraction when it is done."""
    found = method.standing(task, memo.get)
    unit = task.unit
    extraction, tally = Extraction(unit.text_unit_id, (), ()), Tally()
    if found.done:
        extraction, tally = to_extraction(unit.text_unit_id, found.said, unit.language)
    return Reading(
        text_unit_id=unit.text_unit_id,
        entities=extraction.entities,
        relationships=extraction.relationships,
        answers=tuple(
            UsedAnswer(unit.document_id, unit.text_unit_id, key, digest(reply))
            for key, reply in found.answers
        ),
        n_missing=sum(memo.is_outstanding(ask.key) for ask in found.next),
        faults=faults(found, memo),
        dropped=sum(tally.dropped.values()),
        stubs=tally.stubs,
        merged=tally.merged,
    )


def faults(found: Standing[Any], memo: AnswerMemo) -> tuple[Fault, ...]:
    """Return what keeps a task from being done: answers that are of no use, calls that failed."""
    bad = [Fault(b.keys[0], b.reason, False, len(b.keys), b.keys) for b in found.broken]
    for ask in found.missing:
        failures = memo.failures(ask.key)
        if failures:
            last = failures[-1]
            bad.append(Fault(ask.key, last.reason, last.transient, len(failures), (ask.key,)))
    return tuple(bad)


def digest(reply: ChatReply) -> str:
    return stable_hash(asdict(reply))
