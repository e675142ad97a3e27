"""Reranking, as in the source article: entity states and text units by the question, and text units once more by the
question enriched with each of the best entities. All pairs of a question go to the reranker in one batch."""

import numpy as np

from tgrag.models.protocols import Reranker
from tgrag.records import EntityState, Language
from tgrag.search.fuse import Ranking, ranked
from tgrag.search.likeness import NOTHING
from tgrag.search.question import Question
from tgrag.search.units import in_front
from tgrag.search.view import View

DESCRIPTION_CHARACTERS = 200  # of an entity in the enriched question (article)
ENRICHING = 5  # entities: the best of those that are evidence in the candidates

_CONTEXT: dict[Language, str] = {"ru": "Контекст", "uk": "Контекст", "en": "Context"}


def rerank(
    reranker: Reranker, question: Question, units: Ranking, view: View, n: int, states: Ranking = NOTHING
) -> tuple[Ranking, Ranking]:
    """Return the text units with the first n in their new order, and all the states in theirs.

    Raises what the reranker raises.
    """
    first = units.head(n)
    texts = [unit.text for unit in view.text_units(first.rows.tolist())]
    described = view.entity_states(states.rows.tolist())
    pairs = [(question.text, text) for text in texts]
    pairs += [(question.text, f"{state.name}: {_description(state)}") for state in described]
    of_units = list(range(len(texts)))
    for row, state in list(zip(states.rows.tolist(), described, strict=True))[:ENRICHING]:
        evidence = np.flatnonzero(np.isin(first.rows, view.units_of([row]))).tolist()
        pairs += [(enriched(question, state), texts[place]) for place in evidence]
        of_units += evidence
    if not pairs:
        return units, states
    scores = reranker.score(pairs)
    by_question, of_states, by_entity = np.split(scores, [len(texts), len(texts) + len(described)])
    best = np.full(len(texts), -np.inf)
    np.maximum.at(best, of_units, np.concatenate([by_question, by_entity]))
    return in_front(ranked(first.rows, best), units, len(first)), ranked(states.rows, of_states)


def enriched(question: Question, state: EntityState) -> str:
    """Return the question with who or what it is about."""
    description = _description(state)[:DESCRIPTION_CHARACTERS]
    return f"{question.text}. {_CONTEXT[question.language]}: {state.name}: {description}"


def _description(state: EntityState) -> str:
    return " ".join(" ".join(item.text for item in state.descriptions).split())
