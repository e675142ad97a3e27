from hypothesis import given, settings
from hypothesis import strategies as st

from tgrag.ingest.contents import find_contents
from tgrag.ingest.refine import refine
from tgrag.records import Element, Fragment

TEXT = Element("paragraph", "Дорога шла берегом, и лошади, почуяв жилье, пошли скорее. " * 12)


def paragraph(text: str) -> Element:
    return Element("paragraph", text)


def heading(text: str, level: int = 5) -> Element:
    return Element("heading", text, level=level)


TITLES = ["Дорога", "Встреча", "Разлука", "Возвращение"]


def chapters() -> list[Element]:
    return [element for title in TITLES for element in (heading(title), TEXT)]


def test_contents_before_and_after_the_text_are_dropped_in_place() -> None:
    listed = [
        paragraph("Оглавление"),
        *(paragraph(f"{title} .... {page}") for page, title in enumerate(TITLES, 5)),
    ]
    for elements in ([*listed, *chapters()], [*chapters(), *listed]):
        refined = refine(elements)
        assert [e.text for e in refined] == [e.text for e in elements]
        assert [e.text for e in refined if e.drop] == [e.text for e in listed]
        assert [e.text for e in refined if e.kind == "heading" and not e.drop] == TITLES


def test_contents_without_a_word_or_pages_are_known_by_repetition_in_order() -> None:
    listed = [paragraph(title) for title in TITLES]
    refined = refine([*listed, *chapters()])
    assert [e.text for e in refined if e.drop] == TITLES
    in_disorder = refine([*reversed(listed), *chapters()])
    assert not [e.text for e in in_disorder if e.drop]


def test_headings_with_no_text_between_are_no_contents() -> None:
    elements = [heading("Часть первая", 3), heading("Глава 1"), heading("1. Дорога", 6), TEXT, *chapters()]
    assert refine(elements) == tuple(elements)


def test_repeated_short_lines_are_no_contents() -> None:
    speech = [paragraph(line) for _ in range(40) for line in ("Иван.", "Да.", "Марья.", "Нет.", "Что ж?")]
    assert refine([*speech, TEXT, *speech]) == (*speech, TEXT, *speech)


def test_a_list_with_rising_numbers_is_no_contents() -> None:
    prices = [
        paragraph(f"{name} {price}")
        for name, price in zip(["Яблоки", "Груши", "Сливы", "Вишни", "Орехи"], range(10, 15), strict=False)
    ]
    assert refine([*prices, TEXT]) == (*prices, TEXT)


def test_a_line_that_the_contents_name_is_a_heading_and_completes_a_number() -> None:
    listed = [
        paragraph("Содержание"),
        *(paragraph(f"{n}. {title} {9 * n}") for n, title in enumerate(TITLES, 1)),
    ]
    body = [
        heading("I", 6), paragraph("Дорога"), TEXT,
        paragraph("Встреча"), TEXT,
        heading("III", 6), paragraph("Разлука"), TEXT,
        paragraph("Он сказал: «Возвращение»"), TEXT,
    ]  # fmt: skip
    refined = refine([*listed, *body])
    assert [e.text for e in refined if e.kind == "heading" and not e.drop] == [
        "I. Дорога",
        "Встреча",
        "III. Разлука",
    ]


def test_a_joined_heading_keeps_its_places_on_paper() -> None:
    listed = [
        paragraph("Содержание"),
        *(paragraph(f"{title} {page}") for page, title in enumerate(TITLES, 5)),
    ]
    number = Element("heading", "I", level=6, fragments=(Fragment(0, 3),))
    title = Element("paragraph", "Дорога", fragments=(Fragment(0, 4),))
    joined = refine([*listed, number, title, TEXT])[len(listed)]
    assert (joined.text, joined.fragments) == ("I. Дорога", (Fragment(0, 3), Fragment(3, 4)))


def test_the_licence_around_a_text_is_dropped_in_place() -> None:
    around = [
        paragraph("The Project Gutenberg EBook of Roads"),
        paragraph("*** START OF THIS PROJECT GUTENBERG EBOOK ROADS ***"),
        *chapters(),
        paragraph("End of the Project Gutenberg EBook of Roads"),
        paragraph("You may copy it."),
    ]
    refined = refine(around)
    assert [e.text for e in refined] == [e.text for e in around]
    assert [bool(e.drop) for e in refined] == [True] * 2 + [False] * 8 + [True] * 2
    mention = [*chapters(), paragraph("He spoke of Project Gutenberg."), TEXT]
    assert not [e for e in refine(mention) if e.drop]


