import pytest

from tests.unit.search.graphs import BookText, ToyEmbedder, ToyTokenizer, library
from tgrag.search.citations import cite, verify
from tgrag.search.engine import Engine
from tgrag.search.horizon import resolve_as_of
from tgrag.search.requests import AsOf, QueryRequest
from tgrag.search.view import View
from tgrag.settings import SearchSettings


@pytest.mark.parametrize("mode", ["classic", "temporal"])
@pytest.mark.parametrize(
    ("question", "quote"),
    [
        ("Кто потерял медный ключ?", "Он сказал, что ключ потерял брат Никиты."),
        ("Где сошёл Гаврила?", "Однако Одинцов видел, как Гаврила сошёл в Риге."),
        ("Хто сховав гроші під жорном?", "Тоді Оксана сховала гроші під жорном."),
        ("Кто такая Оксана и где она жила?", "Біля річки стояв млин, і жила там Оксана."),
    ],
)
def test_the_sentence_that_answers_is_quoted_from_its_place(engine, mode, question, quote):
    answer = engine.query(QueryRequest(question=question, mode=mode))
    assert answer.found
    assert any(quote in citation.quote for citation in answer.citations)
    assert all(f"«{citation.quote}» [{citation.number}]" in answer.answer for citation in answer.citations)
    assert all(citation.verified for citation in answer.citations)
    assert [c.number for c in answer.citations] == list(range(1, len(answer.citations) + 1))
    assert [(c.series, c.ordinal, c.start) for c in answer.citations] == sorted(
        (c.series, c.ordinal, c.start) for c in answer.citations
    )


def test_a_citation_says_where_its_quote_stands(engine, snapshot):
    citations = engine.query(QueryRequest(question="Где сошёл Гаврила?")).citations
    (citation,) = (c for c in citations if c.quote.endswith("Гаврила сошёл в Риге."))
    unit = snapshot.text_units.row(snapshot.text_units.by_id[citation.text_unit_id])
    assert unit.text[citation.start - unit.start : citation.end - unit.start] == citation.quote
    assert (citation.book, citation.book_number) == ("Маяк на скале", 1)
    assert (citation.chapter, citation.chapter_id) == ("Часть вторая / Глава 1. Тайна старого ключа", "2.1")
    assert (citation.document, citation.series) == ("Маяк на скале", "Серия lighthouse")
    assert citation.pages == list(unit.page_numbers)


@pytest.mark.parametrize(
    ("question", "beginning"),
    [
        ("Кто такой Воланд?", "В доступном тексте"),
        ("Хто такий Бармалій?", "У доступному тексті"),
        ("Who is Ishmael?", "The text that may"),
        ("Кто он?", "В доступном тексте"),
    ],
)
def test_what_the_text_does_not_hold_is_not_answered(engine, question, beginning):
    answer = engine.query(QueryRequest(question=question))
    assert not answer.found
    assert answer.citations == []
    assert answer.answer.startswith(beginning)


def test_what_is_not_known_yet_is_not_answered(engine):
    question = "Кто держал трактир?"
    early = AsOf(series="lighthouse", book=1)
    assert engine.query(QueryRequest(question=question)).found
    assert not engine.query(QueryRequest(question=question, as_of=early)).found


def test_nothing_visible_is_said(engine):
    answer = engine.query(QueryRequest(question="Кто потерял ключ?", as_of=AsOf(date="1700")))
    assert not answer.found
    assert answer.answer.startswith("Под заданные ограничения")


def test_a_quote_that_differs_by_one_letter_is_not_verified(snapshot):
    view = View(snapshot, resolve_as_of(snapshot, None, []))
    (unit,) = view.text_units([0])
    assert verify(unit.text[3:9], unit) == 3
    assert verify(unit.text[3:9].upper(), unit) is None
    assert verify("", unit) is None
    citation = cite(1, unit.text[:-1] + "!", unit, view)
    assert not citation.verified
    assert (citation.start, citation.end) == (unit.start, unit.end)


@pytest.mark.parametrize(
    ("question", "chapter"),
    [
        ("Что было в главе 2 первой части?", "Часть первая / Глава 2. Шторм"),
        ("What happened in chapter 2 of part one?", "Часть первая / Глава 2. Шторм"),
    ],
)
def test_a_question_about_a_place_alone_is_answered_from_all_of_it(engine, question, chapter):
    answer = engine.query(QueryRequest(question=question, books=["Маяк на скале"]))
    assert answer.found
    assert {citation.chapter for citation in answer.citations} == {chapter}
    assert len({citation.ordinal for citation in answer.citations}) == 2


def test_who_someone_is_is_answered_by_what_describes_them():
    said = ["Гаврила молчал весь вечер.", "Гаврила ушёл в порт за хлебом.", "Гаврила купил себе сапоги."]
    texts = ["В порту жил Гаврила. Говорили, что Гаврила был сын рыбака.", *said * 12]
    book = BookText("s", 1, "Порт", [(("I",), texts)])
    engine = Engine(library([book]), ToyEmbedder(), ToyTokenizer(), SearchSettings(answer_sentences=1))
    (citation,) = engine.query(QueryRequest(question="Кто такой Гаврила?", mode="classic")).citations
    assert citation.quote == "Говорили, что Гаврила был сын рыбака."


class FailsOnPassages(ToyEmbedder):
    def embed_passages(self, texts):
        raise RuntimeError("no answer from the model server")


def test_without_sentence_vectors_shared_words_decide_and_it_is_said(snapshot):
    engine = Engine(snapshot, FailsOnPassages(), ToyTokenizer(), SearchSettings())
    answer = engine.query(QueryRequest(question="Кто потерял медный ключ?"))
    assert any("ключ потерял брат Никиты" in citation.quote for citation in answer.citations)
    (fall_back,) = (f for f in answer.fall_backs if f.step == "answer" and f.wanted == "sentence vectors")
    assert "no answer from the model server" in fall_back.reason
