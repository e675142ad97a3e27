"""Resolution of a strong model's recorded names against the clusters that a person made of them."""

import json

from tests.data import shared
from tgrag.evaluate.entities import score_pairs
from tgrag.evaluate.recorded import Recorded, read_recorded
from tgrag.graph.components import components
from tgrag.graph.identity import merges
from tgrag.graph.resolve import resolve
from tgrag.graph.wishes import NO_WISHES, Wished
from tgrag.records import NEVER, Merge

RECALL = 0.73


def who_is_who(recorded: Recorded, n_units: int) -> list[Merge]:
    """Return the merges of the text cut after so many units."""
    units = recorded.units[:n_units]
    found = resolve(units, recorded.extractions)
    return merges(units, recorded.extractions, found, Wished(NO_WISHES, found.entities.values()))


def resolved() -> dict[str, str]:
    """Return for each name, as the model wrote it, the entity that stands for it at the end."""
    recorded = read_recorded(shared("recorded_ru"))
    found = resolve(recorded.units, recorded.extractions)
    rows = who_is_who(recorded, len(recorded.units))
    standing = [m for m in rows if m.decision == "merge" and m.known_until == NEVER]
    one = components(found.entities, ((m.source_id, m.target_id) for m in standing))
    return {m.extracted.name: one[m.entity_id] for m in found.mentions}


def test_names_of_a_strong_model() -> None:
    stated = json.loads(shared("recorded_ru", "entity_resolution.json").read_text(encoding="utf-8"))
    told = resolved()
    score = score_pairs([cluster["forms"] for cluster in stated["clusters"]], told)
    assert not score.missing
    assert [pair for pair in stated["hard_negatives"] if told[pair[0]] == told[pair[1]]] == []
    assert score.precision >= 0.97, score.wrong
    assert score.recall >= RECALL, score.missed


def test_what_is_known_at_a_time_does_not_depend_on_what_comes_after() -> None:
    recorded = read_recorded(shared("recorded_ru"))
    whole = who_is_who(recorded, len(recorded.units))
    for last in range(len(recorded.units)):
        cut = who_is_who(recorded, last + 1)
        assert standing_at(whole, last) == standing_at(cut, last), f"at unit {last}"


def standing_at(rows: list[Merge], ordinal: int) -> set[tuple[str, str, str]]:
    return {
        (m.source_id, m.target_id, m.reason)
        for m in rows
        if m.decision == "merge" and m.known_from <= ordinal < m.known_until
    }
