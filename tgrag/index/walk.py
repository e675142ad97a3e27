"""The calls of the extraction of a text unit.

A unit is one call. An answer that was cut off sends both halves of its text (and theirs in turn); one that cannot be
read sends a repair.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, overload

import numpy as np
from numpy.typing import NDArray

from tgrag.chunk.sentences import sentences
from tgrag.extract.graph_answer import GraphAnswer, read_graph
from tgrag.extract.llm import CannotHalve, extraction_request, halves, mend_message
from tgrag.index.standing import Ask, Broken, Find, Standing, stand
from tgrag.models.chat import ChatIdentity, call_key
from tgrag.records import TextUnit
from tgrag.settings import ExtractSettings

MOST_HALVINGS = 3  # an eighth of a unit is a few sentences: what does not fit then never will


@dataclass(frozen=True, slots=True)
class UnitTask:
    """A unit to extract from. before: the end of the unit before it, to read but not to extract; or ""."""

    unit: TextUnit
    before: str

    @property
    def owner(self) -> str:
        return self.unit.document_id


@dataclass(frozen=True, slots=True)
class UnitMethod:
    """Who is asked about text units, and how."""

    identity: ChatIdentity
    settings: ExtractSettings
    purpose: ClassVar[str] = "extract"
    task_class: ClassVar[type[UnitTask]] = UnitTask

    def standing(self, task: UnitTask, find: Find) -> Standing[GraphAnswer]:
        """Return how far a unit is."""
        return _part(task, "first", find, self, MOST_HALVINGS)


class UnitTasks(Sequence[UnitTask]):
    """Tasks of text units, each made when it is read; 8 bytes a unit in memory.

    numbers: of the units, in the order of asking. previous: by number, that of the unit before it in its document,
    -1 where there is none. context_sentences: of the unit before it.
    """

    def __init__(
        self,
        units: Sequence[TextUnit],
        numbers: NDArray[np.int32],
        previous: NDArray[np.int32],
        context_sentences: int,
    ) -> None:
        self.numbers = numbers
        self._units, self._previous, self._context_sentences = units, previous, context_sentences

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, place: int) -> UnitTask: ...
    @overload
    def __getitem__(self, place: slice) -> "UnitTasks": ...
    def __getitem__(self, place: int | slice) -> "UnitTask | UnitTasks":
        if isinstance(place, slice):
            return self._only(self.numbers[place])
        number = self.numbers[place]
        unit, previous = self._units[number], self._previous[number]
        before = self._units[previous] if previous >= 0 and self._context_sentences else None
        bare = replace(unit, fragments=(), page_numbers=())
        return UnitTask(bare, _ending(before, self._context_sentences))

    def where(self, marked: NDArray[np.bool_]) -> "UnitTasks":
        """Return the tasks of the units that are marked, by number, in the same order."""
        return self._only(self.numbers[marked[self.numbers]])

    def _only(self, numbers: NDArray[np.int32]) -> "UnitTasks":
        return UnitTasks(self._units, numbers, self._previous, self._context_sentences)


def tasks_of(units: Sequence[TextUnit], context_sentences: int) -> UnitTasks:
    """Return a task a unit, in the order in which they are asked: documents in turn, each in reading order.

    So a run that is broken off, or whose budget is used up, has the beginning of every document: the part in which
    names are introduced, and which questions as of an early chapter need whole.
    """
    places = np.zeros(len(units), np.int32)
    previous = np.full(len(units), -1, np.int32)
    last: dict[str, int] = {}
    for number, unit in enumerate(units):
        before = last.get(unit.document_id, -1)
        if before >= 0:
            places[number], previous[number] = places[before] + 1, before
        last[unit.document_id] = number
    numbers = np.argsort(places, kind="stable").astype(np.int32)
    return UnitTasks(units, numbers, previous, context_sentences)


def _part(
    task: UnitTask, kind: Literal["first", "half"], find: Find, method: UnitMethod, halvings: int
) -> Standing[GraphAnswer]:
    """Return how far a unit or a part of one is. halvings: how often it may still be cut in two."""
    request = extraction_request(task.unit, task.before, method.settings)
    return stand(
        Ask(call_key(method.identity, request), request, kind),
        method.identity,
        find,
        read_graph,
        lambda fault: mend_message(fault, task.unit.language, method.settings),
        lambda keys: _halved(task, keys, find, method, halvings),
    )


def _halved(
    task: UnitTask, keys: tuple[str, ...], find: Find, method: UnitMethod, halvings: int
) -> Standing[GraphAnswer]:
    unit = task.unit
    try:
        if not halvings:
            raise CannotHalve
        left, right = halves(unit.text, unit.language)
    except CannotHalve:
        limit = method.settings.max_answer_tokens
        reason = (
            f"the answer is cut off at {limit} tokens even for a small part of the unit; "
            "raise extract.max_answer_tokens"
        )
        return Standing(broken=(Broken(reason, keys),))
    first, second = replace(unit, text=left), replace(unit, text=right)
    before = _ending(first, method.settings.context_sentences)
    return _part(UnitTask(first, task.before), "half", find, method, halvings - 1) + _part(
        UnitTask(second, before), "half", find, method, halvings - 1
    )


def _ending(unit: TextUnit | None, n_sentences: int) -> str:
    """Return the last sentences of a unit, or "" without one."""
    if unit is None or not n_sentences:
        return ""
    spans = list(sentences(unit.text, unit.language))[-n_sentences:]
    return unit.text[spans[0][0] :].strip() if spans else ""
