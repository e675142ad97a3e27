"""What a run did, for a person and for a program."""

from collections.abc import Mapping, Sequence

from pydantic import BaseModel

from tgrag.index.manifest import (
    DecisionCounts,
    ExtractionCounts,
    Manifest,
    ReportCounts,
    SeriesInfo,
    StageCost,
)
from tgrag.records import DeadLetter, Document

LISTED = 10  # names shown of each kind


class Changes(BaseModel):
    """Sources by what became of them since the version before.

    A failed file is in ``failed`` as well as in one of added, changed and unchanged: it is a document without text.
    """

    added: list[str] = []
    changed: list[str] = []
    unchanged: list[str] = []
    deleted: list[str] = []
    failed: dict[str, str] = {}  # source -> reason
    warnings: dict[str, list[str]] = {}  # source -> what of an indexed file could not be read


def changes_between(before: Sequence[Document], documents: Sequence[Document]) -> Changes:
    """Return what became of the sources of one version in the next."""
    old = {document.source: document.content_hash for document in before}
    changes = Changes()
    for document in sorted(documents, key=lambda d: d.source):
        if document.source not in old:
            changes.added.append(document.source)
        elif old[document.source] != document.content_hash:
            changes.changed.append(document.source)
        else:
            changes.unchanged.append(document.source)
        if document.reason:
            changes.failed[document.source] = document.reason
        elif document.warnings:
            changes.warnings[document.source] = list(document.warnings)
    changes.deleted = sorted(set(old) - {document.source for document in documents})
    return changes


class Summary(BaseModel):
    """noop: the published version already had this recipe and nothing was outstanding."""

    collection: str
    version_id: str
    noop: bool
    changes: Changes
    series: list[SeriesInfo]
    counts: dict[str, int]
    extraction: ExtractionCounts
    decisions: DecisionCounts
    reports: ReportCounts
    stages: dict[str, StageCost]
    dead_letters: list[DeadLetter]
    seconds: float
    purged_objects: int | None = None
    purged_versions: int | None = None

    def lines(self) -> list[str]:
        """Return the summary for a person, one line a fact."""
        changes = self.changes
        lines = []
        if self.noop:
            lines.append(
                f"nothing to do: version {self.version_id} of {self.collection!r} is up to date, all re-used"
            )
        lines.append(
            f"documents: {len(changes.added)} added, {len(changes.changed)} changed, "
            f"{len(changes.unchanged)} unchanged, {len(changes.deleted)} deleted; "
            f"{len(changes.failed)} failed, counted among these"
        )
        for kind in ("added", "changed", "deleted"):
            lines += [f"  {kind} {source}" for source in _some(getattr(changes, kind))]
        lines += [f"  failed {item}" for item in _some([f"{s}: {why}" for s, why in changes.failed.items()])]
        lines += [
            f"  warning {item}"
            for item in _some([f"{s}: {w}" for s, several in changes.warnings.items() for w in several])
        ]
        lines += _some([f"series {s.title!r} (from {s.origin}): {_books(s.books)}" for s in self.series])
        if not self.noop:
            for name, cost in self.stages.items():
                calls = (
                    f", {cost.calls} calls made, {cost.saved} saved by the memo"
                    if cost.calls or cost.saved
                    else ""
                )
                failed = f", {cost.failed} dead letters" if cost.failed else ""
                lines.append(f"stage {name}: {cost.seconds:.1f} s{calls}{_tokens(cost)}{failed}")
        lines.append(
            ", ".join(
                f"{self.counts[name]:,} {name.replace('_', ' ')}"
                for name in ("text_units", "entities", "entity_states", "relationships", "communities")
            )
        )
        lines += extraction_lines(self.extraction)
        lines += decision_lines(self.decisions)
        lines += report_lines(self.reports)
        lines += anew_lines(self.stages, self.extraction.llm, self.reports.llm)
        if self.dead_letters:
            lines.append(
                f"{len(self.dead_letters)} dead letters; `tgrag dead-letters list` shows their reasons"
            )
        if self.purged_objects is not None:
            lines.append(f"purged {self.purged_versions} versions and {self.purged_objects} memo objects")
        if not self.noop:
            lines.append(
                f"published version {self.version_id} of {self.collection!r} in {self.seconds:.1f} s"
            )
        return lines


