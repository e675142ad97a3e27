"""What each step of the temporal mode was given and what it chose, for a caller who asks why."""

from collections.abc import Iterable, Sequence

from tgrag.search.fuse import Ranking
from tgrag.search.labels import label
from tgrag.search.question import Question
from tgrag.search.requests import Candidate, ContextItem, Step
from tgrag.search.temporal import Found, UnitChoice
from tgrag.search.view import View

SHOWN = 50  # rows of a list


def explain(
    question: Question, found: Found, choice: UnitChoice, items: Sequence[ContextItem], view: View
) -> list[Step]:
    """Return the steps in order; a step's inputs are the outputs of those before it where none are given."""
    states = _states(found.states, view)
    shown = [Candidate(id=i.id, label=f"{i.kind}: {i.name} [{i.label}]", score=i.score) for i in items]
    signals = [
        Step(step=f"text_units: {name}", outputs=_units(ranking, view))
        for name, ranking in choice.signals.items()
    ]
    return [
        Step(
            step="hints",
            outputs=[Candidate(id=h.chapter_id or "", label=h.label, score=1.0) for h in question.hints],
        ),
        Step(step="entities", outputs=states),
        Step(step="relationships", inputs=states, outputs=_edges(found.relationships, view)),
        Step(step="communities", inputs=states, outputs=_windows(found.communities, view)),
        Step(step="text_units: vectors and words", outputs=_units(choice.base, view)),
        *signals,
        Step(step="text_units", inputs=_units(choice.base, view), outputs=_units(choice.ranking, view)),
        Step(step="context", outputs=shown),
    ]


def _states(ranking: Ranking, view: View) -> list[Candidate]:
    states = view.entity_states(ranking.rows.tolist())
    return _scored(((s.state_id, s.key) for s in states), ranking)


def _windows(ranking: Ranking, view: View) -> list[Candidate]:
    return _scored(((w.community_id, w.title) for w in view.windows(ranking.rows.tolist())), ranking)


def _units(ranking: Ranking, view: View) -> list[Candidate]:
    units = view.text_units(ranking.head(SHOWN).rows.tolist())
    return _scored(((u.text_unit_id, label(u.book_title, u.headings)) for u in units), ranking.head(SHOWN))


def _edges(rows: Sequence[int], view: View) -> list[Candidate]:
    return [
        Candidate(id=e.relationship_id, label=f"{e.source_name} — {e.target_name}", score=e.weight)
        for e in view.edges(rows[:SHOWN])
    ]


def _scored(named: Iterable[tuple[str, str]], ranking: Ranking) -> list[Candidate]:
    return [
        Candidate(id=key, label=shown, score=round(score, 6))
        for (key, shown), score in zip(named, ranking.scores.tolist(), strict=True)
    ]
