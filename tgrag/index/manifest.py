"""What a version says of itself, and the small records around versions."""

from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel, ConfigDict

from tgrag.graph.health import Health
from tgrag.ingest.collection_file import CollectionFile
from tgrag.records import DeadLetter

SCHEMA_VERSION = 5  # raise when tables or files of a version change incompatibly

ANSWERS = "data/answers.parquet"  # of versions that use a language model's answers


def now() -> str:
    """Return the present time, ISO 8601 in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class StageCost(BaseModel):
    """calls: costly calls made; saved: answers taken from the memo store; failed: dead letters of the stage.

    Of language models: attempts: requests that the model saw, retries included; tokens_in, tokens_out: of the calls
    made; repaired: answers that had to be mended; halved: answers that were cut off, so that less was asked;
    anew: text units or windows that were finished by calls of this run. Of such windows, changed: a text unit in them
    is new; moved: they begin or end at another one of the same text units, as the number of these in a book changed.
    """

    seconds: float
    calls: int = 0
    saved: int = 0
    failed: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    repaired: int = 0
    halved: int = 0
    attempts: int = 0
    anew: int = 0
    changed: int = 0
    moved: int = 0


class ExtractionCounts(BaseModel):
    """How many text units were extracted by language model and how many fast.

    Of the fast ones, failed: with a dead letter; waiting: with calls that another run makes (a budget was used up, or
    a failure may pass). dropped: items of answers that could not be used; stubs: entities that only a relationship names.
    """

    llm: int = 0
    fast: int = 0
    failed: int = 0
    waiting: int = 0
    dropped: int = 0
    stubs: int = 0

    @property
    def partial(self) -> bool:
        return self.waiting > 0


class DecisionCounts(BaseModel):
    """What a language model decided about pairs of names that the rules leave open.

    failed: with a dead letter; waiting: with a call that another run makes. Of both the rules stand.
    """

    same: int = 0
    different: int = 0
    unclear: int = 0
    failed: int = 0
    waiting: int = 0

    @property
    def partial(self) -> bool:
        return self.waiting > 0


class ReportCounts(BaseModel):
    """How many windows have a report by language model and how many an extractive summary.

    Of the extractive ones, failed: with a dead letter; waiting: with calls that another run makes, of its own or of its
    text units.
    """

    llm: int = 0
    extractive: int = 0
    failed: int = 0
    waiting: int = 0

    @property
    def partial(self) -> bool:
        return self.waiting > 0


class SeriesInfo(BaseModel):
    """origin: where the series comes from, see records.Document.series_origin."""

    series_id: str
    title: str
    origin: str
    books: list[str]


class Manifest(BaseModel):
    """files: digest of each file of the version, by path below it.

    collection_file: what collection.yaml files state, kept so that a document can be placed without its folder.
    """

    model_config = ConfigDict(extra="forbid")

    schema_version: int = SCHEMA_VERSION
    tgrag_version: str
    collection: str
    version_id: str
    recipe_id: str
    parent: str | None
    created_at: str
    settings: dict[str, Any]
    files: dict[str, str]
    embedder: dict[str, Any]
    collection_file: CollectionFile | None
    series: list[SeriesInfo]
    counts: dict[str, int]
    extraction: ExtractionCounts = ExtractionCounts()
    decisions: DecisionCounts = DecisionCounts()
    reports: ReportCounts = ReportCounts()
    health: Health
    stages: dict[str, StageCost]
    dead_letters: list[DeadLetter]

    @property
    def partial(self) -> bool:
        """Say whether calls are left for another run."""
        return self.extraction.partial or self.decisions.partial or self.reports.partial


class Pointer(BaseModel):
    """Which version is published. number grows by one with each publication; reason: index, delete or rollback."""

    number: int
    version_id: str
    published_at: str
    reason: str


class VersionInfo(BaseModel):
    version_id: str
    created_at: str
    current: bool
    n_documents: int
    n_failed: int
    n_text_units: int
    n_entities: int
