"""What a caller asks and what comes back: the same for every mode, in Python, on the CLI and over HTTP."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from tgrag.records import NEVER
from tgrag.search.positions import Part

Mode = Literal["classic", "temporal"]
MODES: tuple[Mode, ...] = ("classic", "temporal")

Name = Annotated[str, Field(max_length=500)]
Number = Annotated[int, Field(strict=True)]


class AsOf(BaseModel):
    """A point in reading order, inclusive; it binds one series and hides every other one unless named in ``books``.

    Give one of: ``chapter`` (number, title, or chapter_id such as "1.3"), alone or with ``book``; ``book``
    (number or title: the whole book); ``ordinal`` (of a text unit); ``date`` (ISO 8601: what was dated by then,
    in all series). ``series`` says which series when the collection has several. A bare number or string
    stands for ``chapter``.
    """

    model_config = ConfigDict(extra="forbid")

    series: Name | None = None
    book: Number | Name | None = None
    chapter: Number | Name | None = None
    ordinal: Number | None = Field(default=None, ge=0, le=NEVER)
    date: str | None = Field(
        default=None, pattern=r"^[0-9]{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)?$"
    )

    @model_validator(mode="before")
    @classmethod
    def _bare_value_is_a_chapter(cls, value: object) -> object:
        return {"chapter": value} if isinstance(value, (int, str)) and not isinstance(value, bool) else value

    @model_validator(mode="after")
    def _says_when(self) -> "AsOf":
        if self.book is None and self.chapter is None and self.ordinal is None and self.date is None:
            raise ValueError("as_of needs a chapter, a book, an ordinal or a date")
        return self


class QueryRequest(BaseModel):
    """A question. ``books``: titles (or document titles, series names) to search in; all when empty.

    explain: return what each step of the temporal mode was given and chose.
    """

    model_config = ConfigDict(extra="forbid")

    question: str = Field(max_length=4000)
    collection: Name | None = None
    mode: Name = "temporal"
    books: list[Name] = Field(default_factory=list, max_length=1000)
    as_of: AsOf | None = None
    include_context: bool = False
    explain: bool = False


class AskRequest(QueryRequest):
    """A question to be answered. stream: send the answer while it is written, as server-sent events."""

    stream: bool = False


class PageBox(BaseModel):
    """A rectangle on a page (from 1), in points from the page's top left corner."""

    page: int
    left: float
    top: float
    right: float
    bottom: float


class Citation(BaseModel):
    """A quote and where it stands. ``start``/``end``: span of the quote in the document's parsed text.

    pages: those that the quote stands on, empty where the format has none. boxes: the printed lines of the quote, for
    PDF. verified: the quote was found, letter for letter, in the text unit.
    """

    number: int
    quote: str
    document: str
    document_id: str
    series: str
    book: str
    book_number: int
    chapter: str
    chapter_id: str
    pages: list[int]
    boxes: list[PageBox]
    text_unit_id: str
    ordinal: int
    start: int
    end: int
    verified: bool


class ContextItem(BaseModel):
    """One line or passage of the context. kind: community, entity, relationship or text_unit.

    id: of the row it shows; label: its place («Пиковая дама, III») as shown; text: as shown. text_unit_ids: of a
    line of the graph, the text units that what it shows was read from.
    first_ordinal, last_ordinal: the places it speaks of; never after ``as_of``.
    """

    kind: Literal["community", "entity", "relationship", "text_unit"]
    id: str
    name: str
    label: str
    text: str
    series: str
    book: str
    book_number: int
    chapter: str
    first_ordinal: int
    last_ordinal: int
    score: float
    n_tokens: int
    text_unit_ids: list[str] = Field(default_factory=list)


class Hint(BaseModel):
    """A place that the question names, and how it was understood.

    part: of a book, for kind "part". ordinal: of the text unit before which, or from which on, it lies, for kinds "before"
    and "after"; book, chapter and label are then those of that text unit.
    """

    text: str
    kind: Literal["book", "chapter", "part", "before", "after"]
    series: str
    book_number: int
    chapter_id: str | None
    label: str
    part: Part | None = None
    ordinal: int | None = None


Cause = Literal["absent", "failed", "busy", "nothing"]


class FallBack(BaseModel):
    """A step that used its next best: ``step`` could not use ``wanted`` and used ``used`` because of ``reason``.

    cause: the kind of the reason, for programs. absent: the profile has none; nothing: it found nothing.
    """

    step: str
    wanted: str
    used: str
    cause: Cause
    reason: str


class Candidate(BaseModel):
    """A row that a step was given or chose: its key, how it is called, and its score in that step."""

    id: str
    label: str
    score: float


class Step(BaseModel):
    """A step of the search, best first."""

    step: str
    inputs: list[Candidate] = Field(default_factory=list)
    outputs: list[Candidate]


class RankedUnit(BaseModel):
    """A text unit's place in the ranking that the context's text was chosen from."""

    text_unit_id: str
    score: float


class Retrieval(BaseModel):
    """The context alone. items are in story order; ``context`` is how it is shown to a model.

    ranked_units: best first, also those that the context has no room for; for Python callers, never sent.
    """

    collection: str
    version: str
    mode: Mode
    question: str
    hints: list[Hint]
    items: list[ContextItem]
    context: str
    n_tokens: int
    fall_backs: list[FallBack]
    timings: dict[str, float]
    steps: list[Step] | None = None
    ranked_units: list[RankedUnit] = Field(default_factory=list, exclude=True, repr=False)


class Answer(BaseModel):
    """An answer with its citations. ``found`` is False when the context does not hold an answer.

    timings: seconds a step. tokens: of the context. context: only with ``include_context``; steps: only
    with ``explain``.
    """

    collection: str
    version: str
    mode: Mode
    question: str
    answer: str
    found: bool
    citations: list[Citation]
    hints: list[Hint]
    fall_backs: list[FallBack]
    timings: dict[str, float]
    tokens: dict[str, int]
    context: list[ContextItem] | None = None
    steps: list[Step] | None = None
