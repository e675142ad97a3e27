from tgrag.chunk import layout
from tgrag.records import Drop, Element, ParsedDocument


def document(*elements: tuple[int | None, str]) -> ParsedDocument:
    """A heading for each (level, title), a paragraph for each (None, text)."""
    return ParsedDocument(
        "ok",
        elements=tuple(
            Element("paragraph", text) if level is None else Element("heading", text, level)
            for level, text in elements
        ),
    )


def paths(parsed):
    return [(s.book, s.book_title, s.chapter_id, s.headings) for s in parsed.sections]


def test_the_text_is_the_elements_and_each_span_its_element():
    parsed = layout(document((1, "Глава I"), (None, "Раз."), (None, "Два.")))
    assert parsed.text == "Глава I\n\nРаз.\n\nДва."
    assert [parsed.text[s.start : s.end] for s in parsed.spans] == ["Глава I", "Раз.", "Два."]


def test_chapter_ids_are_ordinals_and_zero_before_the_first_heading():
    parsed = layout(
        document(
            (None, "Пролог."), (1, "Часть 1"), (None, "а"), (2, "I"), (None, "б"), (2, "II"), (None, "в"),
            (1, "Часть 2"), (2, "I"), (None, "г"),
        )
    )  # fmt: skip
    assert paths(parsed) == [
        (0, None, "0", ()),
        (0, None, "1", ("Часть 1",)),
        (0, None, "1.1", ("Часть 1", "I")),
        (0, None, "1.2", ("Часть 1", "II")),
        (0, None, "2.1", ("Часть 2", "I")),
    ]


def test_equal_titles_have_different_chapter_ids():
    parsed = layout(document((1, "I"), (None, "а"), (1, "I"), (None, "б")))
    assert [s.chapter_id for s in parsed.sections] == ["1", "2"]


def test_a_skipped_level_is_no_trouble():
    parsed = layout(document((3, "А"), (None, "а"), (1, "Б"), (None, "б"), (3, "В"), (None, "в")))
    assert [s.chapter_id for s in parsed.sections] == ["1", "2", "2.1"]


def test_a_heading_of_level_zero_opens_a_book():
    parsed = layout(
        document((0, "Том 1"), (1, "I"), (None, "а"), (0, "Том 2"), (None, "б"), (1, "I"), (None, "в"))
    )
    assert paths(parsed) == [
        (0, "Том 1", "1", ("I",)),
        (1, "Том 2", "0", ()),
        (1, "Том 2", "1", ("I",)),
    ]


def test_text_before_the_first_book_is_a_book_of_its_own():
    parsed = layout(document((None, "Предисловие."), (0, "Том 1"), (None, "а")))
    assert paths(parsed) == [(0, None, "0", ()), (1, "Том 1", "0", ())]


def test_the_layout_of_a_beginning_is_a_beginning_of_the_layout():
    whole = document(
        (None, "п"),
        (0, "Том 1"),
        (1, "I"),
        (None, "а"),
        (2, "i"),
        (None, "б"),
        (0, "Том 2"),
        (1, "I"),
        (None, "в"),
    )
    for n, element in enumerate(whole.elements):
        if element.kind == "heading":
            cut = layout(ParsedDocument("ok", elements=whole.elements[:n]))
            assert layout(whole).sections[: len(cut.sections)] == cut.sections


def test_an_empty_document_has_no_section():
    assert layout(document()).sections == ()
    assert layout(document((1, "Глава"), (None, "  "))).sections == ()


def test_what_is_dropped_amid_a_section_stands_after_its_body():
    number = Drop("page_furniture", "page number")
    elements = (
        Element("paragraph", "Содержание", drop=Drop("contents", "a list of headings")),
        Element("heading", "I", 1),
        Element("paragraph", "1", drop=number),
        Element("paragraph", "а"),
        Element("paragraph", "2", drop=number),
        Element("paragraph", "б"),
        Element("heading", "3", 1, drop=number),
        Element("heading", "II", 1),
        Element("paragraph", "в"),
    )
    parsed = layout(ParsedDocument("ok", elements=elements))
    assert parsed.text.split("\n\n") == ["Содержание", "I", "1", "а", "б", "2", "3", "II", "в"]
    assert paths(parsed) == [(0, None, "1", ("I",)), (0, None, "2", ("II",))]
    assert [span.element.text for span in parsed.sections[0].body] == ["а", "б"]
