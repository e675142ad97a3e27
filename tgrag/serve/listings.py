"""What there is to ask: collections and their versions, as the HTTP API and ``--json`` show them."""

from collections.abc import Sequence

from pydantic import BaseModel, Field

from tgrag.errors import InvalidRequest, UnknownCollection
from tgrag.index.catalog import Catalog
from tgrag.index.manifest import Pointer, VersionInfo


class CollectionItem(BaseModel):
    name: str
    current: Pointer | None = Field(description="what is published; null when nothing has been published yet")


class CollectionList(BaseModel):
    collections: list[CollectionItem]


class VersionList(BaseModel):
    """The versions of one collection, newest first."""

    collection: str
    versions: list[VersionInfo]


def list_collections(catalog: Catalog, visible: Sequence[str] | None = None) -> CollectionList:
    """visible: the names that may be listed; None is every one."""
    return CollectionList(
        collections=[
            CollectionItem(name=name, current=catalog.collection(name).current())
            for name in catalog.collections()
            if visible is None or name in visible
        ]
    )


def list_versions(catalog: Catalog, collection: str) -> VersionList:
    """Raises UnknownCollection."""
    return VersionList(collection=collection, versions=catalog.collection(collection).versions())


def only_collection(catalog: Catalog) -> str:
    """Return the collection that is meant when none is named: the only one there is.

    Raises UnknownCollection when there is none, InvalidRequest when there are several.
    """
    names = catalog.collections()
    if not names:
        raise UnknownCollection("there is no collection under this root yet; make one with `tgrag index`")
    if len(names) > 1:
        raise InvalidRequest(f"collection: say which one of {', '.join(names)}")
    return names[0]
