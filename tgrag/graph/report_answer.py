"""What the prompt ``community_report`` is answered with: its model, its bounded schema, and how it is read."""

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from tgrag.json_answers import Schema, most_tokens, read_object, record, text
from tgrag.models.chat import InvalidAnswer
from tgrag.settings import ReportSettings

TITLE_CHARACTERS = 120
SUMMARY_CHARACTERS = 600
REPORT_CHARACTERS = 3_000

Text = Annotated[str, BeforeValidator(lambda value: value.strip() if isinstance(value, str) else value)]


class CommunityReport(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    title: Text = Field(min_length=1)
    summary: Text = Field(min_length=1)
    report: Text = Field(min_length=1)


def report_schema(settings: ReportSettings) -> Schema:
    """Return the JSON schema of an answer, its strings so bounded that the longest fits ``max_answer_tokens``."""
    room = settings.max_answer_tokens - most_tokens(_schema(0, 0, 0))
    title = min(TITLE_CHARACTERS, room // 10)
    summary = min(SUMMARY_CHARACTERS, room // 4)
    return _schema(title, summary, min(REPORT_CHARACTERS, room - title - summary))


def _schema(title: int, summary: int, report: int) -> Schema:
    return record(title=text(title), summary=text(summary), report=text(report))


def read_report(answer: str) -> CommunityReport:
    """Read a model's answer. Raises InvalidAnswer, saying what to mend."""
    try:
        return CommunityReport.model_validate(read_object(answer))
    except ValidationError as error:
        faults = "; ".join(f"{fault['loc'][0]}: {fault['msg']}" for fault in error.errors())
        raise InvalidAnswer(faults) from None
