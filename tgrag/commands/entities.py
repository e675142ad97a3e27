"""``tgrag entities`` and ``tgrag timeline``: who there is, and how someone or something develops."""

from typing import TYPE_CHECKING, Annotated

import typer

from tgrag.commands.base import open_collection
from tgrag.options import AsJson, Collection, Config, Profile, Root, read_settings

if TYPE_CHECKING:
    from tgrag.search.entities import Entities
    from tgrag.settings import Settings

EXAMPLE = 'Example: tgrag entities "Германна" --as-of "Глава II"'
INSPECT_EXAMPLE = 'Example: tgrag inspect entities "Гринев" --collection library'
TIMELINE_EXAMPLE = 'Example: tgrag timeline "Лизавета Ивановна" --as-of "book=1,chapter=3"'

When = Annotated[
    str | None, typer.Option("--as-of", metavar="WHEN", help="What was known by then, as for `tgrag query`.")
]
Offset = Annotated[int, typer.Option(min=0, metavar="N", help="Leave out the first N.")]
Limit = Annotated[int, typer.Option(min=1, max=200, metavar="N", help="Show at most N.")]


def entities(
    ctx: typer.Context,
    q: Annotated[
        str | None,
        typer.Argument(metavar="[Q]", help="A name or a part of one, in any form; all without it."),
    ] = None,
    as_of: When = None,
    offset: Offset = 0,
    limit: Limit = 50,
    collection: Collection = None,
    root: Root = None,
    config: Config = None,
    profile: Profile = None,
    as_json: AsJson = False,
) -> None:
    """Find entities by name, or list them, the most mentioned first."""
    known = _open(read_settings(ctx, root, config, profile), collection)
    from tgrag import console
    from tgrag.search.written import parse_as_of

    found = known.find(q, parse_as_of(as_of), offset, limit)
    console.show(found, console.entity_lines(found), as_json)


def timeline(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME_OR_ID", help="In any form; the best match is taken.")],
    as_of: When = None,
    offset: Offset = 0,
    limit: Limit = 50,
    collection: Collection = None,
    root: Root = None,
    config: Config = None,
    profile: Profile = None,
    as_json: AsJson = False,
) -> None:
    """Show the states of an entity in story order, with quotes."""
    known = _open(read_settings(ctx, root, config, profile), collection)
    from tgrag import console
    from tgrag.search.written import parse_as_of

    when = parse_as_of(as_of)
    told = known.timeline(known.meant(name, when), when, offset, limit)
    console.show(told, console.timeline_lines(told), as_json)


def inspect_entities(
    ctx: typer.Context,
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Only entities with this among their names.")
    ] = None,
    limit: Limit = 50,
    collection: Collection = None,
    root: Root = None,
    config: Config = None,
    profile: Profile = None,
    as_json: AsJson = False,
) -> None:
    """Show which names were taken for one entity, why and from where on; near misses; and how to have it otherwise.

    With each stands the line to write under `entities:` in the collection.yaml beside the documents.
    """
    found = open_collection(read_settings(ctx, root, config, profile), collection)
    from tgrag import console
    from tgrag.inspect.entities import resolved, resolved_lines

    version = found.require_current().version_id
    shown = resolved(found.entities(version), found.merges(version), found.text_units(version), name)
    console.show(shown, resolved_lines(shown, limit), as_json)


def _open(settings: "Settings", collection: str | None) -> "Entities":
    from tgrag.search.entities import Entities
    from tgrag.search.view import Views

    snapshot = open_collection(settings, collection).open_current()
    return Entities(snapshot, Views(snapshot))
