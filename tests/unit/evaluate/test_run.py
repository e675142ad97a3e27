from dataclasses import replace

import pytest

from tests.unit.search.graphs import BOOKS, ToyEmbedder, documents, snapshot_of, text_units
from tgrag.errors import InvalidRequest, UnknownMode
from tgrag.evaluate.answers import f1, is_verbatim, tokens
from tgrag.evaluate.indexed import Indexed
from tgrag.evaluate.modes import ALL_MODES, Retrieved, Retriever, known_modes
from tgrag.evaluate.results import Results
from tgrag.evaluate.retrieval import leak, page_metrics, triple_metrics
from tgrag.evaluate.run import Options, evaluate_set
from tgrag.evaluate.sets import (
    EvaluationSet,
    Event,
    Gold,
    Limit,
    OrderPair,
    Page,
    SetDocument,
    SetQuestion,
)
from tgrag.search.requests import QueryRequest
from tgrag.settings import Settings

UNITS = text_units(BOOKS)
SNAPSHOT = snapshot_of(UNITS, [replace(d, source=f"set/{d.source}") for d in documents(BOOKS)])
LIGHTHOUSE, RIGA, MILL = "lighthouse/1.txt", "lighthouse/2.txt", "mill/1.txt"
KEY = "Над дверью висел медный ключ"
STORY = SetQuestion(
    "key", "Где висел медный ключ?", ("над дверью",), "fact", LIGHTHOUSE, (Gold("quote", LIGHTHOUSE, KEY),)
)
EARLY = SetQuestion(
    "brother",
    "Что известно о Гавриле?",
    ("утонул",),
    "change",
    LIGHTHOUSE,
    (Gold("quote", LIGHTHOUSE, "Все знали, что Гаврила утонул"),),
    limit=Limit(LIGHTHOUSE, "Однако Одинцов видел, как Гаврила сошёл в Риге.", 0.9),
)
UNKNOWN = SetQuestion("none", "Сколько стоит паровоз?", (), "unanswerable")
PAGED = SetQuestion("page", "Кто молов жито?", ("Тарас",), "fact", page=Page(MILL, 1))
ORDER = OrderPair(
    LIGHTHOUSE, Event("Кто приехала на остров?", "Марфа"), Event("Когда уехала Марфа с капитаном?", "весной")
)


def the_set(*questions: SetQuestion, pairs: tuple[OrderPair, ...] = ()) -> EvaluationSet:
    names = (LIGHTHOUSE, RIGA, MILL)
    return EvaluationSet("toy", tuple(SetDocument(n, f"/{n}") for n in names), {"": questions}, pairs, "0")


def run(evaluation_set: EvaluationSet, *modes: str, **options) -> Results:
    lines: list[str] = []
    found, _ = evaluate_set(
        evaluation_set, SNAPSHOT, Settings(), Options(modes=modes, **options), ToyEmbedder(), lines.append
    )
    return Results(found)


@pytest.mark.parametrize("mode", ALL_MODES)
def test_every_mode_is_scored_on_gold_and_limits(mode):
    found = run(the_set(STORY, EARLY), mode, answers=False)
    assert found.values("toy", mode, "recall@5")["key"] == 1
    assert found.values("toy", mode, "full_in_context")["key"] == 1
    assert found.values("toy", mode, "evidence_in_text")["key"] == 1
    assert found.values("toy", mode, "leak") == {"brother": 0}
    assert found.values("toy", mode, "evidence_in_context_as_of") == {"brother": 1}
    assert found.values("toy", mode, "evidence_in_context_without_as_of") == {"brother": 1}
    assert found.values("toy", mode, "context_tokens")["key"] > 0


def test_answers_are_scored_and_baselines_give_none():
    found = run(the_set(STORY, UNKNOWN), "classic", "dense")
    assert found.values("toy", "classic", "citation_precision")["key"] == 1
    assert found.values("toy", "classic", "answer_quoted") == {"key": 1}
    assert found.values("toy", "classic", "false_abstention") == {"key": 0}
    assert found.values("toy", "classic", "abstention") == {"none": 1}
    assert not found.values("toy", "dense", "token_f1")


def test_the_order_of_events_is_told_by_where_they_are_found():
    backwards = OrderPair(LIGHTHOUSE, ORDER.later, ORDER.earlier)
    found = run(the_set(pairs=(ORDER, backwards)), "classic")
    assert found.values("toy/order_pairs", "classic", "order_in_story") == {"0": 1, "1": 0}
    assert found.values("toy/order_pairs", "classic", "order_in_library") == {"0": 1, "1": 0}


def test_two_events_of_one_unit_are_told_apart_by_their_sentences():
    first = Event("Кто зажёг фонарь?", "Никита")
    second = Event("Куда шёл корабль «Надежда»?", "к скалам")
    found = run(
        the_set(pairs=(OrderPair(LIGHTHOUSE, first, second), OrderPair(LIGHTHOUSE, second, first))), "classic"
    )
    assert found.values("toy/order_pairs", "classic", "order_in_story") == {"0": 1, "1": 0}


