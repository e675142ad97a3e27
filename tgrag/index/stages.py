"""The stages of an index run as Ray Data pipelines: each reads rows, maps a pure function, returns rows.

A worker makes its answers durable itself before it takes the next batch, so a killed run repeats only the
calls that were in flight. A stage without work starts no pipeline.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from tgrag.chunk import Chunk, chunk
from tgrag.extract.fast import extract
from tgrag.hashing import bytes_hash
from tgrag.index.assemble import Passage
from tgrag.index.memo import Failure, ParseMemo, VectorMemo
from tgrag.index.own_engines import Pool
from tgrag.index.pipeline import Worker, pipeline, streamed
from tgrag.index.progress import Progress, Report
from tgrag.ingest.sandbox import ParsingCrashed, ParsingPool
from tgrag.ingest.sources import read_source
from tgrag.models.protocols import Embedder
from tgrag.records import Extraction, Language, TextUnit
from tgrag.settings import ChunkSettings, ExtractSettings, ParseSettings
from tgrag.store.root import open_root
from tgrag.store.tables import from_row, to_table

UNITS_A_BATCH = 64
TEXTS_A_BATCH = 16
# Some 5 s on one core: small enough to share out evenly and to lose little in a kill.
CHARACTERS_A_BATCH = 6_000

# Of documents, and of texts to embed: what one process has done before Ray and two actors have started.
LITTLE_BYTES = 100_000
LITTLE_CHARACTERS = 12_000


# --- parse --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ParseTask:
    document_id: str
    source: str
    location: str
    content_hash: str
    key: str
    n_bytes: int


class ParseWorker(Worker):
    """Parses files in a child process of its own and stores each answer or failure."""

    def __init__(self, root: str, collection: str, settings: ParseSettings) -> None:
        self._memo = ParseMemo(open_root(root), collection)
        self._pool = ParsingPool(settings)

    def close(self) -> None:
        self._pool.close()

    def __call__(self, batch: pa.Table) -> pa.Table:
        for row in batch.to_pylist():
            self._parse(from_row(ParseTask, row))
        return pa.table({"done": [batch.num_rows]})

    def _parse(self, task: ParseTask) -> None:
        try:
            data = read_source(task.location)
        except OSError as error:
            self._fail(task, Failure(f"cannot be read: {error.strerror or error}", transient=True))
            return
        if bytes_hash(data) != task.content_hash:
            self._fail(task, Failure("the file changed while it was being indexed", transient=True))
            return
        try:
            self._memo.put(task.document_id, task.key, self._pool.parse(task.source, data))
        except ParsingCrashed as crash:
            self._fail(task, Failure(crash.reason, crash.transient))

    def _fail(self, task: ParseTask, failure: Failure) -> None:
        self._memo.put_failure(task.document_id, task.key, failure)


def parse_all(
    tasks: Sequence[ParseTask],
    root: str,
    collection: str,
    settings: ParseSettings,
    workers: int | None,
    report: Report,
) -> None:
    """Parse files; afterwards each task's key has an answer or one failure more in the memo store."""
    arguments = {"root": root, "collection": collection, "settings": settings}
    progress = Progress("parse", len(tasks), "documents", report)
    rows = to_table(ParseTask, tasks)
    for table in pipeline(rows, ParseWorker, arguments, 1, workers, little=are_little(tasks)):
        progress.add(sum(table["done"].to_pylist()))


def are_little(tasks: "Sequence[ParseTask] | Sequence[ChunkTask]") -> bool:
    return sum(task.n_bytes for task in tasks) <= LITTLE_BYTES


# --- chunk --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ChunkTask:
    """n_bytes: of the document as it came."""

    document_id: str
    key: str
    language: Language
    n_bytes: int


@dataclass(frozen=True, slots=True)
class DocumentChunks:
    document_id: str
    chunks: tuple[Chunk, ...]


class ChunkWorker(Worker):
    def __init__(self, root: str, collection: str, settings: ChunkSettings) -> None:
        self._memo = ParseMemo(open_root(root), collection)
        self._settings = settings

    def __call__(self, batch: pa.Table) -> pa.Table:
        return to_table(DocumentChunks, (self._chunk(from_row(ChunkTask, row)) for row in batch.to_pylist()))

    def _chunk(self, task: ChunkTask) -> DocumentChunks:
        document = self._memo.get(task.key)
        if document is None:
            raise RuntimeError(
                f"the parsed document {task.document_id} is gone from the memo store; run again"
            )
        return DocumentChunks(
            task.document_id, tuple(chunk(task.document_id, document, task.language, self._settings))
        )


