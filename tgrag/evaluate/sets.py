"""What an evaluation set is: documents, questions, and where in the documents the support of each answer stands.

Gold is named in the terms of the source text (a passage, a quote with its place); ``tgrag.evaluate.gold`` finds it in
the parsed text of an index, so that any parser and any chunker can be scored.
"""

from dataclasses import dataclass
from typing import Literal

GoldKind = Literal["passage", "quote"]


@dataclass(frozen=True, slots=True)
class SetDocument:
    """A file to index. path: where it is or, when ``content`` is given, where below the work folder to write it.

    name: how gold refers to the document.
    """

    name: str
    path: str
    content: bytes | None = None


@dataclass(frozen=True, slots=True)
class Gold:
    """A stretch of text that supports an answer.

    kind: "passage" is found when a good part of it is, "quote" when the whole of it is.
    at: where it is expected, as a share of the document's length (0 to 1), to choose among equal texts.
    """

    kind: GoldKind
    document: str
    text: str
    at: float = 0.0


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a document, counted from 1."""

    document: str
    number: int


@dataclass(frozen=True, slots=True)
class Limit:
    """How far the story is read: up to a place in a document, given as in Gold. ``text`` ends there."""

    document: str
    text: str
    at: float


@dataclass(frozen=True, slots=True)
class SetQuestion:
    """answers: several are other wordings of one; none for an unanswerable question.

    gold: all of it is needed for full support. triples: (subject, relation, object) that the answer rests on.
    """

    question_id: str
    text: str
    answers: tuple[str, ...]
    type: str
    document: str | None = None
    gold: tuple[Gold, ...] = ()
    page: Page | None = None
    triples: tuple[tuple[str, str, str], ...] = ()
    limit: Limit | None = None

    @property
    def is_answerable(self) -> bool:
        return bool(self.answers)


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happens in a story, as a question about it and the answer tell it."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class OrderPair:
    """Two events of one document, told in this order."""

    document: str
    earlier: Event
    later: Event


@dataclass(frozen=True, slots=True)
class EvaluationSet:
    """questions: by variant; "" is the main one, others word the same questions otherwise («noisy», in English).

    content_hash: of the documents; with the name it names the collection.
    """

    name: str
    documents: tuple[SetDocument, ...]
    questions: dict[str, tuple[SetQuestion, ...]]
    pairs: tuple[OrderPair, ...]
    content_hash: str

    @property
    def collection(self) -> str:
        return f"{self.name}-{self.content_hash[:12]}"
