"""How good an extraction is against a recorded one, through clusters of names: prompts and methods compared.

    python -m tgrag.evaluate.extraction FOLDER --method fast
    TGRAG_CHAT__BACKEND=openai … python -m tgrag.evaluate.extraction FOLDER --method llm

FOLDER: see ``tgrag.evaluate.recorded``. Entities are counted once a unit and cluster of names, relationships once a
unit and pair of clusters, whichever way they point.
"""

import argparse
import asyncio
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from tgrag.calls.ask import ask
from tgrag.calls.call import Call
from tgrag.calls.retry import retried
from tgrag.calls.slots import Slots, in_slot
from tgrag.console import table
from tgrag.evaluate.recorded import Clusters, Recorded, read_recorded
from tgrag.extract import fast
from tgrag.extract.llm import extraction_request, mend_message, read_graph, to_extraction
from tgrag.models.chat import CallFailed, ChatReply
from tgrag.models.chats import open_chat
from tgrag.records import Extraction, TextUnit
from tgrag.settings import Settings, load_settings

Thing = TypeVar("Thing")  # a cluster, or a pair of them


@dataclass(slots=True)
class Tallied:
    """extracted, recorded: how many; right: of those extracted; found: of those recorded."""

    extracted: int = 0
    recorded: int = 0
    right: int = 0
    found: int = 0

    @property
    def precision(self) -> float | None:
        return self.right / self.extracted if self.extracted else None

    @property
    def recall(self) -> float | None:
        return self.found / self.recorded if self.recorded else None

    @property
    def f1(self) -> float | None:
        p, r = self.precision, self.recall
        if p is None or r is None:
            return None
        return 2 * p * r / (p + r) if p + r else 0.0


@dataclass(slots=True)
class Score:
    """By type: what is extracted counts under the type it was given, what is recorded under the recorded one.

    same_type: pairs found with at least one type in common with the record.
    """

    entities: Tallied = field(default_factory=Tallied)
    entity_types: defaultdict[str, Tallied] = field(default_factory=lambda: defaultdict(Tallied))
    relationships: Tallied = field(default_factory=Tallied)
    relationship_types: defaultdict[str, Tallied] = field(default_factory=lambda: defaultdict(Tallied))
    same_type: int = 0

    def lines(self) -> list[str]:
        rows = [_row("entities", self.entities)]
        rows += [_row(f"  {name}", self.entity_types[name]) for name in sorted(self.entity_types)]
        rows += [_row("relationships", self.relationships)]
        rows += [_row(f"  {name}", self.relationship_types[name]) for name in sorted(self.relationship_types)]
        header = ("", "extracted", "recorded", "precision", "recall", "F1")
        found = self.relationships.found
        agreed = f"{self.same_type / found:.3f}" if found else "-"
        return [
            *table(header, rows),
            f"pairs found whose type agrees: {self.same_type} of {found} ({agreed})",
        ]


def score(extractions: Mapping[str, Extraction], recorded: Recorded) -> Score:
    """Compare extractions, by unit, with the record; a unit without one counts as one without entities."""
    total = Score()
    for unit in recorded.units:
        record = recorded.extractions[unit.text_unit_id]
        nothing = Extraction(unit.text_unit_id, (), ())
        _score_unit(extractions.get(unit.text_unit_id, nothing), record, recorded.clusters, total)
    return total


def _score_unit(extraction: Extraction, record: Extraction, clusters: Clusters, total: Score) -> None:
    wanted = _entities(record, clusters, ())
    given = _entities(extraction, clusters, wanted)
    _count(total.entities, total.entity_types, given, wanted)
    wanted_pairs = _pairs(record, clusters, wanted)
    given_pairs = _pairs(extraction, clusters, wanted)
    _count(total.relationships, total.relationship_types, given_pairs, wanted_pairs)
    total.same_type += sum(
        not given_pairs[pair].isdisjoint(wanted_pairs[pair])
        for pair in given_pairs.keys() & wanted_pairs.keys()
    )


