"""Text units by what the question says, and by what else speaks for them.

``rank_units`` fuses vector similarity and BM25 and raises the places that the question names. ``widen`` adds the
signals of ``tgrag.search.signals``, for questions whose evidence stands in several places.
"""

from collections.abc import Iterable, Mapping

import numpy as np

from tgrag.search.fuse import DEPTH, Ranking, raised, ranked, with_signals
from tgrag.search.hints import unit_bonus
from tgrag.search.likeness import alike
from tgrag.search.question import Question
from tgrag.search.signals.clauses import clause_search, clauses
from tgrag.search.signals.dates import date_match, read_dates
from tgrag.search.signals.links import bridges, name_links, shared_names, title_links
from tgrag.search.signals.neighbours import with_neighbours
from tgrag.search.signals.second_step import FIRST_UNITS, Embed, second_step
from tgrag.search.view import View
from tgrag.settings import SignalSettings
from tgrag.store.links import Integers

Signals = Mapping[str, tuple[Ranking, float]]  # by name, with their weights

FIRST_OF_BASE = 2
BRIDGE_HEADS = 5  # first hits from which names lead on
LEADING = ("clauses", "second_step", "title_links", "same_years", "intervals")
JOINING = ("shared_names", "pagerank")


def rank_units(question: Question, view: View, candidates: int) -> Ranking:
    """Return the visible text units that either list puts among its first ``candidates``, best first."""
    found = alike(question.vector, question.idf, view, max(DEPTH, candidates))
    return raised(found, unit_bonus(question.hints, view))


def signals(
    question: Question, base: Ranking, view: View, settings: SignalSettings, embed: Embed | None
) -> Signals:
    """Return the signals that are switched on and say something, by name, with their weights.

    embed: of queries, for further searches; without it there are none. Raises what it raises. A question of several
    clauses is searched for by each; any other once more from its first hits, unless those stand in one book, where the
    neighbours' signals lead on.
    """
    rows = base.rows[:FIRST_UNITS].tolist()
    first = view.text_units(rows)
    found: dict[str, tuple[Ranking, float]] = {}
    if embed is not None and question.vector is not None:
        several = clauses(question.text, view.languages) if settings.clauses else []
        books = {(unit.series_id, unit.book_number) for unit in first}
        if several:
            found["clauses"] = clause_search(several, embed, view, DEPTH), settings.clauses
        elif settings.second_step and len(books) > 1:
            found["second_step"] = second_step(question.text, first, embed, view, DEPTH), settings.second_step
    if settings.title_links:
        found["title_links"] = title_links(first, view), settings.title_links
    if settings.bridges or settings.shared_names:
        links = name_links(base.rows[:BRIDGE_HEADS].tolist(), question.idf, view)
        found["bridges"] = bridges(links, question.idf, view), settings.bridges
        found["shared_names"] = shared_names(links.head(FIRST_UNITS)), settings.shared_names
    if settings.pagerank and (named := view.named_entities(question.idf)):
        found["pagerank"] = ranked(*view.walk_from(named)).head(DEPTH), settings.pagerank
    dates = read_dates(question.text)
    if settings.dates and dates:
        near = base.head(DEPTH).rows.tolist()
        same, overlapping = date_match(dates, near, view.text_units(near))
        found |= {"same_years": (same, settings.dates), "intervals": (overlapping, settings.dates)}
    return {name: (ranking, weight) for name, (ranking, weight) in found.items() if weight and len(ranking)}


def widen(
    base: Ranking, added: Signals, evidence: Integers, view: View, settings: SignalSettings, first: int
) -> Ranking:
    """Return the base with its signals added, in two stages.

    The ``first`` units are found by what leads to another place (a second search, a title, a name, a date), with the base's
    own first FIRST_OF_BASE in front. The rest is to complete them: units of the same scene, two units either
    way, and with the same rare names, evidence of the chosen entity states.
    """

    def with_those(ranking: Ranking, names: Iterable[str]) -> Ranking:
        return with_signals(ranking, [added[name] for name in names if name in added], view.n_units)

    leading = with_those(base, LEADING)
    bridged = with_neighbours(with_those(leading, ["bridges"]), view, [settings.neighbours])
    bonus = np.zeros(len(view.units))
    bonus[evidence] = settings.evidence
    tail = with_neighbours(
        raised(with_those(leading, JOINING), bonus), view, [settings.scene, settings.scene / 2]
    )
    return in_front(in_front(base, bridged, FIRST_OF_BASE), tail, first)


def in_front(first: Ranking, ranking: Ranking, n: int) -> Ranking:
    """Return a ranking with the first n rows of another one put before the rest of it."""
    head = first.rows[:n]
    rest = ~np.isin(ranking.rows, head)
    scores = np.concatenate([first.scores[:n], ranking.scores[rest]])
    rows = np.concatenate([head, ranking.rows[rest]])
    return Ranking(rows, np.minimum.accumulate(scores))