def test_a_table_of_a_number_and_a_title_is_a_heading() -> None:
    table = Element("table", "Глава 2 | Встреча")
    assert refine([table, TEXT])[0] == Element("heading", "Глава 2. Встреча", level=5)
    for other in ("Имя | Возраст", "Глава 2 | Встреча\nГлава 3 | Разлука", "Глава 2. Дорога | 15 | 18"):
        assert refine([Element("table", other), TEXT])[0].kind == "table"


def test_signatures_addresses_and_paragraphs_are_no_headings() -> None:
    for text in (
        "С уважением, Иван Петров",
        "Yours sincerely,",
        "www.example.org",
        "тел. (044) 123-45-67",
        "* * *",
        "я" * 400,
    ):
        assert refine([heading(text), TEXT])[0] == paragraph(text)
    for text in (
        "Глава 1",
        "С уважением к прошлому: как мы жили прежде",
        "Телефонное право",
        "Yours, Mine and Ours",
    ):
        assert refine([heading(text), TEXT])[0].kind == "heading"


LINES = st.sampled_from(
    [paragraph("Содержание"), paragraph("Дорога 5"), paragraph("Встреча .... 9"), paragraph("Дорога"), heading("Дорога"),
     heading("Встреча"), heading("I", 6), paragraph("Разлука 12"), TEXT, Element("table", "Глава 2 | Встреча")]
)  # fmt: skip


@settings(deadline=None)
@given(st.lists(LINES, max_size=25))
def test_nothing_is_lost_and_contents_are_found_once(elements: list[Element]) -> None:
    def words(items: list[Element]) -> list[str]:
        return " ".join(item.text.replace("|", " ").replace(".", " ") for item in items).split()

    assert words(list(refine(elements))) == words(elements)
    once = find_contents(elements).elements
    assert find_contents(once).elements == once


def test_a_price_list_in_the_midst_of_chapters_is_no_contents() -> None:
    listed = [paragraph(line) for line in ("Содержание", "Хлеб 3", "Соль 4", "Вода 5", "Масло 7")]
    chapters = [e for n in range(1, 5) for e in (heading(f"Глава {n}"), TEXT, TEXT, *listed, TEXT)]
    assert not [e.text for e in refine(chapters) if e.drop]


def test_a_table_of_one_column_or_one_row_is_a_heading() -> None:
    for text, title in [
        ("| Глава 1 |\n| --- |\n| Приезд |", "Глава 1. Приезд"),
        ("| Глава 1 | Приезд |", "Глава 1. Приезд"),
        ("Глава 1\nПриезд", "Глава 1. Приезд"),
    ]:
        assert next((e.kind, e.text) for e in refine([Element("table", text), TEXT])) == ("heading", title)
    table = Element("table", "| Глава 1 | 3 |\n| Глава 2 | 9 |")
    assert refine([table, TEXT])[0] == table


def test_a_number_and_a_title_in_headings_of_their_own_are_one() -> None:
    numbered = [e for n, t in zip("I II III".split(), TITLES) for e in (heading(n), heading(t), TEXT)]  # noqa: B905, SIM905
    assert [e.text for e in refine([*numbered, heading("Разлука"), TEXT]) if e.kind == "heading"] == [
        "I. Дорога",
        "II. Встреча",
        "III. Разлука",
        "Разлука",
    ]


def test_parts_are_not_called_by_their_first_chapters() -> None:
    parts = [element for part in ("Часть I", "Часть II") for element in (heading(part), *chapters())]
    bare = [element for n in "12345" for element in (heading(n), TEXT)]
    for elements in (parts, [heading("1"), heading("Дорога"), TEXT, *bare], [heading("I", 4), *chapters()]):
        assert list(refine(elements)) == elements


def test_a_word_for_notes_above_a_list_is_no_heading_inside_a_section() -> None:
    item = Element("list_item", "Час зупиняють на прохання судді.")
    for word, below in (
        ("Примітки:", item),
        ("Примечание:", paragraph("Кроме воскресений.")),
        ("Notes:", item),
    ):
        above = [heading("Гра"), TEXT]
        assert list(refine([*above, heading(word, 3), below])) == [*above, paragraph(word), below]
        for kept in (
            [*above, heading(word, 3), TEXT],
            [*above, heading(word.strip(":"), 3), below],
            [heading(word, 3), below, *above],
        ):
            assert list(refine(kept)) == kept
