import json

import pytest

from tests.data import shared
from tgrag.errors import InvalidRequest
from tgrag.evaluate.indexing import write_documents
from tgrag.evaluate.loading import load_set
from tgrag.ingest.parse import parse


def write(path, *rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), encoding="utf-8")


def test_passages_of_a_book_are_one_document_in_order(tmp_path):
    write(
        tmp_path / "s" / "corpus.jsonl",
        {"id": "b#2", "book": "b", "position": 2, "title": "The_Book", "text": "Second."},
        {
            "id": "b#1",
            "book": "b",
            "position": 1,
            "title": "The_Book",
            "text": "First & <last>.\n\nMore\nof it.",
        },
        {"id": "p", "title": "A passage", "text": "Alone.", "published_at": "2023-09-26T17:01:22+00:00"},
    )
    write(
        tmp_path / "s" / "questions.jsonl",
        {"id": "q", "question": "?", "answers": ["x", "x"], "gold": ["b#2", "p"], "type": "t"},
    )
    found = load_set(tmp_path / "s")
    write_documents(found, tmp_path / "work")
    book, alone = (parse(d.path, (tmp_path / "work" / d.path).read_bytes()) for d in found.documents)
    assert [e.text for e in book.elements] == ["First & <last>.", "More of it.", "Second."]
    assert book.title == "The Book"
    assert alone.date == "2023-09-26"
    (question,) = found.questions[""]
    assert question.answers == ("x",)
    assert [(g.kind, g.document, g.text) for g in question.gold] == [
        ("passage", "b", "Second."),
        ("passage", "p", "Alone."),
    ]
    assert question.gold[0].at > 0.5


def test_quotes_of_books_are_found_by_the_name_of_the_book(tmp_path):
    (tmp_path / "s" / "books").mkdir(parents=True)
    (tmp_path / "s" / "books" / "Novel.txt").write_text("One two three. Four.", encoding="utf-8")
    write(
        tmp_path / "s" / "questions.jsonl",
        {
            "id": "1",
            "book": "Novel",
            "question": "?",
            "answers": ["a"],
            "type": "t",
            "evidence": [{"quote": "two three", "start": 4, "end": 13}],
            "evidence_triples": "(a, is in, b (c)); (x,y,z, w)",
            "as_of": {"chapter": "I", "end": 14},
        },
        {"id": "2", "book": "Novel", "question": "?", "answers": ["none"], "type": "unanswerable"},
    )
    first, second = load_set(tmp_path / "s").questions[""]
    assert first.gold[0].document == first.document == "Novel.txt"
    assert first.limit is not None and first.limit.text == "One two three."
    assert first.triples == (("a", "is in", "b (c)"), ("x", "y", "z, w"))
    assert not second.is_answerable


def test_of_translations_that_have_the_place_and_words_is_meant(tmp_path):
    for language, text in (("en", "The limit is 5."), ("uk", "Ліміт: п'ять. Усе.")):
        page = tmp_path / "docs" / language / "a" / "page.md"
        page.parent.mkdir(parents=True)
        page.write_text(text, encoding="utf-8")
    write(
        tmp_path / "s" / "dev.jsonl",
        {
            "question": "?",
            "noisy": "??",
            "answers": ["5"],
            "evidence": [{"page": "a/page.md", "quote": "п'ять", "start": 7, "end": 12}],
        },
    )
    found = load_set(tmp_path / "s")
    assert [d.path for d in found.documents] == [str(tmp_path / "docs" / "uk" / "a" / "page.md")]
    assert [q.text for q in found.questions["noisy"]] == ["??"]


def test_a_quote_of_markdown_is_taken_as_it_is_read(tmp_path):
    (tmp_path / "s" / "books").mkdir(parents=True)
    text = "# Title\n\nInstall [`httpx`](https://example.org) first."
    (tmp_path / "s" / "books" / "a.md").write_text(text, encoding="utf-8")
    write(
        tmp_path / "s" / "questions.jsonl",
        {
            "question": "?",
            "answers": ["a"],
            "evidence": [{"page": "a.md", "quote": text, "start": 0, "end": len(text)}],
        },
    )
    assert load_set(tmp_path / "s").questions[""][0].gold[0].text == "Install httpx first."


def test_a_folder_without_questions_or_texts_is_told(tmp_path):
    with pytest.raises(InvalidRequest, match="holds no questions"):
        load_set(tmp_path)
    write(tmp_path / "s" / "questions.jsonl", {"question": "?", "book": "Lost", "answers": ["a"]})
    with pytest.raises(InvalidRequest, match="has no texts"):
        load_set(tmp_path / "s")
    (tmp_path / "s" / "questions.jsonl").write_text("{", encoding="utf-8")
    with pytest.raises(InvalidRequest, match="line 1 is no JSON"):
        load_set(tmp_path / "s")


@pytest.mark.parametrize(
    ("name", "documents", "questions"),
    [
        ("musique_en", 1890, 100),
        ("fairytaleqa_en", 23, 1025),
        ("timeqa_en", 80, 291),
        ("multihoprag_en", 438, 100),
        ("graphragbench_en", 3, 314),
        ("xquad_ru", 12, 322),
        ("unlp2026_uk", 11, 112),
        ("made_ru", 2, 70),
        ("made_uk_docs", 40, 45),
    ],
)
def test_the_development_sets_are_read_whole(name, documents, questions):
    folder = shared(name)
    found = load_set(folder)
    assert len(found.documents) == documents
    assert len(found.questions[""]) == questions
    file = next(folder.glob("questions.jsonl"), folder / "dev.jsonl")
    for question, line in zip(found.questions[""], file.read_text("utf-8").splitlines(), strict=True):
        stated = json.loads(line)
        quotes = [quote for quote in stated.get("evidence", ()) if isinstance(quote, dict)]
        assert len(question.gold) == len(stated.get("gold", ())) + len(quotes)
        assert bool(question.page) == ("page" in stated)
        assert bool(question.limit) == ("as_of" in stated)
        assert question.answers or stated["type"] in ("unanswerable", "null_query")
