"""The options that commands share, and how what is typed becomes settings and requests."""

import os
from dataclasses import dataclass
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from tgrag.errors import InvalidRequest
from tgrag.search.requests import QueryRequest
from tgrag.search.written import faults
from tgrag.settings import Settings, load_settings

Root = Annotated[
    str | None,
    typer.Option("--root", metavar="PLACE", help="Where indexes live: a folder or s3://bucket/prefix."),
]
Config = Annotated[
    str | None,
    typer.Option("--config", metavar="FILE", help="Settings file (YAML); tgrag.yaml if there is one."),
]
Profile = Annotated[
    str | None,
    typer.Option(
        "--profile",
        help="Set of defaults: lite (no GPU, no key), openai (a language model's server), h100 or cpu (models on Ray).",
    ),
]
Collection = Annotated[
    str | None,
    typer.Option("--collection", "-c", metavar="NAME", help="May be left out when the root has exactly one."),
]
Wait = Annotated[
    float | None,
    typer.Option(min=0, metavar="SECONDS", help="Wait so long for another run on the collection to end."),
]
AsJson = Annotated[
    bool,
    typer.Option("--json", help="Print JSON on standard output (an error: as JSON on standard error)."),
]


@dataclass(frozen=True, slots=True)
class Flags:
    """What was typed before the command; each command may say it again after its name."""

    root: str | None = None
    config: str | None = None
    profile: str | None = None

    def over(self, before: "Flags") -> "Flags":
        """Return these flags, and those typed before where one of these is missing."""
        return Flags(self.root or before.root, self.config or before.config, self.profile or before.profile)


def read_settings(
    context: typer.Context, root: str | None, config: str | None, profile: str | None, **flags: dict[str, Any]
) -> Settings:
    """Return the settings: flags after the command, flags before it, environment, file, profile.

    flags: sections as dicts of what was typed, None for what was not; they leave the rest of a section alone.
    """
    before = context.find_object(Flags) or Flags()
    named = config or before.config
    if named:
        os.environ["TGRAG_CONFIG"] = named  # where tgrag.settings looks, in this process and its children
    typed = {
        name: {key: value for key, value in section.items() if value is not None}
        for name, section in flags.items()
    }
    return load_settings(root=root or before.root, profile=profile or before.profile, **typed)


def read_request(**fields: Any) -> QueryRequest:
    """Return a request. Raises InvalidRequest that names what is wrong."""
    try:
        return QueryRequest(**fields)
    except ValidationError as error:
        raise InvalidRequest(faults(error)) from None
