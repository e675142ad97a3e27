"""``tgrag prompts``: what is sent to a chat model, to be read and checked by a person."""

import json
from typing import Annotated

import typer

from tgrag.options import AsJson

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Show and check the prompts.",
    epilog="Example: tgrag prompts show extract_graph --language uk",
)


@app.command(epilog="Example: tgrag prompts show answer_strict --language ru")
def show(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Such as extract_graph; see `tgrag prompts check`.")
    ],
    language: Annotated[str, typer.Option("--language", "-l", help="ru, uk or en.")] = "en",
    as_json: AsJson = False,
) -> None:
    """Show a prompt, rendered with its samples."""
    from tgrag.prompts import NAMES, prompt
    from tgrag.records import LANGUAGES

    named = next((known for known in NAMES if known == name), None)
    if named is None:
        raise typer.BadParameter(
            f"there is no prompt {name!r}; there are {', '.join(NAMES)}", param_hint="NAME"
        )
    spoken = next((known for known in LANGUAGES if known == language), None)
    if spoken is None:
        raise typer.BadParameter(f"there are {', '.join(LANGUAGES)}", param_hint="--language")
    messages = prompt(named, spoken).sample()
    if as_json:
        rows = [{"role": message.role, "content": message.content} for message in messages]
        typer.echo(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    typer.echo("\n\n".join(f"[{message.role}]\n{message.content}" for message in messages))


@app.command(epilog="Example: tgrag prompts check")
def check() -> None:
    """Check every prompt in every language: variables, size, the schema of its answer. Exit code 1 on a fault."""
    from tgrag.console import table
    from tgrag.prompt_check import check_files

    found = check_files()
    rows = [
        (c.name, c.language, str(c.tokens or "-"), str(c.max_tokens or "-"), "fault" if c.faults else "ok")
        for c in found
    ]
    typer.echo("\n".join(table(("prompt", "language", "tokens", "at most", ""), rows)))
    faults = [f"{c.language}/{c.name}.md: {fault}" for c in found for fault in c.faults]
    for fault in faults:
        typer.echo(fault, err=True)
    if faults:
        raise typer.Exit(1)
