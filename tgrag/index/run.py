"""What changes a collection: index, delete, rollback, collect_garbage. Each holds the lease while it works."""

import time
from collections.abc import Collection as Several
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

from tgrag import logs
from tgrag.errors import InvalidRequest, UnknownDocument, UnknownVersion
from tgrag.index import batch, cleanup
from tgrag.index.builder import VersionBuilder
from tgrag.index.catalog import Catalog, Collection
from tgrag.index.cleanup import GarbageReport
from tgrag.index.estimate import Estimate, estimated
from tgrag.index.lease import Lease
from tgrag.index.listing import Listed, hashed, input_name, kept, named, with_kept
from tgrag.index.manifest import Manifest, Pointer
from tgrag.index.plan import Plan
from tgrag.index.progress import Report
from tgrag.index.summary import Summary, changes_between, summary_of
from tgrag.ingest.collection import CollectionFile, load_collection_files
from tgrag.ingest.parse import check
from tgrag.ingest.sources import discover
from tgrag.models.chat_wire import identity_of
from tgrag.records import Document
from tgrag.settings import Settings
from tgrag.shared_root import require_shared_on_cluster
from tgrag.store.root import open_root

NO_PLAN = Plan()


def index(
    inputs: Sequence[str],
    collection: str,
    settings: Settings,
    report: Report,
    plan: Plan = NO_PLAN,
) -> Summary:
    """Index files, folders, globs or s3:// addresses into a collection and publish the result.

    The documents of an input replace those that an input of the same name had before; documents of other
    inputs stay. plan: what it does about calls. Raises TgragErrors only.
    """
    if plan.read_batch:
        batch.check_readable(plan.read_batch)
    with _building(inputs, collection, settings, "an index run", report) as (build, listed, stated):
        try:
            return build(listed, stated, "index", plan)
        except KeyboardInterrupt:
            report(
                "stopped, nothing published; what was parsed, extracted and embedded is kept: "
                "the same command goes on"
            )
            raise


def estimate(
    inputs: Sequence[str],
    collection: str,
    settings: Settings,
    report: Report,
    tokens_a_second: float | None,
    retry: bool = False,
) -> Estimate:
    """Say what the calls of an index run come to, without making one; publishes nothing. retry: failed ones too.

    Files are parsed, and what is parsed is kept for the run. tokens_a_second: of the language model, of all calls
    in flight together; without it that of the last run.
    """
    with _building(inputs, collection, settings, "a dry run", report) as (build, listed, stated):
        if settings.extract.method == "fast":
            return Estimate.none(settings)
        target = build.target
        pointer = target.current()
        costs = target.manifest(pointer.version_id).stages if pointer else {}
        return estimated(
            build.pending(listed, stated, Plan(retry=retry, dry=True)), settings, costs, tokens_a_second
        )


def write_batch(
    inputs: Sequence[str],
    collection: str,
    settings: Settings,
    report: Report,
    path: str,
    plan: Plan = NO_PLAN,
) -> int:
    """Write the calls that an index run would make as an OpenAI batch file; return how many; publishes nothing.

    plan: with a batch output to take in first, failures to try again, or the most calls to write.
    """
    if settings.extract.method == "fast":
        raise InvalidRequest("there are no calls to write: extract.method is fast; set it to llm")
    batch.check_writable(path)
    if plan.read_batch:
        batch.check_readable(plan.read_batch)
    with _building(inputs, collection, settings, "the writing of a batch file", report) as (
        build,
        listed,
        stated,
    ):
        pending = islice(build.pending(listed, stated, plan), plan.budget.calls)
        return batch.write_batch(path, pending, identity_of(settings.chat))


def retry(collection: str, settings: Settings, report: Report, keys: Several[str]) -> Summary:
    """Make failed calls about the published documents again, by their keys, and publish.

    What is made stays as the published version's recipe says. Raises InvalidRequest when the settings name no
    language model.
    """
    begun = time.monotonic()
    if settings.extract.method == "fast":
        raise InvalidRequest(
            "extract.method is fast: give the settings or the profile that the index was made with"
        )
    Catalog(open_root(settings.root)).collection(collection)
    with _writing(collection, settings, "a retry", report) as (target, lease):
        pointer = target.require_current()
        before = _documents(target)
        listed = [kept(document) for document in before]
        published = target.manifest(pointer.version_id)
        build = VersionBuilder(target, lease, settings.made_as(published.settings), report, before, begun)
        return build(listed, published.collection_file, "index", Plan(retry=frozenset(keys)))


