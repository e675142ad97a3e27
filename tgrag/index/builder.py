"""One version from its documents: parse, place, chunk, extract, graph, embed, write, publish.

Costly calls (parsing, embedding) are memoised and everything between them is deterministic, so a run after a
kill, an edit or a changed setting pays only for what is missing.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

import pyarrow as pa

from tgrag import __version__
from tgrag.chunk import CHUNK_VERSION
from tgrag.errors import StorageError
from tgrag.extract.fast import EXTRACT_VERSION
from tgrag.graph.build import GRAPH_VERSION, Graph, build
from tgrag.graph.order import PlacedChunks, text_units
from tgrag.graph.wishes import NO_WISHES, Wishes
from tgrag.hashing import bytes_hash, stable_hash
from tgrag.index.answers import AnswerMemo
from tgrag.index.assemble import (
    Outcome,
    answers_file,
    count,
    document_row,
    passages_of,
    series_of,
    table_files,
    vector_file,
)
from tgrag.index.batch import Pending, accepted
from tgrag.index.catalog import Collection
from tgrag.index.lease import Lease
from tgrag.index.listing import Listed
from tgrag.index.manifest import ANSWERS, SCHEMA_VERSION, Manifest, Pointer, StageCost, now
from tgrag.index.memo import ParseMemo, VectorMemo
from tgrag.index.own_engines import embedding_pool
from tgrag.index.placing import placed
from tgrag.index.plan import Plan
from tgrag.index.progress import Report
from tgrag.index.stages import ChunkTask, ParseTask, chunk_all, embed_all, parse_all
from tgrag.index.summary import Summary, changes_between, summary_of
from tgrag.ingest.collection import PLACEMENT_VERSION, CollectionFile
from tgrag.metrics import tell
from tgrag.models.embedders import open_embedder
from tgrag.models.tokenizer import tokenizer
from tgrag.records import Community, DeadLetter, Document, ParsedDocument, TextUnit
from tgrag.settings import Settings
from tgrag.store.tables import TABLES, table_bytes

if TYPE_CHECKING:
    from tgrag.index.asking import Asking
    from tgrag.index.decisions import Resolved
    from tgrag.index.extraction import Extracted
    from tgrag.index.reports import PendingCalls, Reported


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
        self.target, self._lease, self._settings = target, lease, settings
        self._report = lease.heeded(report)
        self._before, self._begun = before, begun
        self._address, self._workers = target.root.address, settings.index.workers
        self._embedder = open_embedder(settings, for_index=True)
        self._identity = self._embedder.identity
        self._costs: dict[str, StageCost] = {}

    def __call__(
        self, listed: Sequence[Listed], stated: CollectionFile | None, reason: str, plan: Plan
    ) -> Summary:
        """Publish the version of these documents, unless it is published already.

        stated: what collection.yaml files say; reason: of the publication.
        """
        parent = self.target.current()
        parses = ParseMemo(self.target.root, self.target.name)
        if plan.retry is True:
            parses.forget_failures(document.parse_key for document in listed)
        recipe_id = self._recipe(listed, stated)
        outstanding = [d for d in listed if d.location and d.parse_key and parses.is_outstanding(d.parse_key)]
        if parent and not outstanding and not plan.retry and not plan.read_batch:
            published = self.target.intact(parent.version_id)
            if published and published.recipe_id == recipe_id and not published.partial:
                return summary_of(
                    published, changes_between(self._before, self._before), self._elapsed(), noop=True
                )

        units, documents, letters = self._units(listed, stated, parses)
        with self._stage("extract") as cost:
            found = self._extract(units, asking := self._asking(documents), plan, cost)
        plan = _less(plan, cost)
        wishes = stated.entities if stated else NO_WISHES
        found, decided, plan = self._decide(units, found, wishes, asking, plan)
        letters = [*letters, *found.letters, *decided.letters]
        with self._stage("graph"):
            graph = build(units, found.extractions, self._settings.windows, wishes, decided.decided)
        with self._stage("reports") as spent:
            reports = self._reports(graph.communities, units, found, asking, plan, parent, spent)
            graph = replace(graph, communities=reports.communities)
        letters = [*letters, *reports.letters]
        vector_files, vectors_digest = self._embed(units, graph)
        with self._stage("write"):
            files = table_files(documents, units, graph)
            if self._settings.extract.method == "llm":
                files[ANSWERS] = answers_file([*found.answers, *decided.answers, *reports.answers])
            digests = {path: bytes_hash(data) for path, data in files.items()}
            version_id = stable_hash(
                recipe_id, digests, vectors_digest, [asdict(letter) for letter in letters]
            )
            is_new = self.target.intact(version_id) is None
            if is_new:
                self.target.write_files(version_id, files | vector_files)
        manifest = Manifest(
            tgrag_version=__version__,
            collection=self.target.name,
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
            extraction=found.counts,
            decisions=decided.counts,
            reports=reports.counts,
            health=graph.health,
            stages=self._costs,
            dead_letters=letters,
        )
        if is_new:
            self.target.finish(manifest)
        self._lease.check()
        self.target.publish(version_id, reason, after=parent)
        if self._settings.extract.method == "llm":
            self._compact()
        return summary_of(manifest, changes_between(self._before, documents), self._elapsed())

    def _compact(self) -> None:
        """Join stored answers where a document has many; a store that fails now costs nothing but that."""
        memo = AnswerMemo(self.target.root, self.target.name)
        try:
            if memo.is_scattered:
                self._lease.check()
                memo.compact()
        except StorageError as error:
            self._report(f"stored answers are not joined yet, the next run tries again: {error}")

    def pending(self, listed: Sequence[Listed], stated: CollectionFile | None, plan: Plan) -> "PendingCalls":
        """Parse and cut, and return the calls that are to be made, none of which is; publishes nothing."""
        from tgrag.index.extraction import LlmExtraction
        from tgrag.index.reports import LlmReports, PendingCalls

        units, documents, _ = self._units(listed, stated, ParseMemo(self.target.root, self.target.name))
        asking = self._asking(documents)
        extraction = LlmExtraction(units, asking)
        extraction.prepare(plan)
        found = extraction.result(waiting_too=False)
        decisions: Iterable[Pending] = ()
        if self._settings.decisions_by_llm:
            from tgrag.index.decisions import LlmDecisions

            stage = LlmDecisions(units, found, stated.entities if stated else NO_WISHES, asking)
            found = stage.prepare(plan)
            decisions = stage.pending()
        if not self._settings.reports_by_llm:
            if found.taken and plan.read_batch:
                accepted(found.taken, plan.read_batch, self._report)
            return PendingCalls(extraction.pending(), decisions)
        reports = LlmReports(units, found, asking)
        reports.prepare(plan)
        return PendingCalls(extraction.pending(), decisions, reports.pending(), reports.unsettled)

    def _units(
        self, listed: Sequence[Listed], stated: CollectionFile | None, parses: ParseMemo
    ) -> tuple[list[TextUnit], list[Document], list[DeadLetter]]:
        answers, parses = self._parse(listed, parses)
        outcomes, letters = placed(listed, stated, answers, parses)
        units, documents = self._chunk(listed, outcomes)
        return units, documents, letters

    def _asking(self, documents: Sequence[Document]) -> "Asking":
        from tgrag.index.asking import Asking

        sources = {document.document_id: document.source for document in documents}
        return Asking(self.target.root, self.target.name, self._settings, sources, self._report)

    def _extract(
        self, units: Sequence[TextUnit], asking: "Asking", plan: Plan, cost: StageCost
    ) -> "Extracted":
        from tgrag.index.extraction import extract_units  # with it come the chat back ends

        return extract_units(units, asking, plan, cost)

    def _decide(
        self, units: Sequence[TextUnit], found: "Extracted", wishes: Wishes, asking: "Asking", plan: Plan
    ) -> "tuple[Extracted, Resolved, Plan]":
        """Return the extractions, what is decided on who is who, and the plan with what is left of its budget."""
        from tgrag.index.decisions import Resolved, decide

        if not self._settings.decisions_by_llm:
            return found, Resolved(), plan
        with self._stage("resolve") as cost:
            decided, found = decide(units, found, wishes, asking, plan, cost)
        return found, decided, _less(plan, cost)

    def _reports(
        self,
        communities: Sequence[Community],
        units: Sequence[TextUnit],
        found: "Extracted",
        asking: "Asking",
        plan: Plan,
        parent: Pointer | None,
        cost: StageCost,
    ) -> "Reported":
        from tgrag.index.reports import Before, report_windows

        def before() -> Before:
            if parent is None or self.target.intact(parent.version_id) is None:
                return Before()
            ids = {
                name: set(self.target.table(parent.version_id, name)[TABLES[name].key].to_pylist())
                for name in ("text_units", "communities")
            }
            return Before(**ids)

        return report_windows(communities, units, found, asking, plan, before, cost)

    def _recipe(self, listed: Sequence[Listed], stated: CollectionFile | None) -> str:
        steps = {
            "place": PLACEMENT_VERSION,
            "chunk": CHUNK_VERSION,
            "extract": self._extract_version(),
            "graph": GRAPH_VERSION,
            "schema": SCHEMA_VERSION,
        }
        series = stated.model_dump(mode="json") if stated else None
        contents = sorted((d.source, d.content_hash, d.parse_key) for d in listed)
        return stable_hash(self._settings.recipe(), steps, asdict(self._identity), contents, series)

    def _extract_version(self) -> int | str:
        if self._settings.extract.method == "fast":
            return EXTRACT_VERSION
        from tgrag.extract import llm
        from tgrag.graph import reports, verdict

        asked = [llm.recipe(self._settings.extract)]
        if self._settings.decisions_by_llm:
            asked.append(verdict.recipe())
        if self._settings.reports_by_llm:
            asked.append(reports.recipe(self._settings.report))
        return stable_hash(EXTRACT_VERSION, *asked)

    def _parse(
        self, listed: Sequence[Listed], parses: ParseMemo
    ) -> tuple[dict[str, ParsedDocument], ParseMemo]:
        """Return the parsed documents by key, and a memo that knows the failures."""
        keys = {document.parse_key for document in listed if document.parse_key}
        with self._stage("parse") as cost:
            answers = parses.load(keys)  # first of all: one that is damaged is outstanding
            tasks = [
                ParseTask(d.document_id, d.source, d.location, d.content_hash, key, d.n_bytes)
                for key, d in {d.parse_key: d for d in listed if d.location}.items()
                if key and d.location and parses.is_outstanding(key)
            ]
            n_saved = sum(document.parse_key in answers for document in listed)
            parse_all(
                tasks, self._address, self.target.name, self._settings.parse, self._workers, self._report
            )
            parses = ParseMemo(self.target.root, self.target.name)
            answers |= parses.load(keys - set(answers))
            cost.calls, cost.saved = len(tasks), n_saved
            cost.failed = sum(task.key not in answers for task in tasks)
        return answers, parses

    def _chunk(
        self, listed: Sequence[Listed], outcomes: dict[str, Outcome]
    ) -> tuple[list[TextUnit], list[Document]]:
        tasks = [
            ChunkTask(d.document_id, d.parse_key, outcomes[d.document_id].placement.language, d.n_bytes)
            for d in listed
            if outcomes[d.document_id].reason is None
        ]
        with self._stage("chunk"):
            chunks = chunk_all(
                tasks, self._address, self.target.name, self._settings.chunk, self._workers, self._report
            )
            units = text_units(
                PlacedChunks(document_id, outcomes[document_id].placement, rows)
                for document_id, rows in chunks.items()
            )
        rows = [document_row(d, outcomes[d.document_id], len(chunks.get(d.document_id, ()))) for d in listed]
        return units, rows

    def _embed(self, units: Sequence[TextUnit], graph: Graph) -> tuple[dict[str, bytes], str]:
        passages = passages_of(
            units, graph, self._identity, tokenizer(self._settings.chunk.tokenizer), self._settings.embed
        )
        parts = {name: [part for row in rows for part in row.parts] for name, rows in passages.items()}
        unique = {passage.key: passage for rows in parts.values() for passage in rows}
        vectors = VectorMemo(self.target.root, self.target.name, self._identity)
        with self._stage("embed") as cost:
            known = vectors.load(set(unique))
            missing = [passage for key, passage in unique.items() if key not in known]
            pool = embedding_pool(self._settings)
            embed_all(missing, self._address, self.target.name, self._embedder, pool, self._report)
            known |= vectors.load({passage.key for passage in missing})
            cost.calls, cost.saved = len(missing), len(unique) - len(missing)
        files: dict[str, bytes] = {}
        for name, rows in passages.items():
            files[f"vectors/{name}.faiss"] = vector_file(
                rows, known, self._identity, self._settings.embed.title_weight
            )
            keys = pa.table({"key": pa.array([part.key for part in parts[name]], pa.string())})
            files[f"vectors/{name}.keys.parquet"] = table_bytes(keys)
        return files, bytes_hash(b"".join(known[key].tobytes() for key in sorted(unique)))

    def _elapsed(self) -> float:
        return time.monotonic() - self._begun

    @contextmanager
    def _stage(self, name: str) -> Iterator[StageCost]:
        begun = time.monotonic()
        cost = self._costs[name] = StageCost(seconds=0.0)
        yield cost
        cost.seconds = round(time.monotonic() - begun, 3)
        told = {"collection": self.target.name, "stage": name}
        tell("tgrag_index_stage_seconds", cost.seconds, **told)
        for outcome, n in (("made", cost.calls), ("saved", cost.saved), ("failed", cost.failed)):
            tell("tgrag_index_calls", n, outcome=outcome, **told)


def _less(plan: Plan, cost: StageCost) -> Plan:
    """Return a plan with what a stage leaves of its budget."""
    return replace(plan, budget=plan.budget.less(cost.attempts, cost.tokens_in + cost.tokens_out))
