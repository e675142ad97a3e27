"""Resolution of a strong model's recorded names against the clusters that a person made of them."""

import json
from collections.abc import Sequence

from tests.data import shared
from tgrag.evaluate.entities import score_pairs
from tgrag.evaluate.recorded import Recorded, read_recorded
from tgrag.graph.components import components
from tgrag.graph.doubts import Decided, Doubt
from tgrag.graph.identity import doubts, merges
from tgrag.graph.resolve import resolve
from tgrag.graph.wishes import NO_WISHES, Wished
from tgrag.records import NEVER, Merge

RECALL = 0.73


def who_is_who(recorded: Recorded, n_units: int, decided: Sequence[Decided] = ()) -> list[Merge]:
    """Return the merges of the text cut after so many units."""
    units = recorded.units[:n_units]
    found = resolve(units, recorded.extractions)
    return merges(units, recorded.extractions, found, Wished(NO_WISHES, found.entities.values()), decided)


def resolved() -> dict[str, str]:
    """Return for each name, as the model wrote it, the entity that stands for it at the end."""
    recorded = read_recorded(shared("recorded_ru"))
    found = resolve(recorded.units, recorded.extractions)
    rows = who_is_who(recorded, len(recorded.units))
    one = components(found.entities, ((m.source_id, m.target_id) for m in rows if standing(m)))
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


def test_what_a_model_is_asked_does_not_depend_on_what_comes_after() -> None:
    recorded = read_recorded(shared("recorded_ru"))
    whole = asked(recorded, len(recorded.units))
    assert len(whole) <= 2 * len(recorded.units)
    for last in range(0, len(recorded.units), 5):
        assert [doubt for doubt in whole if doubt.ordinal <= last] == asked(recorded, last + 1)


def test_right_answers_find_nearly_all_and_tell_nothing_early() -> None:
    """The answers are made from the labels: what is tested is which questions are asked, and what answers do."""
    recorded = read_recorded(shared("recorded_ru"))
    stated = json.loads(shared("recorded_ru", "entity_resolution.json").read_text(encoding="utf-8"))
    cluster_of = {form: c["canonical"] for c in stated["clusters"] for form in c["forms"]}
    found = resolve(recorded.units, recorded.extractions)
    names = {entity.entity_id: cluster_of[entity.name] for entity in found.entities.values()}
    decided = [
        Decided(
            d.series_id,
            d.first_id,
            d.second_id,
            d.ordinal,
            "same" if names[d.first_id] == names[d.second_id] else "different",
            "by the labels",
        )
        for d in asked(recorded, len(recorded.units))
    ]
    whole = who_is_who(recorded, len(recorded.units), decided)
    one = components(found.entities, ((m.source_id, m.target_id) for m in whole if standing(m)))
    told = {m.extracted.name: one[m.entity_id] for m in found.mentions}
    score = score_pairs([cluster["forms"] for cluster in stated["clusters"]], told)
    assert (score.precision, score.recall >= 0.95) == (1.0, True), score
    for last in range(0, len(recorded.units), 5):
        cut = who_is_who(recorded, last + 1, [d for d in decided if d.ordinal <= last])
        assert standing_at(whole, last) == standing_at(cut, last), f"at unit {last}"


def asked(recorded: Recorded, n_units: int) -> list[Doubt]:
    """Return what is asked about the text cut after so many units."""
    units = recorded.units[:n_units]
    found = resolve(units, recorded.extractions)
    return doubts(units, recorded.extractions, found, Wished(NO_WISHES, found.entities.values()))


def standing(merge: Merge) -> bool:
    return merge.decision == "merge" and merge.known_until == NEVER


def standing_at(rows: list[Merge], ordinal: int) -> set[tuple[str, str, str]]:
    return {
        (m.source_id, m.target_id, m.reason)
        for m in rows
        if m.decision == "merge" and m.known_from <= ordinal < m.known_until
    }
