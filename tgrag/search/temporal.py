"""Temporal mode: from the question to entity states, their relationships and windows, and the text behind them.

The steps and their numbers are the source article's; where it reranks, the fused rank stands in.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeVar

import numpy as np

from tgrag.records import Evidence
from tgrag.search.context import ItemWriter, Merit, Told, fill, fill_in_full, fitting
from tgrag.search.fuse import DEPTH, Ranking, fuse, raised, ranked, top
from tgrag.search.hints import state_bonus
from tgrag.search.likeness import NOTHING
from tgrag.search.question import Question
from tgrag.search.requests import ContextItem
from tgrag.search.signals.second_step import Embed
from tgrag.search.units import rank_units, signals, widen
from tgrag.search.view import View
from tgrag.settings import SearchSettings
from tgrag.store.links import Integers

T = TypeVar("T")

RANKED = 200  # text units from each first ranking: more than a budget holds
READ = 3  # text units are looked at as far as they would fill this many budgets: what does not fit makes way
UNIT_MERIT = 0.5  # of a description in the best text unit, against 1 for all the words of the question


@dataclass(frozen=True, slots=True)
class UnitChoice:
    """Text units by the question alone, what else spoke for which of them, and the outcome."""

    base: Ranking
    signals: dict[str, Ranking]
    ranking: Ranking


@dataclass(frozen=True, slots=True)
class Found:
    """Rows of the view's tables, best first."""

    states: Ranking
    relationships: list[int]
    communities: Ranking
    units: Ranking


def rank_states(question: Question, view: View, settings: SearchSettings) -> Ranking:
    """Return the candidates: states nearest to the question by vector and by name, hinted places raised."""
    n_candidates = settings.entities * settings.entity_factor
    dense = NOTHING
    if question.vector is not None:
        dense = ranked(*view.nearest_states(question.vector, max(DEPTH, n_candidates)))
    named = view.name_scores(question.idf)
    fused = fuse(dense, top(named, int(np.count_nonzero(named))), int(view.states.sum()))
    return raised(fused, state_bonus(question.hints, view)).head(n_candidates)


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


def choose_communities(question: Question, states: Sequence[int], view: View, n: int) -> Ranking:
    """Return the n windows by how many of the chosen states are their members and by their own vectors."""
    overlap = Counter(window for state in states for window in view.communities_of(state).tolist())
    shared = ranked(np.array([*overlap], dtype=np.int64), np.array([*overlap.values()], dtype=float))
    if question.vector is None:
        return shared.head(n)
    alike = ranked(*view.nearest_windows(question.vector, DEPTH))
    return fuse(alike, shared, int(view.communities.sum())).head(n)


def choose_units(
    question: Question, states: Sequence[int], view: View, settings: SearchSettings, embed: Embed | None
) -> UnitChoice:
    """Return text units by the question and by what else speaks for them.

    embed: of queries, for further searches; without it there are none. Raises what it raises.
    """
    base = rank_units(question, view, RANKED)
    added = signals(question, base, view, settings.signals, embed)
    ranking = widen(base, added, view.units_of(states), view, settings.signals, settings.classic_units)
    return UnitChoice(base, {name: signal for name, (signal, _) in added.items()}, ranking)


def temporal_context(
    question: Question, found: Found, view: View, writer: ItemWriter, settings: SearchSettings, budget: int
) -> list[ContextItem]:
    """Return what fits the budget of tokens: shares for windows, for entities and relationships, and for text.

    Text is chosen first, so that the graph's lines tell what it does not. What windows leave goes to the graph, and
    what the graph leaves to more text.
    """
    windows = (
        (writer.community(window, score), writer.report(window, score))
        for window, score in _scored(view.windows, found.communities)
    )
    shown_windows, left = fill_in_full(windows, round(budget * settings.communities_share))
    for_graph = left + round(budget * settings.entities_share)
    n_read = np.searchsorted(np.cumsum(view.tokens_of(found.units.rows)), READ * budget, side="right")
    candidates = found.units.head(int(n_read))
    texts = _Texts(candidates, writer.text_unit_costs(candidates.rows))
    used = sum(item.n_tokens for item in shown_windows)
    shown_texts = texts.take(budget - used - for_graph, view, writer)

    told = Told(shown_texts)
    merit = _merit(question, found.units.rows, view)
    entities = (
        writer.entity(state, score, told, merit) for state, score in _scored(view.entity_states, found.states)
    )
    edges = (writer.relationship(edge, edge.weight, told, merit) for edge in view.edges(found.relationships))
    lines = (line for line in chain(entities, edges) if line is not None)
    shown_graph, _ = fill(lines, for_graph)

    used += sum(item.n_tokens for item in (*shown_texts, *shown_graph))
    more_texts = texts.take(budget - used, view, writer)
    return [*shown_windows, *shown_graph, *shown_texts, *more_texts]


@dataclass(slots=True)
class _Texts:
    """Text units, best first, of which only those that are shown are read. costs: in tokens, with their place."""

    ranking: Ranking
    costs: Sequence[int]

    def take(self, budget: int, view: View, writer: ItemWriter) -> list[ContextItem]:
        """Take out those that fit a budget, best first."""
        places = fitting(self.costs, budget)
        taken = Ranking(self.ranking.rows[places], self.ranking.scores[places])
        rest = np.delete(np.arange(len(self.costs)), places)
        self.ranking = Ranking(self.ranking.rows[rest], self.ranking.scores[rest])
        self.costs = [self.costs[place] for place in rest.tolist()]
        return [writer.text_unit(unit, score) for unit, score in _scored(view.text_units, taken)]


def _merit(question: Question, ranked_units: Integers, view: View) -> Merit:
    """Return how much a description is worth: the question's words in it, and the rank of its text unit."""
    places = {key: place for place, key in enumerate(view.text_unit_ids(ranked_units))}
    languages = view.languages_of(ranked_units)

    def merit(evidence: Evidence) -> float:
        place = places.get(evidence.text_unit_id)
        language = question.language if place is None else languages[place]
        share = question.share(question.words_in(evidence.text, language))
        rank = len(places) if place is None else place
        return round(share + UNIT_MERIT * (1 - rank / max(1, len(places))), 6)

    return merit


def _scored(records: Callable[[list[int]], list[T]], ranking: Ranking) -> Iterable[tuple[T, float]]:
    return zip(records(ranking.rows.tolist()), ranking.scores.tolist(), strict=True)
