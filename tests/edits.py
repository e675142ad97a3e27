"""What an edited sentence costs: a book, edited at random, through extraction and reports with a mock server."""

import random
import shutil
import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.mock_llm import Running, probe
from tgrag.chunk import chunk
from tgrag.chunk.sentences import sentences
from tgrag.extract.keys import lemma_key
from tgrag.graph.build import build
from tgrag.graph.order import PlacedChunks, text_units
from tgrag.graph.windows import WindowSpan, window_spans
from tgrag.hashing import stable_hash
from tgrag.index.asking import Asking
from tgrag.index.extraction import Extracted, extract_units
from tgrag.index.manifest import StageCost
from tgrag.index.plan import Plan
from tgrag.index.reports import Before, Reported, report_windows
from tgrag.ingest.collection import ParsedSource, place
from tgrag.ingest.parse import parse
from tgrag.records import TextUnit
from tgrag.settings import Settings, load_settings
from tgrag.store.root import open_root

NEW_NAME = "Звездочётов"


@dataclass(frozen=True)
class Version:
    units: list[TextUnit]
    extracted: Extracted
    reported: Reported
    extract: StageCost
    reports: StageCost

    @property
    def spans(self) -> list[WindowSpan]:
        return list(window_spans(self.units, Settings().windows))


@dataclass(frozen=True)
class Edit:
    """What one edit cost. touched: windows that hold a new text unit. same_number: of text units, as before."""

    extractions: int
    reports: int
    moved: int
    touched: int
    same_number: bool


class Book:
    """One book on a root of its own; ``version`` indexes a text of it and asks only what is not stored."""

    def __init__(self, folder: Path, mock: Running) -> None:
        chat = {"model": "mock", "base_url": mock.base_url}
        self.settings = load_settings(root=str(folder), profile="openai", chat=chat)

    def version(self, text: str, before: Version | None = None) -> Version:
        parsed = parse("book.txt", text.encode())
        (placement,) = place([ParsedSource("book.txt", parsed)], None)
        document_id = stable_hash("document", "book.txt")
        cut = chunk(document_id, parsed, placement.language, self.settings.chunk)
        units = text_units([PlacedChunks(document_id, placement, cut)])
        root, plan = open_root(self.settings.root), Plan()
        asking = Asking(root, "c", self.settings, {document_id: "book.txt"}, lambda line: None)
        extract, reports = StageCost(seconds=0), StageCost(seconds=0)
        extracted = extract_units(units, asking, plan, extract)
        windows = Version(units, extracted, Reported([]), extract, reports).spans
        known = Before(
            {unit.text_unit_id for unit in before.units} if before else frozenset(),
            {span.community_id for span in before.spans} if before else frozenset(),
        )
        communities = build(units, extracted.extractions, self.settings.windows).communities
        assert [c.community_id for c in communities] == [span.community_id for span in windows]
        found = report_windows(communities, units, extracted, asking, plan, lambda: known, reports)
        return Version(units, extracted, found, extract, reports)


def edits(text: str, n: int, seed: int) -> Iterator[str]:
    """Return the text with one sentence of it edited, n times: a word changed, words added, or cut to its beginning."""
    spans = [span for span in sentences(text, "ru") if len(text[slice(*span)].split()) > 5]
    draw = random.Random(seed)
    for number, (start, end) in enumerate(draw.sample(spans, n)):
        words = text[start:end].split(" ")
        place = draw.randrange(1, len(words) - 1)
        match number % 3:
            case 0:
                words[place] = NEW_NAME
            case 1:
                words.insert(place, f"(так говорил {NEW_NAME} много лет спустя)")
            case 2:
                words = [*words[:2], "ушёл."]
        yield text[:start] + " ".join(words) + text[end:]


def costs(folder: Path, text: str, n: int, mock: Running, seed: int = 7) -> list[Edit]:
    """Edit a book n times, each time from its first text; what is asked is checked against the windows touched."""
    first = Book(folder / "first", mock).version(text)
    ids = {unit.text_unit_id for unit in first.units}
    result = []
    for number, edited in enumerate(edits(text, n, seed)):
        shutil.copytree(folder / "first", folder / str(number))
        mock.reset()
        version = Book(folder / str(number), mock).version(edited, before=first)
        stats = mock.stats()
        new = {unit.text_unit_id for unit in version.units} - ids
        touched = sum(any(unit.text_unit_id in new for unit in span.units) for span in version.spans)
        assert stats["requests"] == version.extract.calls + version.reports.calls
        assert version.extract.calls == len(new), "a text unit that stays is not asked about again"
        assert version.reports.changed == touched
        assert version.reports.anew == touched + version.reports.moved
        assert not version.reports.moved or len(version.units) != len(first.units)
        assert_nothing_stale(first, version)
        result.append(
            Edit(
                version.extract.calls,
                version.reports.calls,
                version.reports.moved,
                touched,
                len(version.units) == len(first.units),
            )
        )
    return result


def assert_nothing_stale(before: Version, after: Version) -> None:
    """What only a text unit said that is gone is in no extraction; every report is of the windows as they are."""
    gone = {unit.text for unit in before.units} - {unit.text for unit in after.units}
    stale = {probe(text) for text in gone}
    said = {
        lemma_key(entity.name, entity.type, "ru")
        for extraction in after.extracted.extractions.values()
        for entity in extraction.entities
    }
    assert gone and not said & {lemma_key(name, "EVENT", "ru") for name in stale}
    assert all(window.report for window in after.reported.communities)


def told(name: str, book: list[Edit]) -> str:
    """Return the figures in a line for a person."""
    of = {
        what: [getattr(edit, what) for edit in book]
        for what in ("extractions", "reports", "touched", "moved")
    }
    parts = [f"{what} median {statistics.median(v):g} worst {max(v)}" for what, v in of.items()]
    n_other = sum(not edit.same_number for edit in book)
    return f"{name}: {len(book)} edits, {n_other} change the number of units; {'; '.join(parts)}"
