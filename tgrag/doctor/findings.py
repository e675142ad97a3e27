"""What a check says: ok, a warning, or a failure, and what to do about it."""

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, Field

Status = Literal["ok", "warning", "failed"]


class Finding(BaseModel):
    check: str
    status: Status
    found: str = Field(description="what was observed")
    advice: str = Field("", description="what to do; empty when all is well")


class Diagnosis(BaseModel):
    status: Status = Field(description="the worst of the findings")
    findings: list[Finding]


def ok(check: str, found: str) -> Finding:
    return Finding(check=check, status="ok", found=found)


def warning(check: str, found: str, advice: str) -> Finding:
    return Finding(check=check, status="warning", found=found, advice=advice)


def failed(check: str, found: str, advice: str) -> Finding:
    return Finding(check=check, status="failed", found=found, advice=advice)


def diagnosis(findings: Sequence[Finding]) -> Diagnosis:
    ranks: tuple[Status, ...] = ("ok", "warning", "failed")
    worst = max((ranks.index(finding.status) for finding in findings), default=0)
    return Diagnosis(status=ranks[worst], findings=list(findings))


def lines(told: Diagnosis) -> list[str]:
    """Return the findings for a terminal, what to do below each that is not well."""
    width = max((len(finding.check) for finding in told.findings), default=0)
    shown = []
    for finding in told.findings:
        shown.append(f"{finding.status:7}  {finding.check:{width}}  {finding.found}")
        if finding.advice:
            shown.append(f"{'':7}  {'':{width}}  → {finding.advice}")
    counts = {status: sum(f.status == status for f in told.findings) for status in ("failed", "warning")}
    return [*shown, f"{len(told.findings)} checks: {counts['failed']} failed, {counts['warning']} warnings"]
