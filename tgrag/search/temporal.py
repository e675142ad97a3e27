"""Temporal mode: from the question to entity states, their relationships and windows, and the text behind them.

The steps and their numbers are the source article's; where it reranks, the fused rank stands in.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeVar

import numpy as np

from tgrag.search.context import ItemWriter, fill, fill_in_full
from tgrag.search.fuse import DEPTH, Ranking, fuse, raised, ranked, top
from tgrag.search.hints import state_bonus
from tgrag.search.question import Question
from tgrag.search.requests import ContextItem
from tgrag.search.units import NOTHING, rank_units
from tgrag.search.view import View
from tgrag.settings import SearchSettings

T = TypeVar("T")

EVIDENCE_BONUS = 0.5  # of a text unit that a chosen state rests on, in the units of a fused score


@dataclass(frozen=True, slots=True)
class Found:
    """Rows of the view's tables, best first."""

    states: Ranking
    relationships: list[int]
    communities: Ranking
    units: Ranking


def rank_states(question: Question, view: View, settings: SearchSettings) -> Ranking:
    """Return the entity states nearest to the question by vector and by name, hinted places raised."""
    n_candidates = settings.entities * settings.entity_factor
    dense = NOTHING
    if question.vector is not None:
        dense = ranked(*view.nearest_states(question.vector, max(DEPTH, n_candidates)))
    named = view.name_scores(question.idf)
    fused = fuse(dense, top(named, int(np.count_nonzero(named))), int(view.states.sum()))
    return raised(fused, state_bonus(question.hints, view)).head(settings.entities)


def choose_relationships(states: Sequence[int], view: View, per_state: int) -> list[int]:
    """Return up to ``per_state`` relationships of each state: those among the chosen entities first, then by time."""
    chosen = {view.entity_of(state) for state in states}

    def order(edge: int) -> tuple[bool, int]:
        source, target = view.entities_of_edge(edge)
        return not (source in chosen and target in chosen), edge

    kept = {
        edge
        for state in states
        for edge in sorted(view.relationships_of(state).tolist(), key=order)[:per_state]
    }
    return sorted(kept, key=order)


def choose_communities(states: Sequence[int], view: View, n: int) -> Ranking:
    """Return the n windows by how many of the chosen states are their members."""
    overlap = Counter(window for state in states for window in view.communities_of(state).tolist())
    return ranked(np.array([*overlap], dtype=np.int64), np.array([*overlap.values()], dtype=float)).head(n)


def choose_units(question: Question, states: Sequence[int], view: View, candidates: int) -> Ranking:
    """Return text units by the question, those that are evidence of the chosen states raised."""
    bonus = np.zeros(len(view.units))
    bonus[view.units_of(states)] = EVIDENCE_BONUS
    return raised(rank_units(question, view, candidates), bonus).head(candidates)


def temporal_context(
    found: Found, view: View, writer: ItemWriter, settings: SearchSettings, budget: int
) -> list[ContextItem]:
    """Return what fits the budget of tokens: shares for windows, for entities and relationships, and for text.

    What one part leaves goes to the next.
    """
    windows = (
        (writer.community(window, score), writer.report(window, score))
        for window, score in _scored(view.windows, found.communities)
    )
    entities = (writer.entity(state, score) for state, score in _scored(view.entity_states, found.states))
    edges = (writer.relationship(edge, edge.weight) for edge in view.edges(found.relationships))
    texts = (writer.text_unit(unit, score) for unit, score in _scored(view.text_units, found.units))

    shown_windows, left = fill_in_full(windows, round(budget * settings.communities_share))
    shown_graph, left = fill(chain(entities, edges), left + round(budget * settings.entities_share))
    used = sum(item.n_tokens for item in (*shown_windows, *shown_graph))
    shown_texts, _ = fill(texts, budget - used)
    return [*shown_windows, *shown_graph, *shown_texts]


def _scored(records: Callable[[list[int]], list[T]], ranking: Ranking) -> Iterable[tuple[T, float]]:
    return zip(records(ranking.rows.tolist()), ranking.scores.tolist(), strict=True)
