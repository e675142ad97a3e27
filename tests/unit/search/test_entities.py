"""Entities and timelines, and that nothing of them comes after ``as_of``."""

from dataclasses import replace

import pytest

from tests.unit.search.graphs import BOOKS, library, library_cut
from tgrag.errors import EntityNotFound, InvalidRequest, UnknownChapter
from tgrag.search.entities import Entities, told_by
from tgrag.search.requests import AsOf
from tgrag.search.view import Views


def entities_of(snapshot):
    return Entities(snapshot, Views(snapshot))


@pytest.fixture(scope="module")
def known(snapshot):
    return entities_of(snapshot)


@pytest.mark.parametrize("q", ["Никита", "никиту", "НИКИТОЙ", "Никите"])
def test_a_name_is_found_in_any_form_and_case(known, q):
    assert known.find(q).entities[0].name.startswith("Никит")


@pytest.mark.parametrize("q", ["Оксаною", "оксани"])
def test_so_is_a_ukrainian_name(known, q):
    (found,) = known.find(q).entities
    assert (found.name, found.language) == ("Оксана", "uk")


def test_every_word_asked_for_has_to_be_in_a_name(known):
    assert known.find("Никита Оксана").total == 0
    assert known.find("Бармаглот").entities == []
    with pytest.raises(InvalidRequest, match="q: has no word"):
        known.find("?!")


def test_pages_follow_each_other_and_the_most_mentioned_come_first(known):
    whole = known.find()
    counts = [item.n_text_units for item in whole.entities]
    assert counts == sorted(counts, reverse=True)
    pages = [known.find(offset=place, limit=2) for place in range(0, whole.total, 2)]
    assert [item for page in pages for item in page.entities] == whole.entities
    assert {page.total for page in pages} == {whole.total} == {len(whole.entities)}


def test_a_timeline_is_in_story_order_and_each_quote_is_verified(known):
    told = known.timeline(known.meant("Одинцов"))
    assert [state.first_ordinal for state in told.states] == sorted(s.first_ordinal for s in told.states)
    citations = [item.citation for state in told.states for item in state.descriptions]
    assert citations
    assert all(citation.verified for citation in citations)
    assert {state.book for state in told.states} == {"Маяк на скале", "Рижский гость"}
    assert known.timeline(told.entity.entity_id, offset=1, limit=1).states == told.states[1:2]


def test_a_description_in_other_words_is_told_by_the_sentence_nearest_to_it(snapshot):
    unit = snapshot.text_units.row(3)
    state = next(s for s in snapshot.entity_states.take(range(5)) if s.descriptions)
    other = replace(
        state.descriptions[0], text="Никита, который зажигает фонарь", text_unit_id=unit.text_unit_id
    )
    assert told_by(other, "Никита", unit) == "Ночью начался шторм, и Никита зажёг фонарь."


def test_what_is_not_there_is_told_with_what_to_do(known):
    for ask in (known.detail, known.timeline, known.meant):
        with pytest.raises(EntityNotFound, match="/v1/entities"):
            ask("0123456789abcdef")
    with pytest.raises(EntityNotFound):
        known.meant("Бармаглот")
    with pytest.raises(UnknownChapter):
        known.find(as_of=AsOf(series="lighthouse", chapter="Сотая"))


@pytest.mark.parametrize("ordinal", range(12))
def test_as_of_n_shows_what_the_cut_index_shows(snapshot, ordinal):
    as_of = AsOf(series="lighthouse", ordinal=ordinal)
    whole, cut = entities_of(snapshot), entities_of(library_cut(BOOKS, "lighthouse", ordinal))
    listed = whole.find(as_of=as_of)
    assert listed == cut.find(as_of=as_of)
    for q in ("Никите", "Гаврила", "Фёдор", "Одинцова", "Оксана"):
        assert whole.find(q, as_of) == cut.find(q, as_of)
    for item in listed.entities:
        assert item.last_ordinal <= ordinal
        assert whole.detail(item.entity_id, as_of) == cut.detail(item.entity_id, as_of)
        assert whole.timeline(item.entity_id, as_of) == cut.timeline(item.entity_id, as_of)
    later = {item.entity_id for item in whole.find().entities} - {item.entity_id for item in listed.entities}
    for entity_id in later:
        with pytest.raises(EntityNotFound):
            whole.timeline(entity_id, as_of)


def test_an_empty_index_has_no_entities():
    assert entities_of(library([])).find().entities == []
    assert entities_of(library([])).find("Никита").entities == []
