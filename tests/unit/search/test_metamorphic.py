"""The promise of ``as_of``: what is shown as of N is what an index of the text cut at N shows."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.unit.search.graphs import BOOKS, BookText, ToyEmbedder, ToyTokenizer, library, library_cut
from tgrag.graph.strength import strength
from tgrag.records import NEVER
from tgrag.search.engine import Engine
from tgrag.search.horizon import Horizon
from tgrag.search.requests import MODES, AsOf, QueryRequest
from tgrag.search.view import View
from tgrag.settings import SearchSettings

QUESTIONS = [
    "Кто потерял медный ключ?",
    "Что Никита показал Марфе в первой части?",
    "Кто такой Гаврила и что было в главе «Тайна старого ключа»?",
    "Що сталося з Одинцовим?",
    "What happened to Никита in chapter two?",
]
SEARCH = SearchSettings(
    entities=4, relationships_per_entity=2, communities=2, budget_tokens=200, candidates=6
)


def engine_of(snapshot):
    return Engine(snapshot, ToyEmbedder(), ToyTokenizer(), SEARCH)


def shown(engine, question, mode, ordinal, series):
    request = QueryRequest(
        question=question, mode=mode, as_of=AsOf(series=series, ordinal=ordinal), include_context=True
    )
    answer, retrieval = engine.query(request), engine.retrieve(request)
    return (
        [item.model_dump() for item in retrieval.items],
        retrieval.context,
        answer.model_dump(exclude={"timings", "fall_backs"}),
        answer.hints,
    )


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("ordinal", range(12))
def test_the_full_index_as_of_n_shows_what_the_cut_index_shows(engine, mode, ordinal):
    whole, cut = engine_of(library(BOOKS)), engine_of(library_cut(BOOKS, "lighthouse", ordinal))
    for question in QUESTIONS:
        assert shown(whole, question, mode, ordinal, "lighthouse") == shown(
            cut, question, mode, ordinal, "lighthouse"
        )


NAMES = ["Анна", "Борис", "Вера", "Глеб", "Дарья"]
VERBS = ["видит", "ищет", "любит", "прячет"]
THINGS = ["дом", "ключ", "сад", "письмо"]


def sentence(rng):
    return f"Тогда {rng.choice(NAMES)} {rng.choice(VERBS)} {rng.choice(THINGS)}, а рядом {rng.choice(NAMES)}."


def random_books(rng):
    for number in range(1, rng.randint(2, 4)):
        chapters = [
            (
                (f"Глава {n}. {rng.choice(THINGS).title()} и {rng.choice(THINGS)}",),
                [" ".join(sentence(rng) for _ in range(rng.randint(1, 3))) for _ in range(rng.randint(1, 3))],
            )
            for n in range(1, rng.randint(2, 4))
        ]
        yield BookText("s", number, f"Книга о {rng.choice(NAMES)}", chapters)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 2**32), st.sampled_from(MODES))
def test_so_it_is_for_any_text(seed, mode):
    rng = random.Random(seed)
    books = list(random_books(rng))
    whole = library(books)
    n = rng.randrange(len(whole.text_units))
    cut = library_cut(books, "s", n)
    question = f"Что {rng.choice(NAMES)} {rng.choice(VERBS)} во второй главе, где {rng.choice(THINGS)}?"
    assert shown(engine_of(whole), question, mode, n, "s") == shown(engine_of(cut), question, mode, n, "s")


@pytest.mark.parametrize("ordinal", range(12))
def test_nothing_in_a_view_comes_after_its_horizon(snapshot, ordinal):
    view = View(snapshot, Horizon({"lighthouse": ordinal}, frozenset({("lighthouse", 1), ("lighthouse", 2)})))
    later = [
        u.text
        for u in snapshot.text_units.take(range(len(snapshot.text_units)))
        if u.series_id != "lighthouse" or u.ordinal > ordinal
    ]
    units = view.text_units(view.units.nonzero()[0].tolist())
    states = view.entity_states(view.states.nonzero()[0].tolist())
    edges = view.edges(view.relationships.nonzero()[0].tolist())
    windows = view.windows(view.communities.nonzero()[0].tolist())
    assert units
    assert not {u.text for u in units} & set(later)
    for row in (*states, *edges):
        assert row.last_ordinal <= ordinal
        assert all(
            e.ordinal <= ordinal for e in (row.descriptions if hasattr(row, "descriptions") else row.evidence)
        )
    assert all(
        edge.strength == strength(edge.evidence) and edge.weight == edge.strength / 10 for edge in edges
    )
    assert all(window.last_ordinal <= ordinal for window in windows)
    assert all(chapter.last_ordinal <= ordinal for chapter in view.chapters)
    assert all(book.last_ordinal <= ordinal for book in view.books.values())


def test_a_view_refuses_a_row_beyond_its_horizon(snapshot):
    view = View(snapshot, Horizon({"lighthouse": 2}, frozenset({("lighthouse", 1)})))
    hidden = int((~view.units).nonzero()[0][0])
    with pytest.raises(IndexError):
        view.text_units([hidden])
    with pytest.raises(KeyError):
        view.document(next(b for b in BOOKS if b.series == "mill").document_id)


def test_a_book_filter_hides_the_other_books(snapshot):
    everything = View(
        snapshot, Horizon({"lighthouse": NEVER, "mill": NEVER}, frozenset(b.key for b in snapshot.books))
    )
    view = View(snapshot, Horizon({"lighthouse": NEVER}, frozenset({("lighthouse", 2)})))
    assert everything.units.all()
    assert {u.book_number for u in view.text_units(view.units.nonzero()[0].tolist())} == {2}
    assert view.languages == ["ru"]
    assert everything.languages == ["ru", "uk"]