@contextmanager
def _building(
    inputs: Sequence[str], collection: str, settings: Settings, purpose: str, report: Report
) -> Iterator[tuple[VersionBuilder, list[Listed], CollectionFile | None]]:
    """Yield what builds a version of these inputs and of the documents that stay, under the lease."""
    begun = time.monotonic()
    check(settings.parse)
    require_shared_on_cluster(settings.root)
    found = discover(inputs)
    stated = load_collection_files(inputs)
    for file in stated.unmatched([file.source for file in found]) if stated else ():
        report(f"collection.yaml names {file}, which is not among the inputs")
    with _writing(collection, settings, purpose, report) as (target, lease):
        names = {input_name(file.source) for file in found}
        before = _documents(target)
        staying = [kept(document) for document in before if input_name(document.source) not in names]
        pointer = target.current()
        if pointer:
            published = target.manifest(pointer.version_id)
            _say_what_changes(published, settings, report)
            if staying:
                stated = with_kept(stated, published.collection_file, staying)
        build = VersionBuilder(target, lease, settings, report, before, begun)
        yield build, [*hashed(found, settings.parse), *staying], stated


def delete(
    document: str, collection: str, settings: Settings, report: Report, purge: bool = False
) -> Summary:
    """Publish a version without a document (named by id, source, or title); with ``purge`` leave no byte of it.

    Purging drops every version that holds the document, so there is no way back to them. One that was deleted before
    can still be purged.
    """
    begun = time.monotonic()
    Catalog(open_root(settings.root)).collection(collection)
    with _writing(collection, settings, "a deletion", report) as (target, lease):
        pointer = target.require_current()
        before = _documents(target)
        gone = _meant(document, before, target, purge)
        published = target.manifest(pointer.version_id)
        if any(other.document_id == gone for other in before):
            staying = [kept(other) for other in before if other.document_id != gone]
            stated = with_kept(None, published.collection_file, staying)
            build = VersionBuilder(target, lease, settings.made_as(published.settings), report, before, begun)
            summary = build(staying, stated, "delete", Plan(offline=True))
        else:
            summary = summary_of(published, changes_between(before, before), 0.0, noop=True)
        if purge:
            summary.purged_versions, summary.purged_objects = cleanup.purge(target, gone)
            summary.seconds = time.monotonic() - begun
        return summary


def rollback(collection: str, settings: Settings, version: str | None) -> Pointer:
    """Publish an earlier version again: the one named (a unique beginning is enough), or the one before."""
    Catalog(open_root(settings.root)).collection(collection)
    with _writing(collection, settings, "a rollback", lambda line: None) as (target, lease):
        pointer = target.require_current()
        if version is None:
            wanted = target.previous()
            if wanted is None:
                raise UnknownVersion(f"collection {collection!r} has no earlier version to go back to")
        else:
            wanted = target.version_beginning(version)
        target.verified(wanted)
        lease.check()
        return target.publish(wanted, "rollback", after=pointer)


def collect_garbage(collection: str, settings: Settings, keep: int) -> GarbageReport:
    """Keep the published version and the newest others, ``keep`` in all; drop the rest and what only they used."""
    Catalog(open_root(settings.root)).collection(collection)
    with _writing(collection, settings, "a clean-up", lambda line: None) as (target, _):
        return cleanup.collect(target, keep)


@contextmanager
def _writing(
    collection: str, settings: Settings, purpose: str, report: Report
) -> Iterator[tuple[Collection, Lease]]:
    root = open_root(settings.root)
    target = Catalog(root).create(collection)
    lease = Lease(
        root,
        collection,
        purpose,
        lease_seconds=settings.index.lease_seconds,
        wait_seconds=settings.index.wait_seconds,
        report=report,
    )
    with lease, logs.about(collection):
        yield target, lease


def _say_what_changes(published: Manifest, settings: Settings, report: Report) -> None:
    """Say what settings a run changes, and what it would lose of what a language model extracted.

    Raises InvalidRequest where that would be lost and nobody asked for it.
    """
    changes = _changed(published.settings, settings.recipe())
    if changes:
        report(f"settings changed since the published version: {'; '.join(changes)}")
    n_units = published.extraction.llm
    if not n_units or settings.extract.method == "llm":
        return
    model = published.settings["chat"]["model"]
    if not settings.gives_up_language_model:
        raise InvalidRequest(
            f"language model «{model}» extracted {n_units:,} text units of collection {published.collection!r}, "
            "and these settings would publish it without: give the profile it was made with (--profile openai), or "
            "--profile lite to go on without"
        )
    report(f"{n_units:,} text units lose what language model «{model}» extracted; its answers are kept")


def _meant(document: str, before: Sequence[Document], target: Collection, purge: bool) -> str:
    """Return the id of the document that is named; to be purged, it may also be one of an earlier version."""
    try:
        return named(document, before, target.name)
    except UnknownDocument:
        if not purge:
            raise
    versions = [version for version in sorted(target.version_ids()) if target.intact(version)]
    ever = {d.document_id: d for version in versions for d in target.documents(version)}
    return named(document, list(ever.values()), target.name)


def _documents(target: Collection) -> list[Document]:
    pointer = target.current()
    return target.documents(pointer.version_id) if pointer else []


def _changed(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return what two recipes say differently, as «section.name: before -> now», of what both say."""
    return [
        f"{section}.{name}: {old} -> {now[section][name]}"
        for section, stated in before.items()
        for name, old in stated.items()
        if name in now.get(section, {}) and now[section][name] != old
    ]
