import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.data import shared
from tgrag.chunk import CHUNK_VERSION, chunk, layout
from tgrag.chunk.units import text_units
from tgrag.hashing import stable_hash
from tgrag.models.tokenizer import tokenizer
from tgrag.records import Element, Fragment, ParsedDocument
from tgrag.settings import ChunkSettings

SMALL = ChunkSettings(limit=32)
count = tokenizer("multilingual-e5-small").count

sentence = st.lists(
    st.sampled_from(["Германн", "встал", "и", "пошёл", "x" * 90, "дом", "the"]), min_size=1, max_size=40
)
paragraph = st.lists(sentence.map(lambda ws: " ".join(ws).capitalize() + "."), min_size=1, max_size=5).map(
    " ".join
)
element = st.one_of(
    st.builds(
        Element,
        st.just("paragraph"),
        paragraph | st.text(max_size=200),
        fragments=st.builds(lambda page: (Fragment(0, page),), st.integers(1, 3)),
    ),
    st.builds(Element, st.just("table"), st.text(alphabet="аб \n|", max_size=200)),
    st.builds(Element, st.just("heading"), st.sampled_from(["I", "II", "Часть"]), st.integers(0, 3)),
)
documents = st.lists(element, max_size=8).map(lambda elements: ParsedDocument("ok", elements=tuple(elements)))


@settings(max_examples=150, deadline=None)
@given(documents, st.sampled_from(["ru", "uk", "en"]))
def test_nothing_is_lost_doubled_or_over_the_limit(document, language):
    parsed = layout(document)
    chunks = chunk("d", document, language, SMALL)
    covered = bytearray(len(parsed.text))
    for unit in chunks:
        assert unit.text == parsed.text[unit.start : unit.end] == unit.text.strip() != ""
        assert unit.n_tokens == count(unit.text) <= SMALL.limit
        assert not any(covered[unit.start : unit.end])
        covered[unit.start : unit.end] = b"\1" * (unit.end - unit.start)
    assert [unit.start for unit in chunks] == sorted(unit.start for unit in chunks)
    for span in parsed.spans:
        if span.element.kind == "heading":
            assert not any(covered[span.start : span.end])
        else:
            left = [
                c
                for c, seen in zip(span.element.text, covered[span.start : span.end], strict=True)
                if not seen
            ]
            assert not "".join(left).strip()
    assert len({unit.text_unit_id for unit in chunks}) == len(chunks)


@settings(max_examples=100, deadline=None)
@given(documents)
def test_the_units_of_a_beginning_are_a_beginning_of_the_units(document):
    whole = chunk("d", document, "ru", SMALL)
    for n, element in enumerate(document.elements):
        if element.kind == "heading":
            cut = chunk("d", ParsedDocument("ok", elements=document.elements[:n]), "ru", SMALL)
            assert whole[: len(cut)] == cut


def story(*texts: str) -> ParsedDocument:
    return ParsedDocument(
        "ok",
        elements=tuple(
            Element("paragraph", text, fragments=(Fragment(0, n),)) for n, text in enumerate(texts, 1)
        ),
    )


def test_an_edit_moves_few_cuts():
    limit = ChunkSettings(limit=128)
    texts = [
        f"В {n}-й день случилось событие номер {n * n}. Его запомнили {n + 7} человек." for n in range(200)
    ]
    before = {unit.text for unit in chunk("d", story(*texts), "ru", limit)}
    moved = [
        len(before - {unit.text for unit in chunk("d", story(*added, *texts), "ru", limit)})
        for added in (
            ["Новое начало."],
            ["Новое начало книги, и длинное."],
            ["Пролог.", "Его не было раньше."],
        )
    ]
    assert sum(moved) / len(moved) < len(before) / 4


def test_a_unit_ends_between_the_earliest_cut_and_the_limit():
    texts = [f"Короткая фраза номер {n}." for n in range(200)]
    chunks = chunk("d", story(*texts), "ru", SMALL)
    assert all(
        SMALL.earliest_cut * SMALL.limit <= unit.n_tokens + 2 <= SMALL.limit + 2 for unit in chunks[:-1]
    )


def test_pages_are_those_that_the_unit_touches():
    long = "Очень длинная фраза о разных вещах, людях и событиях давнего прошлого. " * 3
    chunks = chunk("d", story(long, "Коротко.", "Ещё."), "ru", SMALL)
    assert chunks[0].page_numbers == (1,)
    assert chunks[-1].page_numbers[-1] == 3


def test_equal_units_under_equal_headings_have_different_ids():
    document = ParsedDocument("ok", elements=(Element("heading", "I", 1), Element("paragraph", "Да.")) * 2)
    first, second = chunk("d", document, "ru", SMALL)
    assert first.text == second.text
    assert first.text_unit_id != second.text_unit_id
    assert chunk("other", document, "ru", SMALL)[0].text_unit_id != first.text_unit_id


class ContraryTokenizer:
    """Counts a joined text higher than the sum of its parts."""

    name = "contrary"

    def count(self, text: str) -> int:
        return len(text.split()) + 3 * text.count(". ")


def test_the_limit_holds_for_the_joined_text():
    parsed = layout(story("Раз два три. " * 60))
    chunks = text_units("d", parsed, "ru", ContraryTokenizer(), SMALL)
    assert len(chunks) > 1
    assert all(ContraryTokenizer().count(unit.text) <= SMALL.limit for unit in chunks)


@pytest.mark.parametrize("text", ["слово " * 300, "ы" * 3000, "語" * 3000])
def test_an_overlong_sentence_is_cut(text):
    chunks = chunk("d", story(text), "ru", SMALL)
    assert len(chunks) > 3
    assert "".join("".join(unit.text.split()) for unit in chunks) == "".join(text.split())


def test_golden():
    """When this fails, the same document is cut otherwise than before: raise CHUNK_VERSION with the hash."""
    texts = (
        "Однажды играли в карты у конногвардейца Нарумова. Долгая зимняя ночь прошла незаметно; сели ужинать в пятом"
        " часу утра. Те, которые остались в выигрыше, ели с большим аппетитом.",
        "— Что ты сделал, Сурин? — спросил хозяин. — Проиграл, по обыкновению.",
    )
    chunks = chunk("d", story(*texts), "ru", SMALL)
    assert (CHUNK_VERSION, stable_hash([unit.text for unit in chunks])) == (
        2,
        "8992b70dc225c0a6cc6df2f66644c512",
    )


def test_a_whole_book_keeps_to_the_limit():
    text = shared("ruslit_ru", "Pushkin", "Пиковая дама.txt").read_text()
    document = ParsedDocument("ok", elements=tuple(Element("paragraph", line) for line in text.splitlines()))
    chunks = chunk("d", document, "ru", ChunkSettings())
    assert 25 < len(chunks) < 50
    assert max(unit.n_tokens for unit in chunks) <= 480
