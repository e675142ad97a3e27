"""``tgrag evaluate``: question sets indexed, asked in several modes, and scored."""

import json
from pathlib import Path
from typing import Annotated

import typer

from tgrag.errors import InvalidRequest
from tgrag.options import Config, Profile, Root, Wait, read_settings

EXAMPLE = (
    "A set is a folder with questions.jsonl and its texts (corpus.jsonl, books/ or pdf/). Each is indexed once into a "
    "collection of the root named after the set and its texts, which stays there: a later run embeds only what "
    "changed, and --no-index asks the published version as it is. "
    "Example: tgrag evaluate --data sets/made_ru sets/musique_en --modes classic,classic-wide,temporal "
    "--root evaluation --json figures.json"
)


def evaluate(
    ctx: typer.Context,
    more: Annotated[
        list[str] | None, typer.Argument(metavar="[DIR]...", help="More folders after --data.")
    ] = None,
    data: Annotated[
        list[str] | None,
        typer.Option("--data", metavar="DIR", help="A folder of questions and texts; repeatable."),
    ] = None,
    modes: Annotated[
        str,
        typer.Option(metavar="MODE,…", help="Of classic, temporal, classic-wide, dense."),
    ] = "classic,temporal",
    json_file: Annotated[
        str | None, typer.Option("--json", metavar="FILE", help="Write the figures as JSON.")
    ] = None,
    parquet: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write every single result as Parquet.")
    ] = None,
    html: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write a report with plots, one file that needs no other."),
    ] = None,
    earlier: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="FILE",
            help="Set beside the Parquet file of an earlier run; repeatable. Without --data: compare only these.",
        ),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Ask so many questions of a set, drawn by --seed.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the draw for --limit.")] = 0,
    types: Annotated[
        str | None,
        typer.Option(
            metavar="TYPE,…", help="Ask only questions of these types (order_pairs: pairs of events)."
        ),
    ] = None,
    within: Annotated[
        bool, typer.Option("--within", help="Ask each question of its own book only, where the set names it.")
    ] = False,
    answers: Annotated[
        bool, typer.Option(help="Ask for answers too; without, only what is retrieved is scored.")
    ] = True,
    judge: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MODEL",
            help="Let this model of the chat section's server judge the answers; repeatable, two say whether they agree.",
        ),
    ] = None,
    index: Annotated[
        bool, typer.Option(help="Index first what changed; without, the published versions are asked.")
    ] = True,
    wait: Wait = None,
    root: Root = None,
    config: Config = None,
    profile: Profile = None,
) -> None:
    """Measure retrieval and answers on question sets, with 95 % intervals, and compare modes."""
    settings = read_settings(ctx, root, config, profile, index={"wait_seconds": wait})
    folders = [Path(folder) for folder in (*(data or ()), *(more or ()))]
    if not folders and not earlier:
        raise InvalidRequest("name a folder of questions with --data, or results of earlier runs with --with")
    if judge and not answers:
        raise InvalidRequest("--judge goes with answers, not with --no-answers")
    from tgrag import console
    from tgrag.evaluate.modes import known_modes
    from tgrag.evaluate.page import report_page
    from tgrag.evaluate.results import joined, write_parquet
    from tgrag.evaluate.run import Options, evaluate
    from tgrag.evaluate.summary import figures, lines
    from tgrag.models.embedders import open_embedder

    options = Options(
        modes=known_modes(_names(modes)),
        limit=limit,
        types=_names(types or ""),
        seed=seed,
        index=index,
        answers=answers,
        within=within,
        judges=tuple(judge or ()),
    )
    results = evaluate(folders, settings, options, open_embedder(settings), console.progress)
    if parquet:
        write_parquet(results, Path(parquet))
    results = joined(results, map(Path, earlier or ()))
    if json_file:
        Path(json_file).write_text(
            json.dumps(figures(results), ensure_ascii=False, indent=1), encoding="utf-8"
        )
    if html:
        Path(html).write_text(report_page(results), encoding="utf-8")
    typer.echo("\n".join(lines(results)))


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())
