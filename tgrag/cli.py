"""The command line: reads what is typed, calls tgrag, prints what it says.

Heavy imports wait until a command needs them, so that help comes at once.
"""

import sys
from functools import partial
from typing import Annotated

import typer

from tgrag import logs
from tgrag.commands import dead_letters, doctor, entities, evaluate, index, prompts
from tgrag.commands.base import Command, Group, collection_name, open_catalog, open_collection
from tgrag.errors import InvalidRequest
from tgrag.options import (
    AsJson,
    Collection,
    Config,
    Flags,
    Profile,
    Root,
    Wait,
    read_request,
    read_settings,
)

app = typer.Typer(
    cls=Group,
    help="Temporal Graph RAG: answers with checked quotes from long documents, as of any chapter or date.",
    epilog="Settings: flags, then TGRAG_* variables, then tgrag.yaml, then the profile.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.callback()
def main(ctx: typer.Context, root: Root = None, config: Config = None, profile: Profile = None) -> None:
    logs.set_up()
    ctx.obj = Flags(root, config, profile)


app.command(cls=Command, epilog=index.EXAMPLE)(index.index)
app.command(cls=Command, epilog=doctor.EXAMPLE)(doctor.doctor)
app.command(cls=Command, epilog=evaluate.EXAMPLE)(evaluate.evaluate)
app.command(cls=Command, epilog=entities.EXAMPLE)(entities.entities)
app.command(cls=Command, epilog=entities.TIMELINE_EXAMPLE)(entities.timeline)


@app.command(cls=Command, epilog='Example: tgrag query "Кто такой Германн?" --as-of "book=1,chapter=2"')
def query(
    ctx: typer.Context,
    question: Annotated[str, typer.Argument(help="In Russian, Ukrainian or English.")],
    collection: Collection = None,
    mode: Annotated[str, typer.Option(help="classic or temporal.")] = "temporal",
    book: Annotated[
        list[str] | None,
        typer.Option(metavar="TITLE", help="Search only in this book or series; repeatable."),
    ] = None,
    as_of: Annotated[
        str | None,
        typer.Option(
            "--as-of",
            metavar="WHEN",
            help="What was known by then: 3, 'Глава III', book=2,chapter=5, date=1834-01, series=…,chapter=….",
        ),
    ] = None,
    show_context: Annotated[
        bool, typer.Option("--show-context", help="Print what the answer was made from.")
    ] = False,
    stream: Annotated[
        bool | None,
        typer.Option(
            "--stream/--no-stream", help="Print the answer while it is written; so by default on a terminal."
        ),
    ] = None,
    url: Annotated[
        str | None, typer.Option(metavar="URL", help="Ask this server, such as http://127.0.0.1:8000.")
    ] = None,
    root: Root = None,
    config: Config = None,
    profile: Profile = None,
    as_json: AsJson = False,
) -> None:
    """Ask a question; without --url it is answered in this process."""
    settings = read_settings(ctx, root, config, profile)
    from tgrag import asking, console
    from tgrag.search.caller import Caller
    from tgrag.search.written import parse_as_of

    request = read_request(
        question=question,
        collection=collection,
        mode=mode,
        books=book or [],
        as_of=parse_as_of(as_of),
        include_context=show_context,
    )
    live = None if as_json or not (sys.stdout.isatty() if stream is None else stream) else console.LiveText()
    caller = Caller(live.take if live else None)
    ask = partial(asking.over_http, url) if url else asking.in_process
    answer = ask(request, settings, caller)
    console.show(answer, console.answer_lines(answer, was_shown=live is not None), as_json)


@app.command(cls=Command, epilog="Example: tgrag --root s3://bucket/indexes serve")
def serve(
    ctx: typer.Context,
    host: Annotated[
        str | None,
        typer.Option(help="Beyond loopback it wants an API key (serve.api_keys) and Ray's token mode."),
    ] = None,
    port: Annotated[int | None, typer.Option(help="HTTP port.")] = None,
    address: Annotated[
        str | None,
        typer.Option(
            envvar="RAY_ADDRESS", help="A running Ray to deploy to; a local one is started without it."
        ),
    ] = None,
    root: Root = None,
    config: Config = None,
    profile: Profile = None,
) -> None:
    """Serve the HTTP API until Ctrl-C, on loopback unless told otherwise."""
    settings = read_settings(ctx, root, config, profile, serve={"host": host, "port": port})
    from tgrag import console
    from tgrag.serve.local import serve_until_interrupted

    serve_until_interrupted(settings, address, console.progress)


@app.command(cls=Command, epilog="Example: tgrag collections --json")
def collections(
    ctx: typer.Context,
    root: Root = None,
    config: Config = None,
    profile: Profile = None,
    as_json: AsJson = False,
) -> None:
    """List the collections and what is published in each."""
    found_catalog = open_catalog(read_settings(ctx, root, config, profile))
    from tgrag import console
    from tgrag.serve.listings import list_collections

    found = list_collections(found_catalog)
    console.show(found, console.collection_lines(found), as_json)


@app.command(cls=Command, epilog="Example: tgrag versions --collection library")
def versions(
    ctx: typer.Context,
    collection: Collection = None,
    root: Root = None,
    config: Config = None,
    profile: Profile = None,
    as_json: AsJson = False,
) -> None:
    """List the versions of a collection, newest first; * marks the published one."""
    found_catalog = open_catalog(read_settings(ctx, root, config, profile))
    from tgrag import console
    from tgrag.serve.listings import list_versions, only_collection

    found = list_versions(found_catalog, collection or only_collection(found_catalog))
    console.show(found, console.version_lines(found), as_json)


@app.command(cls=Command, epilog="Example: tgrag rollback --collection library")
def rollback(
    ctx: typer.Context,
    version: Annotated[
        str | None,
        typer.Argument(
            help="Version to publish again (its beginning is enough); the one before when left out."
        ),
    ] = None,
    collection: Collection = None,
    root: Root = None,
    config: Config = None,
    profile: Profile = None,
    as_json: AsJson = False,
) -> None:
    """Publish an earlier version again."""
    settings = read_settings(ctx, root, config, profile)
    name = collection_name(settings, collection)
    from tgrag import console
    from tgrag.index import run

    pointer = run.rollback(name, settings, version)
    console.show(pointer, [f"{name}: version {pointer.version_id} is published again"], as_json)


@app.command(cls=Command, epilog="Example: tgrag delete notes/secret.pdf --collection library --purge")
def delete(
    ctx: typer.Context,
    document: Annotated[str, typer.Argument(help="Its source, id or title, as `tgrag inspect` shows them.")],
    purge: Annotated[
        bool,
        typer.Option("--purge", help="Leave no byte of it: also in older versions and in the memo store."),
    ] = False,
    wait: Wait = None,
    collection: Collection = None,
    root: Root = None,
    config: Config = None,
    profile: Profile = None,
    as_json: AsJson = False,
) -> None:
    """Publish a version without a document."""
    settings = read_settings(ctx, root, config, profile, index={"wait_seconds": wait})
    name = collection_name(settings, collection)
    from tgrag import console
    from tgrag.index import run

    console.keep_output_for_facts()
    summary = run.delete(document, name, settings, console.progress, purge=purge)
    console.show(summary, summary.lines(), as_json)


@app.command(cls=Command, epilog="Example: tgrag gc --keep 3 --collection library")
def gc(
    ctx: typer.Context,
    keep: Annotated[
        int, typer.Option(min=1, metavar="N", help="Versions to keep: the published one and the newest.")
    ],
    collection: Collection = None,
    root: Root = None,
    config: Config = None,
    profile: Profile = None,
    as_json: AsJson = False,
) -> None:
    """Delete old versions, and stored answers that no version uses.

    What was paid for since the last publication stays, for the run that goes on.
    """
    settings = read_settings(ctx, root, config, profile)
    name = collection_name(settings, collection)
    from tgrag import console
    from tgrag.index import run

    report = run.collect_garbage(name, settings, keep)
    line = f"deleted {len(report.versions)} versions and {report.memo_objects} stored answers"
    console.show(report, [line, *(f"  version {version}" for version in report.versions)], as_json)


inspect = typer.Typer(
    cls=Group,
    invoke_without_command=True,
    rich_markup_mode=None,
    epilog="Example: tgrag inspect --collection library --json",
)
app.add_typer(inspect, name="inspect")
app.add_typer(prompts.app, name="prompts")
app.add_typer(dead_letters.app, name="dead-letters")


@inspect.callback()
def inspect_collection(
    ctx: typer.Context,
    version: Annotated[
        str | None,
        typer.Option(metavar="VERSION", help="Its beginning is enough; the published one when left out."),
    ] = None,
    collection: Collection = None,
    root: Root = None,
    config: Config = None,
    profile: Profile = None,
    as_json: AsJson = False,
) -> None:
    """Show a version: counts, health, documents with their series, and what failed. Or one file: `document`."""
    if ctx.invoked_subcommand:
        ctx.obj = Flags(root, config, profile).over(ctx.obj)
        return
    settings = read_settings(ctx, root, config, profile)
    found = open_collection(settings, collection)
    from tgrag import console

    version_id = found.version_beginning(version) if version else found.require_current().version_id
    inspection = console.Inspection(
        manifest=found.manifest(version_id), documents=found.documents(version_id)
    )
    console.show(inspection, console.inspection_lines(inspection), as_json)


inspect.command("entities", cls=Command, epilog=entities.INSPECT_EXAMPLE)(entities.inspect_entities)


@inspect.command(
    "document", cls=Command, epilog="Example: tgrag inspect document book.pdf --html > book.html"
)
def inspect_one_document(
    ctx: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="A local file or an s3:// address.")],
    as_html: Annotated[
        bool,
        typer.Option("--html", help="Print a page that shows the whole text, coloured by what became of it."),
    ] = False,
    root: Root = None,
    config: Config = None,
    profile: Profile = None,
    as_json: AsJson = False,
) -> None:
    """Show how a file is read and cut: its headings, what is left out and why, and its text units.

    Nothing is indexed and nothing is written.
    """
    if as_html and as_json:
        raise InvalidRequest("--html and --json are two forms of the same; choose one")
    settings = read_settings(ctx, root, config, profile)
    from tgrag.inspect.document import inspect_document

    found = inspect_document(file, settings)
    if as_html:
        from tgrag.inspect.page import document_page

        typer.echo(document_page(found), nl=False)
        return
    from tgrag import console
    from tgrag.inspect.lines import document_lines

    console.show(found, document_lines(found), as_json)
