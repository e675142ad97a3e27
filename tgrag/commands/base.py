"""What the commands share: how their errors are told, and how they find a collection."""

from typing import TYPE_CHECKING, Any

from typer.core import TyperCommand, TyperGroup

from tgrag.errors import TgragError

if TYPE_CHECKING:
    from tgrag.index import catalog
    from tgrag.settings import Settings


class _Told:
    """Expected errors end as one line and an exit code: 2 for a wrong request, 1 for the rest."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)  # type: ignore[misc]
        except TgragError as error:
            from tgrag.console import fail

            raise fail(error, ctx.params.get("as_json", False)) from None


class Command(_Told, TyperCommand):
    pass


class Group(_Told, TyperGroup):
    pass


def open_catalog(settings: "Settings") -> "catalog.Catalog":
    from tgrag.index.catalog import Catalog
    from tgrag.store.root import open_root

    return Catalog(open_root(settings.root))


def open_collection(settings: "Settings", named: str | None) -> "catalog.Collection":
    """Return the collection named, or the only one there is."""
    return open_catalog(settings).collection(collection_name(settings, named))


def collection_name(settings: "Settings", named: str | None) -> str:
    from tgrag.serve.listings import only_collection

    return named or only_collection(open_catalog(settings))
