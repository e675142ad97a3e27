"""How far something that a language model is asked is, read off the answers that are stored.

What is asked may take several calls: an answer that cannot be read sends a repair, one that was cut off sends calls
for less. Each of these has its own memo key, so a walk over the stored answers finds where a thing stands, after a
kill as after an answer. Everybody goes by the same walk: who asks, who counts, who writes a batch file, who reads the
answers in the end.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Literal, Protocol, TypeVar

from tgrag.calls.ask import repair_request
from tgrag.models.chat import ChatIdentity, ChatReply, ChatRequest, InvalidAnswer, call_key

A = TypeVar("A")

Find = Callable[[str], ChatReply | None]
"""Looks an answer up by its key."""

Kind = Literal["first", "half", "smaller", "repair"]


@dataclass(frozen=True, slots=True)
class Ask:
    """A call. kind: "half" and "smaller" follow an answer that was cut off, "repair" one that cannot be read."""

    key: str
    request: ChatRequest
    kind: Kind


@dataclass(frozen=True, slots=True)
class Broken:
    """Answers that are there and of no use. keys: of those that a new try has to forget."""

    reason: str
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Standing(Generic[A]):
    """answers: every stored one that was used, by key. said: what they say. missing: calls without an answer."""

    answers: tuple[tuple[str, ChatReply], ...] = ()
    said: tuple[A, ...] = ()
    missing: tuple[Ask, ...] = ()
    broken: tuple[Broken, ...] = ()

    @property
    def done(self) -> bool:
        return not self.missing and not self.broken

    @property
    def next(self) -> tuple[Ask, ...]:
        """The calls to make next: none for a thing of which a part is broken."""
        return () if self.broken else self.missing

    def __add__(self, other: "Standing[A]") -> "Standing[A]":
        return Standing(
            self.answers + other.answers,
            self.said + other.said,
            self.missing + other.missing,
            self.broken + other.broken,
        )


class Task(Protocol):
    """Something to ask about, one row of a table; owner: the document_id that pays for the answers."""

    @property
    def owner(self) -> str: ...


class Method(Protocol):
    """Who is asked about tasks of one class, and how. purpose: for logs."""

    @property
    def identity(self) -> ChatIdentity: ...

    @property
    def purpose(self) -> str: ...

    @property
    def task_class(self) -> type[Any]: ...

    def standing(self, task: Any, find: Find) -> Standing[Any]: ...


def stand(
    ask: Ask,
    identity: ChatIdentity,
    find: Find,
    read: Callable[[str], A],
    mend: Callable[[str], str],
    cut_off: Callable[[tuple[str, ...]], Standing[A]],
) -> Standing[A]:
    """Return how far one call and what follows from its answer are.

    read: raises InvalidAnswer. mend: from what is wrong, the message that asks to mend it. cut_off: from the keys of
    the answers so far, where the calls for less stand that follow an answer that was cut off.
    """
    reply = find(ask.key)
    if reply is None:
        return Standing(missing=(ask,))
    so_far: Standing[A] = Standing(answers=((ask.key, reply),))
    keys: tuple[str, ...] = (ask.key,)
    said = _said(reply, read)
    if isinstance(said, _Fault):
        request = repair_request(ask.request, reply.text, mend(said.text))
        repair = Ask(call_key(identity, request), request, "repair")
        reply = find(repair.key)
        if reply is None:
            return so_far + Standing(missing=(repair,))
        so_far, keys = so_far + Standing(answers=((repair.key, reply),)), (*keys, repair.key)
        said = _said(reply, read)
    if isinstance(said, _Fault):
        return so_far + Standing(broken=(Broken(f"the answer is invalid after a repair: {said.text}", keys),))
    if said is not None:
        return so_far + Standing(said=(said,))
    if reply.finish_reason == "length":
        return so_far + cut_off(keys)
    return so_far + Standing(broken=(Broken("the server's content filter withheld the answer", keys),))


@dataclass(frozen=True, slots=True)
class _Fault:
    text: str


def _said(reply: ChatReply, read: Callable[[str], A]) -> A | _Fault | None:
    """Return what an answer says, what is wrong with it, or None where it was cut off or withheld."""
    if reply.finish_reason != "stop":
        return None
    try:
        return read(reply.text)
    except InvalidAnswer as fault:
        return _Fault(str(fault))
