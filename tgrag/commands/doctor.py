"""``tgrag doctor``: is everything there that the settings ask for?"""

from typing import Annotated

import typer

from tgrag.options import AsJson, Config, Profile, Root, read_settings

EXAMPLE = "Example: tgrag --root s3://bucket/indexes doctor --address HEAD:6379"


def doctor(
    ctx: typer.Context,
    address: Annotated[
        str | None,
        typer.Option(envvar="RAY_ADDRESS", help="A running Ray, whose nodes are checked too."),
    ] = None,
    root: Root = None,
    config: Config = None,
    profile: Profile = None,
    as_json: AsJson = False,
) -> None:
    """Check this machine, the root and the cluster, and say what to do. Exit code 1 when something failed."""
    settings = read_settings(ctx, root, config, profile)
    from tgrag import console
    from tgrag.doctor.findings import lines
    from tgrag.doctor.run import diagnose

    console.keep_output_for_facts()
    told = diagnose(settings, address)
    console.show(told, lines(told), as_json)
    if told.status == "failed":
        raise typer.Exit(1)
