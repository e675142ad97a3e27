"""Which documents a version shall hold: the files of this run's inputs, and what stays of the version before."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import PurePosixPath

from tgrag.errors import UnknownDocument
from tgrag.graph.wishes import NO_WISHES
from tgrag.hashing import bytes_hash, stable_hash
from tgrag.ingest.collection import CollectionFile
from tgrag.ingest.parse import parse_key
from tgrag.ingest.sources import SourceFile, read_source
from tgrag.records import Document
from tgrag.settings import ParseSettings

HASHING_THREADS = 8


@dataclass(frozen=True, slots=True)
class Listed:
    """A document that a version shall hold.

    location: of its file; None for a document kept from the version before, whose file is not at hand.
    unreadable: why the file could not be read; its hash and key are then empty.
    """

    document_id: str
    source: str
    location: str | None
    format: str
    n_bytes: int
    content_hash: str
    parse_key: str
    unreadable: str | None = None


def input_name(source: str) -> str:
    """Return the name of the input that a source came from."""
    return source.split("/", 1)[0]


def with_kept(
    new: CollectionFile | None, old: CollectionFile | None, staying: Sequence[Listed]
) -> CollectionFile | None:
    """Add to what is stated now what was stated before of documents that stay, and of entities when nothing is now."""
    still_stated = old.naming([document.source for document in staying]) if old else ()
    series = (*(new.series if new else ()), *still_stated)
    told = [stated.entities for stated in (new, old) if stated and stated.entities != NO_WISHES]
    entities = told[0] if told else NO_WISHES
    return CollectionFile(series=series, entities=entities) if series or told else None


def hashed(found: Sequence[SourceFile], settings: ParseSettings) -> list[Listed]:
    """List the files of this run's inputs by what is in them; one that cannot be read says why."""
    with ThreadPoolExecutor(HASHING_THREADS) as pool:
        return list(pool.map(lambda file: _listed(file, settings), found))


def _listed(file: SourceFile, settings: ParseSettings) -> Listed:
    document_id = stable_hash("document", file.source)
    suffix = PurePosixPath(file.source).suffix.lstrip(".").lower()
    try:
        if file.n_bytes > settings.max_file_mb * 1_000_000:
            size = file.n_bytes / 1_000_000
            raise OSError(
                f"the file has {size:.0f} MB, more than the {settings.max_file_mb} that parse.max_file_mb allows"
            )
        file.location.encode()
        content_hash = bytes_hash(read_source(file.location))
    except (OSError, UnicodeEncodeError) as error:
        why = (
            "its name is not valid UTF-8; rename it"
            if isinstance(error, UnicodeEncodeError)
            else error.strerror
        )
        reason = f"cannot be read: {why or error}"
        return Listed(document_id, file.source, None, suffix, file.n_bytes, "", "", reason)
    key = parse_key(content_hash, file.source, settings)
    return Listed(document_id, file.source, file.location, suffix, file.n_bytes, content_hash, key)


def kept(document: Document) -> Listed:
    """List a document of the version before that stays, without its file."""
    return Listed(
        document.document_id,
        document.source,
        None,
        document.format,
        document.n_bytes,
        document.content_hash,
        document.parse_key,
        document.reason if not document.parse_key else None,
    )


def named(name: str, documents: Sequence[Document], collection: str) -> str:
    """Return the id of the one document that a person means. Raises UnknownDocument."""
    matches = [d for d in documents if name in (d.document_id, d.source)] or [
        d for d in documents if d.title == name or PurePosixPath(d.source).name == name
    ]
    if len(matches) != 1:
        what = "several documents are" if matches else "no document is"
        raise UnknownDocument(
            f"{what} called {name!r} in {collection!r}; `tgrag inspect --collection {collection}` lists their sources"
        )
    return matches[0].document_id
