"""The vocabulary: one record class a table, and what parsing and extraction hand on.

Terms follow the field (text unit, entity, relationship, community). Every row of a graph table has a
``series_id`` and a ``known_from``: the ordinal of the text unit at which a reader first knows it. A row is
visible *as of* an ordinal N when ``known_from <= N``; lists inside a row are cut at N by their own
ordinals. Everything before the index is published is built causally, in reading order, so that the graph
of a text cut at N equals the graph of the whole text seen as of N.

An *ordinal* is the place of a text unit in the reading order of its series, counted from 0 (the source
article's ``global_chunk_index``).
"""

from dataclasses import dataclass
from typing import Literal

Language = Literal["ru", "uk", "en"]
LANGUAGES: tuple[Language, ...] = ("ru", "uk", "en")

ElementKind = Literal["heading", "paragraph", "list_item", "table", "footnote"]
DropKind = Literal["contents", "page_furniture", "boilerplate", "notes", "unreadable"]

# --- what parsing gives -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on a page, in points from the page's top left corner."""

    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True)
class Fragment:
    """Where a stretch of text stands on paper: from character ``start`` of the text to the next fragment's start.

    page: counted from 1 (a sheet of a workbook and a slide count as pages). box: where the format tells.
    """

    start: int
    page: int
    box: Box | None = None


@dataclass(frozen=True, slots=True)
class Drop:
    """Why a part of a document is left out of its text units.

    kind: "contents" (a table of contents), "page_furniture" (page numbers, running heads and feet),
    "boilerplate" (what a publisher or a web site puts around the text), "notes" (an apparatus of notes with their
    marks), "unreadable" (a picture of text, letters that are not language). reason: for a person.
    """

    kind: DropKind
    reason: str


@dataclass(frozen=True, slots=True)
class Element:
    """A block of a parsed document.

    level: of a heading only. 0 opens another book inside one file; 1 is the outermost level inside a book.
    fragments: in order, the first at 0; empty where the format has no pages. A paragraph that goes on over a page
    break has fragments of both pages; one that is printed has a fragment a line.
    drop: set on what is shown to a person but is no text of the document.
    """

    kind: ElementKind
    text: str
    level: int | None = None
    fragments: tuple[Fragment, ...] = ()
    drop: Drop | None = None


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """What a parser read from one file: an answer that is worth keeping, also when it is a refusal.

    status: "ok", or "failed" with a ``reason`` that a person understands.
    series_title, series_number: from the file's own metadata (FictionBook sequence, EPUB collection).
    language: as the file declares it, only when it is one of LANGUAGES.
    warnings: what of the file could not be read, or was read with doubt, each for a person.
    """

    status: Literal["ok", "failed"]
    reason: str | None = None
    title: str | None = None
    language: Language | None = None
    series_title: str | None = None
    series_number: int | None = None
    date: str | None = None
    n_pages: int | None = None
    warnings: tuple[str, ...] = ()
    elements: tuple[Element, ...] = ()


# --- what extraction gives ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ExtractedEntity:
    """One mention of an entity in a text unit.

    name: normal form for display («Лизавета Ивановна»); type: upper case (PERSON, PLACE, …).
    description: what the unit says of it; fast extraction gives the sentence.
    certain: False when one mention is too weak to believe in; the entity is then known from its second unit.
    """

    name: str
    type: str
    description: str
    certain: bool = True


@dataclass(frozen=True, slots=True)
class ExtractedRelationship:
    """source, target: names of entities extracted from the same text unit. strength: 1 to 10."""

    source: str
    target: str
    type: str
    description: str
    strength: int = 1


@dataclass(frozen=True, slots=True)
class Extraction:
    text_unit_id: str
    entities: tuple[ExtractedEntity, ...]
    relationships: tuple[ExtractedRelationship, ...]


# --- the tables ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Document:
    """A source file and what became of it. Key: document_id, stable for a source whatever its content.

    source: input name and path inside it, with forward slashes.
    parse_key: memo key of the parsed document. status: "indexed" or "failed" (then with a reason).
    series_origin: "collection.yaml", "metadata" (the file says so), "file names", "titles" or "single".
    book_number, book_title: of the first book of the file.
    date: ISO 8601, possibly only a year or a month.
    warnings: what of an indexed file could not be read.
    """

    document_id: str
    source: str
    content_hash: str
    parse_key: str
    format: str
    n_bytes: int
    status: Literal["indexed", "failed"]
    reason: str | None
    title: str
    language: Language
    series_id: str
    series_title: str
    series_origin: str
    book_number: int
    book_title: str
    date: str | None
    n_pages: int | None
    warnings: tuple[str, ...]
    n_characters: int
    n_text_units: int


