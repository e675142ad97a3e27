"""What is deleted is deleted: old versions, stored answers that nobody uses, and every byte of a purged document.

Called under the collection's lease, so nobody else writes.
"""

from collections.abc import Collection as Several
from collections.abc import Iterator
from math import inf

from pydantic import BaseModel

from tgrag.index import memo
from tgrag.index.answers import AnswerMemo
from tgrag.index.catalog import Collection
from tgrag.index.manifest import ANSWERS
from tgrag.index.memo import ParseMemo, VectorMemo
from tgrag.store.root import TEMPORARY_IS_STALE_SECONDS, LocalRoot


class GarbageReport(BaseModel):
    versions: list[str]
    memo_objects: int


def collect(target: Collection, keep: int) -> GarbageReport:
    """Keep the published version and the newest others, ``keep`` in all; drop the rest and what only they used.

    Versions that cannot be read go too. What was paid for since the last publication stays: nothing of a run that came
    to no end is in any version, and the next run needs it. Raises StorageError, and deletes nothing, when the
    published one is damaged.
    """
    pointer = target.current()
    if pointer:
        target.verified(pointer.version_id)
    usable = [info for info in target.versions() if info.current or target.intact(info.version_id)]
    usable.sort(key=lambda info: not info.current)
    kept = {info.version_id for info in usable[: max(1, keep)]}
    dropped = _drop_others(target, kept)
    n_objects = _drop_unused(target, kept, target.published_at()) if pointer else 0
    AnswerMemo(target.root, target.name).compact()
    if isinstance(target.root, LocalRoot):
        target.root.sweep(target.name, TEMPORARY_IS_STALE_SECONDS)
    return GarbageReport(versions=dropped, memo_objects=n_objects)


def purge(target: Collection, document_id: str) -> tuple[int, int]:
    """Leave no byte of a document that the published version does not hold; return numbers of versions and objects.

    The document is also what had its content under another name, unless a document that stays has it too.
    Every version that holds it goes, every one that cannot be read, and every memo object that no version left uses.
    """
    current = target.require_current().version_id
    staying = target.documents(current)
    held = {v: target.documents(v) for v in target.version_ids() if target.intact(v)}
    rows = [document for documents in held.values() for document in documents]
    contents = {d.content_hash for d in rows if d.document_id == document_id}
    contents -= {d.content_hash for d in staying} | {""}
    gone = {d.document_id for d in rows if d.content_hash in contents} | {document_id}
    kept = {
        version_id
        for version_id, documents in held.items()
        if not any(d.document_id == document_id or d.content_hash in contents for d in documents)
    }
    left = [*sorted(kept - {current}), current]
    gone -= {d.document_id for version in left for d in target.documents(version)}
    heirs = {key: owner for version in left for key, owner in _owned(target, version)}
    AnswerMemo(target.root, target.name).hand_over(gone, heirs)
    if staying:
        vector_keys = {key for version in left for key in target.vector_keys(version)}
        for vectors in VectorMemo.of_every_embedder(target.root, target.name):
            vectors.hand_over(gone, vector_keys, staying[0].document_id)
    n_objects = memo.purge(target.root, target.name, gone, heirs)
    n_versions = len(_drop_others(target, set(left)))
    n_objects += _drop_unused(target, left, inf)
    if isinstance(target.root, LocalRoot):
        target.root.sweep(target.name, 0.0)
    return n_versions, n_objects


def _drop_others(target: Collection, kept: set[str]) -> list[str]:
    """Delete all versions but these, also unfinished ones, and the pointers to them; return their ids."""
    dropped = [v for v in target.root.folders(f"{target.name}/versions") if v not in kept]
    for version_id in dropped:
        target.drop_version(version_id)
    target.forget_pointers(set(dropped))
    return dropped


def _owned(target: Collection, version_id: str) -> Iterator[tuple[str, str]]:
    """Return the keys of parsed documents, answers and failed calls of a version, each with a document_id."""
    for document in target.documents(version_id):
        yield document.parse_key, document.document_id
    for letter in target.dead_letters(version_id):
        yield letter.key, letter.document_id
    yield from _used_answers(target, version_id).items()


def _drop_unused(target: Collection, versions: Several[str], written_before: float) -> int:
    """Delete the old memo objects that none of these versions uses; return how many that was."""
    used = {key for version in versions for key, _ in _owned(target, version)}
    vector_keys = {key for version in versions for key in target.vector_keys(version)}
    return (
        ParseMemo(target.root, target.name).drop_unused(used, written_before)
        + sum(
            memo.drop_unused(vector_keys, written_before)
            for memo in VectorMemo.of_every_embedder(target.root, target.name)
        )
        + AnswerMemo(target.root, target.name).drop_unused(used, written_before)
    )


def _used_answers(target: Collection, version_id: str) -> dict[str, str]:
    """Return the keys of the language model's answers that a version uses, each with its document_id."""
    if ANSWERS not in target.manifest(version_id).files:
        return {}
    table = target.table(version_id, "answers")
    return dict(zip(table["key"].to_pylist(), table["document_id"].to_pylist(), strict=True))
