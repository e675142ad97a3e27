"""How far the extraction of a text unit is, read off the answers that are stored.

A unit is one call. An answer that was cut off sends both halves of its text (and theirs in turn); one that cannot be
read sends a repair. Each of these calls has its own memo key, so a walk over the stored answers finds where a unit
stands, after a kill as after an answer. Everybody goes by the same walk: who asks, who counts, who writes a batch
file, who reads the answers in the end.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from tgrag.calls.ask import repair_request
from tgrag.chunk.sentences import sentences
from tgrag.extract.graph_answer import GraphAnswer, read_graph
from tgrag.extract.llm import CannotHalve, extraction_request, halves, mend_message
from tgrag.models.chat import ChatIdentity, ChatReply, ChatRequest, InvalidAnswer, call_key
from tgrag.records import TextUnit
from tgrag.settings import ExtractSettings

MOST_HALVINGS = 3  # an eighth of a unit is a few sentences: what does not fit then never will

Find = Callable[[str], ChatReply | None]
"""Looks an answer up by its key."""


@dataclass(frozen=True, slots=True)
class UnitTask:
    """A unit to extract from. before: the end of the unit before it, to read but not to extract; or ""."""

    unit: TextUnit
    before: str


@dataclass(frozen=True, slots=True)
class Method:
    """Who is asked, and how."""

    identity: ChatIdentity
    settings: ExtractSettings


@dataclass(frozen=True, slots=True)
class Ask:
    key: str
    request: ChatRequest
    kind: Literal["unit", "half", "repair"]


@dataclass(frozen=True, slots=True)
class Broken:
    """Answers that are there and of no use. keys: of those that a new try has to forget."""

    reason: str
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Standing:
    """answers: every stored one that was used, by key. graphs: what they say. missing: calls without an answer."""

    answers: tuple[tuple[str, ChatReply], ...] = ()
    graphs: tuple[GraphAnswer, ...] = ()
    missing: tuple[Ask, ...] = ()
    broken: tuple[Broken, ...] = ()

    @property
    def done(self) -> bool:
        return not self.missing and not self.broken

    @property
    def next(self) -> tuple[Ask, ...]:
        """The calls to make next: none for a unit of which a part is broken."""
        return () if self.broken else self.missing

    def __add__(self, other: "Standing") -> "Standing":
        return Standing(
            self.answers + other.answers,
            self.graphs + other.graphs,
            self.missing + other.missing,
            self.broken + other.broken,
        )


def standing(task: UnitTask, find: Find, method: Method) -> Standing:
    """Return how far a unit is."""
    return _part(task, "unit", find, method, MOST_HALVINGS)


def tasks_of(units: Sequence[TextUnit], context_sentences: int) -> list[UnitTask]:
    """Return a task a unit, in the order in which they are asked: documents in turn, each in reading order.

    So a run that is broken off, or whose budget is used up, has the beginning of every document: the part in which
    names are introduced, and which questions as of an early chapter need whole.
    """
    places: dict[str, int] = {}
    placed: list[tuple[int, UnitTask]] = []
    last: dict[str, TextUnit] = {}
    for unit in units:
        place = places[unit.document_id] = places.get(unit.document_id, -1) + 1
        before = _ending(last.get(unit.document_id), context_sentences)
        last[unit.document_id] = unit
        placed.append((place, UnitTask(replace(unit, fragments=(), page_numbers=()), before)))
    placed.sort(key=lambda item: item[0])
    return [task for _, task in placed]


def _part(
    task: UnitTask, kind: Literal["unit", "half"], find: Find, method: Method, halvings: int
) -> Standing:
    """Return how far a unit or a part of one is. halvings: how often it may still be cut in two."""
    request = extraction_request(task.unit, task.before, method.settings)
    ask = Ask(call_key(method.identity, request), request, kind)
    reply = find(ask.key)
    if reply is None:
        return Standing(missing=(ask,))
    so_far = Standing(answers=((ask.key, reply),))
    keys: tuple[str, ...] = (ask.key,)
    read = _read(reply)
    if isinstance(read, InvalidAnswer):
        message = mend_message(str(read), task.unit.language, method.settings)
        request = repair_request(request, reply.text, message)
        ask = Ask(call_key(method.identity, request), request, "repair")
        reply = find(ask.key)
        if reply is None:
            return so_far + Standing(missing=(ask,))
        so_far, keys = so_far + Standing(answers=((ask.key, reply),)), (*keys, ask.key)
        read = _read(reply)
    match read:
        case GraphAnswer():
            return so_far + Standing(graphs=(read,))
        case InvalidAnswer():
            return so_far + Standing(broken=(Broken(f"the answer is invalid after a repair: {read}", keys),))
        case "filter":
            return so_far + Standing(
                broken=(Broken("the server's content filter withheld the answer", keys),)
            )
        case "length":
            return so_far + _halved(task, keys, find, method, halvings)


def _read(reply: ChatReply) -> GraphAnswer | InvalidAnswer | Literal["length", "filter"]:
    """Return what an answer says, or why it says nothing."""
    if reply.finish_reason != "stop":
        return reply.finish_reason
    try:
        return read_graph(reply.text)
    except InvalidAnswer as fault:
        return fault


def _halved(task: UnitTask, keys: tuple[str, ...], find: Find, method: Method, halvings: int) -> Standing:
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