@dataclass(frozen=True, slots=True)
class TextUnit:
    """A chunk: consecutive sentences under one heading path. Key: text_unit_id.

    headings: titles from the outermost heading inwards; chapter_id: their ordinals joined by dots («1.3»,
    «0» before the first heading), unique inside a book. chunk_index: place in its book, from 0.
    relative_position: chunk_index / (units in the book - 1), 0 for a single unit.
    start, end: character span in the parsed text, ``parsed_text[start:end] == text``.
    fragments: where its text stands on paper, by characters of ``text``; page_numbers: their pages.
    """

    text_unit_id: str
    document_id: str
    series_id: str
    book_number: int
    book_title: str
    chapter_id: str
    headings: tuple[str, ...]
    ordinal: int
    chunk_index: int
    relative_position: float
    page_numbers: tuple[int, ...]
    fragments: tuple[Fragment, ...]
    start: int
    end: int
    n_tokens: int
    language: Language
    date: str | None
    text: str

    @property
    def known_from(self) -> int:
        return self.ordinal


@dataclass(frozen=True, slots=True)
class Alias:
    name: str
    known_from: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """A text that supports a state or a relationship, and where it stands."""

    text: str
    ordinal: int
    text_unit_id: str
    strength: int = 1


@dataclass(frozen=True, slots=True)
class Entity:
    """One canonical entity of a series. Key: entity_id = hash of series, type and lemma key."""

    entity_id: str
    series_id: str
    name: str
    type: str
    lemma_key: str
    language: Language
    aliases: tuple[Alias, ...]
    known_from: int
    first_ordinal: int
    last_ordinal: int
    n_mentions: int
    degree: int


@dataclass(frozen=True, slots=True)
class EntityState:
    """An entity as one chapter shows it: the article's ``name|book|chapter``. Key: state_id.

    descriptions are in reading order; the state's vector is that of its name and first description, so
    that it never tells what comes after ``known_from``.
    """

    state_id: str
    entity_id: str
    series_id: str
    name: str
    type: str
    document_id: str
    book_number: int
    book_title: str
    chapter_id: str
    headings: tuple[str, ...]
    descriptions: tuple[Evidence, ...]
    known_from: int
    first_ordinal: int
    last_ordinal: int

    @property
    def key(self) -> str:
        return f"{self.name}|{self.book_title}|{' / '.join(self.headings)}"


@dataclass(frozen=True, slots=True)
class Relationship:
    """What one chapter says of two entities. Key: relationship_id. source_id < target_id for undirected types.

    strength: 1 to 10; weight: strength / 10.
    """

    relationship_id: str
    series_id: str
    source_id: str
    target_id: str
    source_name: str
    target_name: str
    source_state_id: str
    target_state_id: str
    type: str
    strength: int
    weight: float
    evidence: tuple[Evidence, ...]
    book_number: int
    book_title: str
    chapter_id: str
    headings: tuple[str, ...]
    known_from: int
    first_ordinal: int
    last_ordinal: int


@dataclass(frozen=True, slots=True)
class Community:
    """A sliding window of text units inside one book, in story order. Key: community_id.

    members: state_ids in order of appearance, the most mentioned kept when there are too many.
    title, summary, report: by a language model; report is empty where it made none, and the others are extractive.
    first_ordinal, last_ordinal: of its units, both inclusive.
    known_from: the ordinal at which the window is over (its last unit; for the incomplete window at the end
    of a book the first unit of the next one; NEVER where there is no next one).
    """

    community_id: str
    kind: Literal["window"]
    series_id: str
    document_id: str
    book_number: int
    book_title: str
    headings: tuple[str, ...]
    members: tuple[str, ...]
    title: str
    summary: str
    report: str
    known_from: int
    first_ordinal: int
    last_ordinal: int


@dataclass(frozen=True, slots=True)
class Merge:
    """Two rows of entities that are one: as of N when known_from <= N < known_until. Key: merge_id.

    Entities are rows a name; who is who at a time is told by the merges that stand then. source_id: the name that
    joins target_id. decision: "near_miss" is listed for a person and merges nothing. reason: for a person.
    """

    merge_id: str
    series_id: str
    source_id: str
    target_id: str
    known_from: int
    known_until: int
    decision: Literal["merge", "near_miss"]
    reason: str


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A costly call that failed, with its reason. transient: the next run tries again by itself."""

    stage: str
    document_id: str
    source: str
    key: str
    reason: str
    transient: bool
    attempts: int


NEVER = 2**62  # an ordinal after every text unit
