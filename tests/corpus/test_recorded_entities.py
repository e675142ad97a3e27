"""Resolution of a strong model's recorded names against the clusters that a person made of them."""

import json

from tests.data import shared
from tgrag.evaluate.entities import score_pairs
from tgrag.evaluate.recorded import read_recorded
from tgrag.graph.components import components
from tgrag.graph.identity import merges
from tgrag.graph.resolve import resolve
from tgrag.graph.wishes import NO_WISHES, Wished
from tgrag.records import NEVER

RECALL = 0.57


def resolved() -> dict[str, str]:
    """Return for each name, as the model wrote it, the entity that stands for it at the end."""
    recorded = read_recorded(shared("recorded_ru"))
    found = resolve(recorded.units, recorded.extractions)
    rows = merges(recorded.units, recorded.extractions, found, Wished(NO_WISHES, found.entities.values()))
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