def _count(
    total: Tallied,
    by_type: defaultdict[str, Tallied],
    given: Mapping[Thing, set[str]],
    wanted: Mapping[Thing, set[str]],
) -> None:
    for thing, types in given.items():
        for tally in (total, *(by_type[type] for type in types)):
            tally.extracted += 1
            tally.right += thing in wanted
    for thing, types in wanted.items():
        for tally in (total, *(by_type[type] for type in types)):
            tally.recorded += 1
            tally.found += thing in given


def _entities(
    extraction: Extraction, clusters: Clusters, expected: Container[str]
) -> defaultdict[str, set[str]]:
    types: defaultdict[str, set[str]] = defaultdict(set)
    for entity in extraction.entities:
        types[clusters.of(entity.name, expected)].add(entity.type)
    return types


def _pairs(
    extraction: Extraction, clusters: Clusters, expected: Container[str]
) -> defaultdict[frozenset[str], set[str]]:
    types: defaultdict[frozenset[str], set[str]] = defaultdict(set)
    for stated in extraction.relationships:
        ends = frozenset(clusters.of(name, expected) for name in (stated.source, stated.target))
        if len(ends) == 2:
            types[ends].add(stated.type)
    return types


def _row(name: str, tally: Tallied) -> tuple[str, ...]:
    shares = (tally.precision, tally.recall, tally.f1)
    return (
        name,
        str(tally.extracted),
        str(tally.recorded),
        *("-" if s is None else f"{s:.3f}" for s in shares),
    )


# --- what is compared ---------------------------------------------------------------------------------


def extract_fast(units: Iterable[TextUnit], settings: Settings) -> dict[str, Extraction]:
    return {
        unit.text_unit_id: fast.extract(unit.text_unit_id, unit.text, unit.language, settings.extract)
        for unit in units
    }


async def extract_llm(
    units: Sequence[TextUnit], settings: Settings
) -> tuple[dict[str, Extraction], Counter[str]]:
    """Ask the chat model of the settings about each unit. Returns extractions and, by reason, the units without."""
    model = open_chat(settings.chat)

    async def complete(call: Call) -> ChatReply:
        return await model.complete(call.request)

    slots = in_slot(complete, Slots(settings.chat.max_in_flight))
    handler = retried(slots, settings.chat.attempts, settings.chat.attempts * settings.chat.timeout_seconds)
    failed: Counter[str] = Counter()

    async def one(unit: TextUnit) -> Extraction | None:
        call = Call(extraction_request(unit, "", settings.extract), "extract", unit.document_id)
        try:
            answer = await ask(
                handler,
                call,
                read_graph,
                lambda fault: mend_message(fault, unit.language, settings.extract),
            )
        except CallFailed as error:
            failed[error.reason] += 1
            return None
        return to_extraction(unit.text_unit_id, [answer], unit.language)[0]

    try:
        found = await asyncio.gather(*(one(unit) for unit in units))
    finally:
        await model.close()
    return {extraction.text_unit_id: extraction for extraction in found if extraction}, failed


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tgrag.evaluate.extraction", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument(
        "folder", type=Path, help="with units.jsonl, extractions.jsonl, entity_resolution.json"
    )
    parser.add_argument("--method", choices=("fast", "llm"), default="fast")
    given = parser.parse_args(arguments)
    recorded, settings = read_recorded(given.folder), load_settings()
    failed: Counter[str] = Counter()
    if given.method == "fast":
        extractions = extract_fast(recorded.units, settings)
    else:
        extractions, failed = asyncio.run(extract_llm(recorded.units, settings))
    print(f"{given.method}: {len(extractions)} of {len(recorded.units)} units")
    for reason, n_units in failed.most_common():
        print(f"  {n_units} failed: {reason}")
    print("\n".join(score(extractions, recorded).lines()))


if __name__ == "__main__":
    main()
