"""``tgrag dead-letters``: the costly calls of the published version that failed."""

from typing import Annotated

import typer

from tgrag.commands.base import Command, collection_name, open_catalog, open_collection
from tgrag.errors import InvalidRequest
from tgrag.options import AsJson, Collection, Config, Profile, Root, Wait, read_settings

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="List, show and retry the calls that failed for good or for now.",
    epilog="Example: tgrag dead-letters list --collection library",
)


@app.command("list", cls=Command, epilog="Example: tgrag dead-letters list --collection library --json")
def list_letters(
    ctx: typer.Context,
    collection: Collection = None,
    root: Root = None,
    config: Config = None,
    profile: Profile = None,
    as_json: AsJson = False,
) -> None:
    """List the dead letters of the published version."""
    settings = read_settings(ctx, root, config, profile)
    found = open_collection(settings, collection)
    from tgrag import console
    from tgrag.index.letters import letters_of

    letters = letters_of(found)
    console.show(letters, letters.lines(), as_json)


@app.command(cls=Command, epilog="Example: tgrag dead-letters show 3f9a --collection library")
def show(
    ctx: typer.Context,
    id: Annotated[str, typer.Argument(metavar="ID", help="As the list shows it; its beginning is enough.")],
    collection: Collection = None,
    root: Root = None,
    config: Config = None,
    profile: Profile = None,
    as_json: AsJson = False,
) -> None:
    """Show one dead letter, and what the model answered if it did."""
    settings = read_settings(ctx, root, config, profile)
    found = open_collection(settings, collection)
    from tgrag import console
    from tgrag.index.letters import letter_of

    letter = letter_of(found, id)
    console.show(letter, letter.lines(), as_json)


@app.command(cls=Command, epilog="Example: tgrag dead-letters retry --all --collection library")
def retry(
    ctx: typer.Context,
    ids: Annotated[list[str] | None, typer.Argument(metavar="[ID…]", help="As the list shows them.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="All of them.")] = False,
    wait: Wait = None,
    collection: Collection = None,
    root: Root = None,
    config: Config = None,
    profile: Profile = None,
    as_json: AsJson = False,
) -> None:
    """Make failed calls of the language model again, and publish what comes of it.

    Files that could not be parsed are not stored: `tgrag index PATH --retry-failed` tries those again.
    """
    if bool(ids) == everything:
        raise InvalidRequest("name the dead letters to retry, or say --all")
    settings = read_settings(ctx, root, config, profile, index={"wait_seconds": wait})
    name = collection_name(settings, collection)
    from tgrag import console
    from tgrag.index import run
    from tgrag.index.letters import retried_keys

    keys = retried_keys(open_catalog(settings).collection(name), ids or None)
    console.keep_output_for_facts()
    summary = run.retry(name, settings, console.progress, keys)
    console.show(summary, summary.lines(), as_json)