def extraction_lines(extraction: ExtractionCounts) -> list[str]:
    """Say what was extracted how; nothing where no language model is used."""
    if not extraction.llm and not extraction.waiting and not extraction.failed:
        return []
    lines = [f"extraction: {extraction.llm:,} text units by language model, {extraction.fast:,} fast"]
    if extraction.stubs or extraction.dropped:
        lines.append(
            f"  {extraction.stubs:,} entities added as ends of relationships, {extraction.dropped:,} unusable items "
            "of answers dropped"
        )
    if extraction.partial:
        lines.append(f"  partial: {extraction.waiting:,} text units wait for calls; run again to go on")
    return lines


def decision_lines(decisions: DecisionCounts) -> list[str]:
    """Say what a language model decided on who is who; nothing where it was not asked."""
    if decisions == DecisionCounts():
        return []
    lines = [
        f"who is who: {decisions.same:,} pairs of names one, {decisions.different:,} different, "
        f"{decisions.unclear:,} unclear by language model"
    ]
    if decisions.partial:
        lines.append(f"  partial: {decisions.waiting:,} decisions wait for calls; run again to go on")
    return lines


def report_lines(reports: ReportCounts) -> list[str]:
    """Say what the windows have; nothing where no language model is used."""
    if not reports.llm and not reports.waiting and not reports.failed:
        return []
    lines = [f"reports: {reports.llm:,} windows by language model, {reports.extractive:,} extractive"]
    if reports.partial:
        lines.append(f"  partial: {reports.waiting:,} reports wait for calls; run again to go on")
    return lines


def anew_lines(stages: Mapping[str, StageCost], n_extractions: int, n_reports: int) -> list[str]:
    """Say what an edit has made anew by language model, and why; nothing of a run that has made all there is."""
    extract, reports = (stages.get(name, StageCost(seconds=0)) for name in ("extract", "reports"))
    lines = []
    if 0 < extract.anew < n_extractions:
        lines.append(f"{extract.anew:,} of {n_extractions:,} extractions made anew")
    if 0 < reports.anew < n_reports or reports.changed or reports.moved:
        reasons = []
        if reports.changed:
            reasons.append(f"{reports.changed:,} because their units changed")
        if reports.moved:
            reasons.append(f"{reports.moved:,} because the number of units before them changed")
        why = f": {', '.join(reasons)}" if reasons else ""
        lines.append(f"{reports.anew:,} of {n_reports:,} reports made anew{why}")
    return lines


def summary_of(manifest: Manifest, changes: Changes, seconds: float, *, noop: bool = False) -> Summary:
    return Summary(
        collection=manifest.collection,
        version_id=manifest.version_id,
        noop=noop,
        changes=changes,
        series=manifest.series,
        counts=manifest.counts,
        extraction=manifest.extraction,
        decisions=manifest.decisions,
        reports=manifest.reports,
        stages={} if noop else manifest.stages,
        dead_letters=manifest.dead_letters,
        seconds=seconds,
    )


def _tokens(cost: StageCost) -> str:
    if not cost.tokens_in and not cost.tokens_out:
        return ""
    mended = f", {cost.repaired} repaired, {cost.halved} halved" if cost.repaired or cost.halved else ""
    return f", {cost.tokens_in:,} tokens in, {cost.tokens_out:,} out{mended}"


def _some(items: list[str]) -> list[str]:
    more = [f"  … and {len(items) - LISTED} more"] if len(items) > LISTED else []
    return [*items[:LISTED], *more]


def _books(titles: list[str]) -> str:
    if len(titles) == 1:
        return "1 book" if not titles[0] else f"1 book, {titles[0]}"
    return f"{len(titles)} books, {titles[0]} … {titles[-1]}"