def test_a_sample_is_the_same_for_the_same_seed():
    questions = [replace(STORY, question_id=str(n)) for n in range(20)]
    drawn = [
        set(
            run(the_set(*questions), "dense", limit=5, seed=seed, answers=False).values(
                "toy", "dense", "recall@5"
            )
        )
        for seed in (1, 1, 2)
    ]
    assert drawn[0] == drawn[1] != drawn[2] and len(drawn[0]) == 5


def test_types_choose_questions():
    found = run(the_set(STORY, EARLY), "dense", types=("change",), answers=False)
    assert found.values("toy", "dense", "recall@5").keys() == {"brother"}


def test_a_question_may_be_asked_within_its_document():
    question = SetQuestion(
        "guest", "Где был Гаврила?", ("Рига",), "fact", RIGA, (Gold("quote", RIGA, "Гаврила держал трактир"),)
    )
    retriever = Retriever(SNAPSHOT, ToyEmbedder(), Settings())
    request = QueryRequest(question=question.text, mode="dense", books=["Рижский гость"])
    inside = retriever.retrieve(request).units
    assert {unit.document_id for unit in UNITS if unit.text_unit_id in inside} == {
        unit.document_id for unit in UNITS if unit.book_title == "Рижский гость"
    }
    assert run(the_set(question), "dense", within=True, answers=False).values("toy", "dense", "recall@5") == {
        "guest": 1
    }


def test_gold_that_is_nowhere_ends_the_run():
    lost = replace(STORY, gold=(Gold("quote", LIGHTHOUSE, "Этого в книге нет"),))
    with pytest.raises(InvalidRequest, match="1 of 1 gold texts are not in the text units"):
        run(the_set(lost), "dense")
    absent = EvaluationSet("toy", (SetDocument("other.txt", "/other.txt"),), {"": (STORY,)}, (), "0")
    with pytest.raises(InvalidRequest, match="lacks 1 documents"):
        Indexed(absent, SNAPSHOT)


def test_a_page_is_hit_by_a_unit_that_stands_on_it():
    on_mill = [unit for unit in UNITS if unit.book_title == "Млин над річкою"]
    other = [unit for unit in UNITS if unit.book_title != "Млин над річкою"]
    found = page_metrics(Page(MILL, 1), [other[0], on_mill[1], on_mill[0]], on_mill[0].document_id)
    assert (found["page_hit@1"], found["page_hit@5"]) == (0, 1)
    assert (found["document_hit@1"], found["document_hit@5"]) == (0, 1)
    assert run(the_set(PAGED), "classic", answers=False).values("toy", "classic", "page_hit@1") == {"page": 1}


def _context(mode: str = "classic", **request) -> Retrieved:
    return Retriever(SNAPSHOT, ToyEmbedder(), Settings()).retrieve(QueryRequest(mode=mode, **request))


def test_nodes_and_paths_are_named_by_one_item():
    shown = _context(question="Кто молов жито?")
    whole = triple_metrics([("Тарас", "молов", "жито")], shown)
    half = triple_metrics([("Тарас", "молов", "паровоз")], shown)
    assert (whole["node_recall"], whole["path_recall"]) == (1, 1)
    assert (half["node_recall"], half["path_recall"]) == (0.5, 0)


def test_a_leak_is_seen_in_places_and_in_texts():
    shown = _context(question="Где теперь Гаврила?")
    last = max(item.last_ordinal for item in shown.items)
    series = shown.items[0].series
    honest = replace(shown, items=[i for i in shown.items if i.series == series])
    assert leak([], honest, series, last) == 0
    assert leak([], honest, series, last - 1) == 1
    assert leak([], honest, "another series", last) == 1
    assert leak(["гавриладержалтрактир"], honest, series, last) == 1


def test_a_quote_is_looked_for_anew():
    answer = Retriever(SNAPSHOT, ToyEmbedder(), Settings()).answer(
        QueryRequest(question=STORY.text, mode="classic")
    )
    assert answer is not None
    units = {unit.text_unit_id: unit for unit in UNITS}
    citation = answer.citations[0]
    assert is_verbatim(citation, units)
    assert not is_verbatim(citation.model_copy(update={"quote": "Придумано"}), units)
    assert not is_verbatim(citation.model_copy(update={"text_unit_id": "gone"}), units)


def test_words_are_compared_without_case_marks_and_articles():
    assert tokens("The «Ёлка», a tree!") == ["елка", "tree"]
    assert f1(["a", "b"], ["b", "c"]) == 0.5
    assert f1([], []) == 1 and f1([], ["a"]) == 0


def test_an_unknown_mode_is_told():
    with pytest.raises(UnknownMode, match="there are: classic, temporal"):
        known_modes(("nonsense",))
    with pytest.raises(UnknownMode):
        _context(question="?x", mode="nonsense")
