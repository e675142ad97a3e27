"""From the results of the stages to the rows and files of a version."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tgrag.graph.build import Graph
from tgrag.index.listing import Listed
from tgrag.index.manifest import SeriesInfo
from tgrag.index.memo import vector_key
from tgrag.ingest.collection import Placement
from tgrag.language import lemmas
from tgrag.models.protocols import EmbedderIdentity, Tokenizer, Vectors
from tgrag.records import NEVER, Community, Document, EntityState, TextUnit
from tgrag.settings import EmbedSettings
from tgrag.store import lexical, names, vectors
from tgrag.store.tables import ordered, ordered_table, table_bytes, to_table


@dataclass(frozen=True, slots=True)
class Outcome:
    """What parsing made of a document: its place and size, or why it failed."""

    reason: str | None
    placement: Placement
    n_pages: int | None
    warnings: tuple[str, ...]
    n_characters: int


@dataclass(frozen=True, slots=True)
class Passage:
    """A text to embed. title: its vector is mixed into that of the text, which is embedded without it."""

    document_id: str
    key: str
    text: str
    title: "Passage | None" = None

    @property
    def parts(self) -> "list[Passage]":
        """What is embedded of it."""
        return [self] if self.title is None else [self, self.title]


@dataclass(frozen=True, slots=True)
class UsedAnswer:
    """A stored answer of a language model that a version uses: row of its table of answers.

    about: the text unit or the window that it is about.
    """

    document_id: str
    about: str
    key: str
    digest: str


def document_row(listed: Listed, outcome: Outcome, n_text_units: int) -> Document:
    """Return the row of a document; one without any text unit has failed."""
    reason = outcome.reason or (None if n_text_units else "no text in it")
    place = outcome.placement
    return Document(
        document_id=listed.document_id,
        source=listed.source,
        content_hash=listed.content_hash,
        parse_key=listed.parse_key,
        format=listed.format,
        n_bytes=listed.n_bytes,
        status="failed" if reason else "indexed",
        reason=reason,
        title=place.title,
        language=place.language,
        series_id=place.series_id,
        series_title=place.series_title,
        series_origin=place.series_origin,
        book_number=place.book_number,
        book_title=place.book_title,
        date=place.date,
        n_pages=outcome.n_pages,
        warnings=outcome.warnings,
        n_characters=outcome.n_characters,
        n_text_units=n_text_units,
    )


def series_of(documents: Iterable[Document], units: Iterable[TextUnit]) -> list[SeriesInfo]:
    """Describe the series of all indexed documents, books in order."""
    books: dict[str, dict[int, str]] = {}
    for unit in units:
        books.setdefault(unit.series_id, {}).setdefault(unit.book_number, unit.book_title)
    first: dict[str, Document] = {}
    for document in documents:
        first.setdefault(document.series_id, document)
    return [
        SeriesInfo(
            series_id=series_id,
            title=first[series_id].series_title,
            origin=first[series_id].series_origin,
            books=[titles[number] for number in sorted(titles)],
        )
        for series_id, titles in sorted(books.items())
    ]


def unit_lemmas(unit: TextUnit) -> list[str]:
    """Return the words by which a text unit is found: its own, those of its heading, and the book's title at its start.

    A title often is the subject that a short document never names again. In every unit of a long book it would make a
    hero's name as common as an article.
    """
    titles = {*unit.headings[-1:], *([unit.book_title] if unit.chunk_index == 0 else [])}
    return [word for text in (unit.text, *sorted(titles)) for word in lemmas(text, unit.language)]


def unit_passage(
    unit: TextUnit, identity: EmbedderIdentity, tokenizer: Tokenizer, settings: EmbedSettings
) -> Passage:
    """Return what stands for a text unit in the vector index: its text, the first one of a book with the book's title.

    The title often is what a short document is about and never names again.
    """
    title = None
    if settings.title_weight and unit.chunk_index == 0 and unit.book_title.strip():
        text = _cut(unit.book_title, identity, tokenizer)
        title = Passage(unit.document_id, vector_key(identity, text), text)
    return Passage(unit.document_id, vector_key(identity, unit.text), unit.text, title)


def state_passage(
    state: EntityState, identity: EmbedderIdentity, tokenizer: Tokenizer, settings: EmbedSettings
) -> Passage:
    """Return what stands for a state in the vector index: its name and first description.

    Only the first, so that the vector holds nothing that comes after ``state.known_from``.
    """
    text = f"{state.name}: {state.descriptions[0].text}"[: len(state.name) + settings.state_characters]
    text = _cut(text, identity, tokenizer)
    return Passage(state.document_id, vector_key(identity, text), text)


def window_passage(window: Community, identity: EmbedderIdentity, tokenizer: Tokenizer) -> Passage:
    """Return what stands for a window in the vector index: its title and summary."""
    text = _cut(f"{window.title}. {window.summary}", identity, tokenizer)
    return Passage(window.document_id, vector_key(identity, text), text)


def passages_of(
    units: Iterable[TextUnit],
    graph: Graph,
    identity: EmbedderIdentity,
    tokenizer: Tokenizer,
    settings: EmbedSettings,
) -> dict[str, list[Passage]]:
    """Return what is embedded of each table that has vectors, a passage a row, in the order of its rows."""
    return {
        "text_units": [
            unit_passage(unit, identity, tokenizer, settings) for unit in ordered("text_units", units)
        ],
        "entity_states": [
            state_passage(state, identity, tokenizer, settings)
            for state in ordered("entity_states", graph.states)
        ],
        "communities": [
            window_passage(window, identity, tokenizer)
            for window in ordered("communities", graph.communities)
        ],
    }


def _cut(text: str, identity: EmbedderIdentity, tokenizer: Tokenizer) -> str:
    """Return the beginning of a text that the embedder reads whole."""
    while tokenizer.count(text) > identity.max_tokens - 16:  # room for prefix and special tokens
        text = text[: len(text) * 3 // 4]
    return text


def count(documents: Sequence[Document], units: Sequence[TextUnit], graph: Graph) -> dict[str, int]:
    statuses = Counter(document.status for document in documents)
    return {
        "documents": len(documents),
        "failed_documents": statuses["failed"],
        "text_units": len(units),
        "entities": len(graph.entities),
        "entity_states": len(graph.states),
        "relationships": len(graph.relationships),
        "merges": sum(m.decision == "merge" and m.known_until == NEVER for m in graph.merges),
        "communities": len(graph.communities),
    }


def table_files(documents: Sequence[Document], units: Sequence[TextUnit], graph: Graph) -> dict[str, bytes]:
    """Return the Parquet files of a version by path below it; the same records give the same bytes."""
    tables = {
        "documents": ordered_table("documents", documents),
        "text_units": ordered_table("text_units", units),
        "entities": ordered_table("entities", graph.entities),
        "entity_states": ordered_table("entity_states", graph.states),
        "relationships": ordered_table("relationships", graph.relationships),
        "merges": ordered_table("merges", graph.merges),
        "communities": ordered_table("communities", graph.communities),
        "lexical": lexical.build(map(unit_lemmas, ordered("text_units", units))),
        "names": names.build(ordered("entities", graph.entities)),
    }
    return {f"data/{name}.parquet": table_bytes(table) for name, table in tables.items()}


def answers_file(answers: Iterable[UsedAnswer]) -> bytes:
    """Return the table of the language model's answers that a version uses."""
    rows = sorted(answers, key=lambda a: (a.document_id, a.about, a.key))
    return table_bytes(to_table(UsedAnswer, rows))


def vector_file(
    passages: Sequence[Passage], known: Mapping[str, Vectors], identity: EmbedderIdentity, title_weight: float
) -> bytes:
    """Return the FAISS file of passages in table order; ``known`` has the vector of each key."""
    rows = [_vector(passage, known, title_weight) for passage in passages]
    return vectors.build(np.stack(rows) if rows else np.empty((0, identity.dimension), np.float32))


def _vector(passage: Passage, known: Mapping[str, Vectors], title_weight: float) -> Vectors:
    if passage.title is None:
        return known[passage.key]
    mixed = known[passage.key] + np.float32(title_weight) * known[passage.title.key]
    unit: Vectors = mixed / np.linalg.norm(mixed)
    return unit
