"""The collection of an evaluation set: written as files and indexed as a user's documents are."""

import shutil
import tempfile
from pathlib import Path

from tgrag.errors import SchemaMismatch
from tgrag.evaluate.sets import EvaluationSet
from tgrag.index import run
from tgrag.index.catalog import Catalog
from tgrag.index.progress import Report
from tgrag.settings import Settings
from tgrag.store.root import open_root
from tgrag.store.snapshot import Snapshot

INPUT = "set"  # the input's name, the same for every set


def write_documents(evaluation_set: EvaluationSet, folder: Path) -> None:
    """Write the documents of a set as files below a folder."""
    for document in evaluation_set.documents:
        path = folder / (document.path if document.content is not None else document.name)
        path.parent.mkdir(parents=True, exist_ok=True)
        if document.content is not None:
            path.write_bytes(document.content)
        else:
            shutil.copyfile(document.path, path)


def file_name(evaluation_set: EvaluationSet) -> dict[str, str]:
    """Return for each document the ``source`` that an index gives it."""
    return {
        document.name: f"{INPUT}/{document.path if document.content is not None else document.name}"
        for document in evaluation_set.documents
    }


def index_set(evaluation_set: EvaluationSet, settings: Settings, report: Report) -> None:
    """Index a set into its collection; only what changed since the last time is computed."""
    with tempfile.TemporaryDirectory(prefix="tgrag-evaluate-") as work:
        folder = Path(work) / INPUT
        write_documents(evaluation_set, folder)
        inputs, collection = [str(folder)], evaluation_set.collection
        try:
            run.index(inputs, collection, settings, report)
        except SchemaMismatch:
            report(f"{collection} was written by another tgrag: it is made anew from what was embedded")
            _drop_versions(collection, settings)
            run.index(inputs, collection, settings, report)


def _drop_versions(collection: str, settings: Settings) -> None:
    root = open_root(settings.root)
    for part in ("CURRENT", "versions"):
        root.delete_folder(f"{collection}/{part}")


def open_set(evaluation_set: EvaluationSet, settings: Settings) -> Snapshot:
    """Open the published version of a set's collection. Raises UnknownCollection or NoVersion without one."""
    return Catalog(open_root(settings.root)).collection(evaluation_set.collection).open_current()
