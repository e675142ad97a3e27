"""How facts look on a terminal: pure functions from records to lines, and the two streams.

Facts go to standard output, progress and errors to standard error, so that output can be piped.
"""

import sys
from collections.abc import Iterable, Sequence
from typing import TextIO

import typer
from pydantic import BaseModel

from tgrag.errors import TgragError
from tgrag.index.manifest import Manifest
from tgrag.index.summary import decision_lines, extraction_lines, report_lines
from tgrag.records import Document
from tgrag.search.caller import Delta, Event, Restart
from tgrag.search.entities import EntityItem, EntityList, Timeline
from tgrag.search.labels import page_label
from tgrag.search.requests import Answer, Citation, ContextItem
from tgrag.serve.listings import CollectionList, VersionList
from tgrag.serve.replies import error_body

USAGE_STATUSES = (400, 422)  # what the caller can mend by asking otherwise

_kept: TextIO | None = None  # standard output, while only facts go there


def show(facts: BaseModel, lines: Iterable[str], as_json: bool) -> None:
    """Print facts as JSON or as lines."""
    kept = _kept if sys.stdout is sys.stderr else None
    typer.echo(facts.model_dump_json(indent=2) if as_json else "\n".join(lines), file=kept)


def keep_output_for_facts() -> None:
    """Send to standard error what others print from now on: Ray prints, from a thread of its own, who has died."""
    global _kept
    if sys.stdout is not sys.stderr:
        _kept, sys.stdout = sys.stdout, sys.stderr


def progress(line: str) -> None:
    typer.echo(line, err=True)


def fail(error: TgragError, as_json: bool) -> typer.Exit:
    """Print an error and return the exit: 2 when the request was wrong, 1 when something else was."""
    text = (
        error_body(error.code, error.message).model_dump_json()
        if as_json
        else f"error[{error.code}]: {error}"
    )
    typer.echo(text, err=True)
    return typer.Exit(2 if error.status in USAGE_STATUSES else 1)


class LiveText:
    """Prints an answer while it is written."""

    def take(self, event: Event) -> None:
        match event:
            case Delta():
                typer.echo(event.text, nl=False)
            case Restart():
                typer.echo("")
                progress("— the answer begins anew —")


def answer_lines(answer: Answer, was_shown: bool = False) -> list[str]:
    """Return an answer with its citations; without its text when that was printed while it was written."""
    lines = ["", ""] if was_shown else [answer.answer, ""]
    for citation in answer.citations:
        mark = "" if citation.verified else "  (not verified)"
        lines.append(f"[{citation.number}] {place(citation)}{mark}")
        quote = " ".join(citation.quote.split())
        if quote not in " ".join(answer.answer.split()):
            lines.append(f"    «{quote}»")
    lines += [f"note: {f.step}: {f.used} instead of {f.wanted} ({f.reason})" for f in answer.fall_backs]
    seconds = answer.timings.get("total", sum(answer.timings.values()))
    lines.append(f"{answer.collection} · version {answer.version} · {answer.mode} · {seconds:.2f} s")
    if answer.context is not None:
        lines += ["", "context:", *context_lines(answer.context)]
    return lines


def place(citation: Citation) -> str:
    """Return where a quote stands: document, book, chapter, pages, characters."""
    names = dict.fromkeys([citation.document, citation.book, citation.chapter])
    pages = page_label(citation.pages)
    return ", ".join(part for part in (*names, pages, f"characters {citation.start}–{citation.end}") if part)


def context_lines(items: Sequence[ContextItem]) -> list[str]:
    return [f"- {item.kind} [{item.label}] {item.text}" for item in items]


def entity_lines(found: EntityList) -> list[str]:
    rows = [
        (e.name, e.type, str(e.n_text_units), str(e.n_states), e.entity_id, ", ".join(e.aliases))
        for e in found.entities
    ]
    if not rows:
        return [f"no entity here; there are {found.total}" if found.total else "no entity is called so"]
    shown = f"{found.offset + 1}–{found.offset + len(rows)} of {found.total}"
    return [*table(("name", "type", "text units", "states", "id", "also"), rows), shown]


def timeline_lines(told: Timeline) -> list[str]:
    lines = [_headline(told.entity)]
    for state in told.states:
        lines += ["", f"{state.label}: {state.name}"]
        for item in state.descriptions:
            quote = " ".join(item.citation.quote.split())
            if item.text != item.citation.quote:
                lines.append(f"  {item.text}")
            lines.append(
                f"  «{quote}»  {place(item.citation)}{'' if item.citation.verified else '  (not verified)'}"
            )
    return [*lines, "", f"{len(told.states)} of {told.total} states"]


def _headline(entity: EntityItem) -> str:
    also = f", also {', '.join(entity.aliases)}" if entity.aliases else ""
    return f"{entity.name} ({entity.type}{also}) · {entity.series} · {entity.entity_id}"


def collection_lines(found: CollectionList) -> list[str]:
    if not found.collections:
        return ["no collections yet; make one with `tgrag index PATH --collection NAME`"]
    rows = [
        (item.name, item.current.version_id, item.current.published_at, item.current.reason)
        if item.current
        else (item.name, "nothing published yet", "", "")
        for item in found.collections
    ]
    return table(("collection", "version", "published", "by"), rows)


def version_lines(found: VersionList) -> list[str]:
    rows = [
        (
            "*" if version.current else "",
            version.version_id,
            version.created_at,
            str(version.n_documents),
            str(version.n_failed),
            str(version.n_text_units),
            str(version.n_entities),
        )
        for version in found.versions
    ]
    return table(("", "version", "created", "documents", "failed", "text units", "entities"), rows)


class Inspection(BaseModel):
    """What a version holds and how it is."""

    manifest: Manifest
    documents: list[Document]


def inspection_lines(found: Inspection) -> list[str]:
    manifest = found.manifest
    origins = {series.series_id: f"{series.title} ({series.origin})" for series in manifest.series}
    rows = [
        (
            document.status,
            document.source,
            origins.get(document.series_id, document.series_title),
            detail(document),
        )
        for document in found.documents
    ]
    lines = [f"{manifest.collection} · version {manifest.version_id} · {manifest.created_at}", ""]
    lines += table(("count", ""), [(name, str(count)) for name, count in manifest.counts.items()])
    lines += extraction_lines(manifest.extraction)
    lines += decision_lines(manifest.decisions)
    lines += report_lines(manifest.reports)
    lines += ["", *table(("health", ""), [(n, str(v)) for n, v in manifest.health.model_dump().items()])]
    lines += ["", *table(("status", "document", "series", ""), rows)]
    letters = [(d.stage, d.source, d.reason, f"{d.attempts} attempts") for d in manifest.dead_letters]
    return [*lines, "", *table(("dead letter", "document", "reason", ""), letters)] if letters else lines


def detail(document: Document) -> str:
    return document.reason or "; ".join([f"{document.n_text_units} text units", *document.warnings])


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return aligned columns, two spaces apart."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in (header, *rows)
    ]
