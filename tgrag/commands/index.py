"""``tgrag index``: a run, what it would cost, and its calls as a batch file."""

import math
import time
from typing import Annotated

import typer

from tgrag.errors import InvalidRequest
from tgrag.options import AsJson, Config, Profile, Root, Wait, read_settings

EXAMPLE = "Example: tgrag index books/ notes/*.pdf --collection library"


def index(
    ctx: typer.Context,
    paths: Annotated[list[str], typer.Argument(metavar="PATH…", help="Files, folders or globs.")],
    collection: Annotated[
        str, typer.Option("--collection", "-c", metavar="NAME", help="Made when it is new.")
    ],
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Try again also what has failed for good.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Count calls and tokens of the language model; call nothing.")
    ] = False,
    tokens_per_second: Annotated[
        float | None,
        typer.Option(
            min=0.1,
            metavar="N",
            help="For --dry-run: tokens the model writes, of all calls in flight together; as in the last run "
            "without it.",
        ),
    ] = None,
    max_calls: Annotated[
        int | None,
        typer.Option(
            min=0, metavar="N", help="Make (or write) so many calls at most, then publish what there is."
        ),
    ] = None,
    max_tokens: Annotated[
        int | None,
        typer.Option(min=0, metavar="N", help="Begin no call after so many tokens, in and out together."),
    ] = None,
    max_seconds: Annotated[
        float | None, typer.Option(min=0, metavar="N", help="Begin no call so many seconds after the start.")
    ] = None,
    write_batch: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write the pending calls as an OpenAI batch file, and stop."),
    ] = None,
    read_batch: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Take in the output of a batch, call nothing, publish. With --write-batch: write what is still "
            "pending instead.",
        ),
    ] = None,
    wait: Wait = None,
    workers: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Parallel workers a stage; all CPUs without it.")
    ] = None,
    own_engines: Annotated[
        bool,
        typer.Option(
            "--own-engines",
            help="Start vLLM's engines inside the workers (profiles h100 and cpu); their GPUs are free again afterwards.",
        ),
    ] = False,
    root: Root = None,
    config: Config = None,
    profile: Profile = None,
    as_json: AsJson = False,
) -> None:
    """Index documents and publish the result as a new version. Only what changed is parsed, asked and embedded."""
    begun = time.time()
    settings = read_settings(
        ctx,
        root,
        config,
        profile,
        index={"wait_seconds": wait, "workers": workers, "own_engines": own_engines},
    )
    if dry_run and (write_batch or read_batch):
        raise InvalidRequest("--dry-run goes with neither --write-batch nor --read-batch")
    if write_batch and not (max_tokens is None and max_seconds is None):
        raise InvalidRequest("--write-batch calls nothing: of the limits, only --max-calls goes with it")
    for limit in (tokens_per_second, max_seconds):
        if limit is not None and not math.isfinite(limit):
            raise InvalidRequest(f"{limit} is no number of seconds or of tokens")
    from tgrag import console
    from tgrag.index import run
    from tgrag.index.batch import Written
    from tgrag.index.budget import Budget
    from tgrag.index.plan import Plan

    until = None if max_seconds is None else begun + max_seconds
    plan = Plan(Budget(max_calls, max_tokens, until), retry_failed, read_batch)
    console.keep_output_for_facts()
    if dry_run:
        estimate = run.estimate(
            paths, collection, settings, console.progress, tokens_per_second, retry_failed
        )
        console.show(estimate, estimate.lines(), as_json)
    elif write_batch:
        n_calls = run.write_batch(paths, collection, settings, console.progress, write_batch, plan)
        written = Written(file=write_batch, calls=n_calls)
        console.show(written, written.lines(), as_json)
    else:
        summary = run.index(paths, collection, settings, console.progress, plan)
        console.show(summary, summary.lines(), as_json)