def chunk_all(
    tasks: Sequence[ChunkTask],
    root: str,
    collection: str,
    settings: ChunkSettings,
    workers: int | None,
    report: Report,
) -> dict[str, tuple[Chunk, ...]]:
    """Cut parsed documents into chunks, by document_id."""
    arguments = {"root": root, "collection": collection, "settings": settings}
    progress = Progress("chunk", len(tasks), "documents", report)
    result: dict[str, tuple[Chunk, ...]] = {}
    rows = to_table(ChunkTask, tasks)
    for table in pipeline(rows, ChunkWorker, arguments, 1, workers, little=are_little(tasks)):
        for row in table.to_pylist():
            done = from_row(DocumentChunks, row)
            result[done.document_id] = done.chunks
        progress.add(table.num_rows)
    return result


# --- extract ------------------------------------------------------------------------------------------


class ExtractWorker(Worker):
    def __init__(self, settings: ExtractSettings) -> None:
        self._settings = settings

    def __call__(self, batch: pa.Table) -> pa.Table:
        rows = batch.to_pylist()
        return to_table(
            Extraction, (extract(r["text_unit_id"], r["text"], r["language"], self._settings) for r in rows)
        )


def extract_all(
    units: Sequence[TextUnit], settings: ExtractSettings, workers: int | None, report: Report
) -> Iterator[pa.Table]:
    """Extract entities and relationships from text units: tables of Extractions, in no particular order."""

    def rows(start: int, stop: int) -> pa.Table:
        some = units[start:stop]
        return pa.table(
            {name: [getattr(u, name) for u in some] for name in ("text_unit_id", "text", "language")}
        )

    progress = Progress("extract", len(units), "text units", report)
    for done in streamed(len(units), rows, ExtractWorker, {"settings": settings}, UNITS_A_BATCH, workers):
        yield done
        progress.add(done.num_rows)


# --- embed --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EmbedTask:
    """A batch of passages of one document, so that no memo object mixes documents."""

    document_id: str
    keys: tuple[str, ...]
    texts: tuple[str, ...]


class EmbedWorker(Worker):
    def __init__(self, root: str, collection: str, embedder: Embedder) -> None:
        self._embedder = embedder
        self._memo = VectorMemo(open_root(root), collection, self._embedder.identity)

    def __call__(self, batch: pa.Table) -> pa.Table:
        n_texts = n_characters = 0
        for row in batch.to_pylist():
            task = from_row(EmbedTask, row)
            self._memo.put(task.document_id, task.keys, self._embedder.embed_passages(task.texts))
            n_texts += len(task.texts)
            n_characters += sum(map(len, task.texts))
        return pa.table({"done": [n_texts], "characters": [n_characters]})


def embed_all(
    passages: Sequence[Passage],
    root: str,
    collection: str,
    embedder: Embedder,
    pool: Pool,
    report: Report,
) -> None:
    """Embed passages; afterwards the memo store has a vector for the key of each."""
    tasks = [
        EmbedTask(batch[0].document_id, tuple(p.key for p in batch), tuple(p.text for p in batch))
        for batch in embedding_batches(passages)
    ]
    n_characters = sum(len(passage.text) for passage in passages)
    progress = Progress("embed", len(passages), "texts", report, work=n_characters)
    arguments = {"root": root, "collection": collection, "embedder": embedder}
    little = n_characters <= LITTLE_CHARACTERS
    for table in pipeline(
        to_table(EmbedTask, tasks), EmbedWorker, arguments, 1, pool.size, little=little, options=pool.options
    ):
        progress.add(sum(table["done"].to_pylist()), work=sum(table["characters"].to_pylist()))


def embedding_batches(passages: Sequence[Passage]) -> list[list[Passage]]:
    """Group passages into batches of one document, bounded in texts and characters (a long text stands alone)."""
    batches: list[list[Passage]] = []
    n_characters = 0
    for passage in sorted(passages, key=lambda passage: passage.document_id):
        n_characters += len(passage.text)
        if (
            not batches
            or batches[-1][0].document_id != passage.document_id
            or len(batches[-1]) == TEXTS_A_BATCH
            or n_characters > CHARACTERS_A_BATCH
        ):
            batches.append([])
            n_characters = len(passage.text)
        batches[-1].append(passage)
    return batches
