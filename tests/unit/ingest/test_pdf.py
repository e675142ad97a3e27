"""Texts that are printed, read back: all of their words in order, and what a printer adds told apart."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from PIL import Image

from tests.unit.ingest.printing import HEIGHT, WIDTH, Piece, Style, Text, printed, printed_pieces
from tgrag.ingest.page import Line, Page
from tgrag.ingest.parse import parse
from tgrag.ingest.pdf import document as pdf_document
from tgrag.ingest.pdf import read_pdf
from tgrag.ingest.refusal import Refused
from tgrag.records import Element, ParsedDocument
from tgrag.settings import ParseSettings

PASSAGES = Path(__file__).parents[2] / "fixtures" / "passages"
LANGUAGES = ("ru", "uk", "en")
ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv", "xv")


def passages(language: str) -> list[str]:
    return (PASSAGES / f"{language}.txt").read_text("utf-8").splitlines()


def read(data: bytes) -> ParsedDocument:
    return read_pdf(data, ParseSettings(), lambda: None)


def body(document: ParsedDocument, *kinds: str) -> list[str]:
    return [e.text for e in document.elements if not e.drop and (not kinds or e.kind in kinds)]


def words(texts: Sequence[str]) -> list[str]:
    return " ".join(texts).split()


def pages(element: Element) -> list[int]:
    return sorted({fragment.page for fragment in element.fragments})


def novel(language: str, **formats: bool) -> list[Text]:
    """Fifteen paragraphs in three chapters."""
    names = {"ru": "Глава {}", "uk": "Розділ {}", "en": "Chapter {}"}
    texts = []
    for chapter in range(3):
        texts.append(Text(names[language].format(chapter + 1), "heading", new_page=chapter > 0, **formats))
        texts += [Text(passage) for passage in passages(language)[5 * chapter : 5 * chapter + 5]]
    return texts


STYLES = {
    "indents": Style(),
    "gaps": Style(indent=0, gap=8),
    "wide": Style(leading=2.0),
    "soft hyphens": Style(hyphen="\u00ad"),
    "two columns": Style(n_columns=2, size=8),
    "heads and numbers": Style(
        head=lambda n: ("Сочинения. Том первый" if n % 2 else "В начале пути") if n > 1 else None, foot=str
    ),
    "numbers above": Style(head=lambda n: f"— {n + 6} —"),
    "Roman numbers": Style(foot=lambda n: ROMAN[n - 1]),
    "number in the head": Style(
        head=lambda n: f"{n + 1}     The Works" if n % 2 else f"The Works     {n + 1}"
    ),
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("style", STYLES)
def test_a_printed_text_is_read_back_word_by_word(language: str, style: str) -> None:
    texts = novel(language)
    document = read(printed(texts, STYLES[style]))
    assert words(body(document)) == words([text.text for text in texts])
    assert body(document, "heading") == [text.text for text in texts if text.kind == "heading"]
    assert body(document, "paragraph", "list_item") == [
        text.text for text in texts if text.kind == "paragraph"
    ]
    for element in document.elements:
        assert element.fragments[0].start == 0
        starts = [fragment.start for fragment in element.fragments]
        assert starts == sorted(set(starts)) and starts[-1] < len(element.text)
        assert all(fragment.box for fragment in element.fragments)


@pytest.mark.parametrize(
    "style", ["heads and numbers", "numbers above", "Roman numbers", "number in the head"]
)
def test_furniture_is_dropped_on_every_page_and_stays_in_its_place(style: str) -> None:
    document = read(printed(novel("ru"), STYLES[style]))
    dropped = [element for element in document.elements if element.drop]
    assert all(element.drop and element.drop.kind == "page_furniture" for element in dropped)
    printed_by = STYLES[style]
    expected = [
        " ".join(text.split())
        for number in range(1, (document.n_pages or 0) + 1)
        for text in (printed_by.head(number), printed_by.foot(number))
        if text
    ]
    assert sorted(element.text for element in dropped) == sorted(expected)
    in_order = [pages(element)[0] for element in document.elements]
    assert all(later >= earlier - 1 for earlier, later in pairwise(in_order))


def test_a_paragraph_over_a_page_is_one_and_furniture_comes_after_it() -> None:
    document = read(printed([Text(passage) for passage in passages("ru")[:12]], STYLES["heads and numbers"]))
    over = [element for element in document.elements if len(pages(element)) == 2]
    assert over
    for element in over:
        place = document.elements.index(element)
        first, second = pages(element)
        assert second == first + 1
        assert [pages(other) for other in document.elements[place + 1 : place + 3]] == [[first], [second]]
        assert all(other.drop for other in document.elements[place + 1 : place + 3])
        inside = next(fragment for fragment in element.fragments if fragment.page == second)
        assert 0 < inside.start < len(element.text)


def test_a_paragraph_over_many_pages_is_one() -> None:
    known = ["и", "дорога", "вела", "через", "лес", "ночью", "где", "старый", "дом", "стоял"]
    lines = [" ".join(known[int(digit)] for digit in f"{n * 70_909_093:010}") for n in range(1, 31)]
    pieces = [
        [(50.0, TOP - 14 * i, line) for i, line in enumerate(lines[n : n + 3])] for n in range(0, 30, 3)
    ]
    document = read(printed_pieces(pieces))
    assert body(document, "paragraph") == [" ".join(lines)]
    assert pages(document.elements[0]) == list(range(1, 11))


@pytest.mark.parametrize("language", LANGUAGES)
def test_footnotes_are_told_apart_and_do_not_part_a_paragraph(language: str) -> None:
    notes = ["1 Слово о словах, которое ничего не меняет.", "* См. первое издание.", "12) A word on words."]
    plain = passages(language)[:12]
    texts = [
        Text(text, note=notes[index // 4] if index % 4 == 0 else None) for index, text in enumerate(plain)
    ]
    document = read(printed(texts, Style(foot=str)))
    assert body(document, "footnote") == notes
    assert body(document, "paragraph", "list_item") == plain


@pytest.mark.parametrize("foot", [str, lambda number: None], ids=["numbers", "no foot"])
@pytest.mark.parametrize("mark", ["*", "1", "**"])
def test_a_footnote_that_repeats_at_one_place_is_no_furniture(
    mark: str, foot: Callable[[int], str | None]
) -> None:
    note = f"{mark} Слово о словах, которое ничего не меняет, но повторяется на каждой странице и тянется на две строки."
    plain = passages("ru")[:4]
    texts = [Text(text, note=note, new_page=index > 0) for index, text in enumerate(plain)]
    document = read(printed(texts, Style(foot=foot)))
    assert body(document, "footnote") == [note] * 4
    assert body(document, "paragraph") == plain


def test_notes_that_count_with_the_numbered_pages_are_no_furniture() -> None:
    notes = [f"{number} Там же." for number in range(1, 6)]
    texts = [
        Text(text, note=note, new_page=note != notes[0])
        for text, note in zip(passages("ru"), notes, strict=False)
    ]
    assert body(read(printed(texts, Style(foot=str))), "footnote") == notes


def test_a_small_running_foot_that_begins_with_the_page_number_is_furniture() -> None:
    foots = Style(foot=lambda number: f"{number} Сочинения", foot_size=0.75)
    document = read(printed([*map(Text, passages("ru"))], foots))
    dropped = [element.text for element in document.elements if element.drop]
    assert dropped == [f"{number} Сочинения" for number in range(1, (document.n_pages or 0) + 1)]


def test_headings_by_type_size_nest_and_a_lonely_large_line_is_none() -> None:
    plain = passages("en")
    texts = [Text("The Collected Works", "heading", size=24)]
    for index, name in enumerate(("Rivers", "Mountains", "Plains")):
        texts.append(Text(name, "heading", size=18))
        texts += [Text(f"On {name} in Winter", "heading", size=14), Text(plain[2 * index])]
        texts += [Text(f"On {name} in Summer", "heading", size=14), Text(plain[2 * index + 1])]
    document = read(printed(texts, Style()))
    headings = [(e.level, e.text) for e in document.elements if e.kind == "heading"]
    assert [text for _, text in headings] == [text.text for text in texts[1:] if text.kind == "heading"]
    high, low = headings[0][0], headings[1][0]
    assert high and low and 8 <= high < low
    assert [level for level, _ in headings] == [high, low, low] * 3


def test_the_outline_tells_headings_that_nothing_else_shows() -> None:
    plain = passages("uk")
    texts = []
    for index, name in enumerate(("Про гори", "Про ріки", "Про поле")):
        texts.append(Text(name, in_outline=True, new_page=index > 0))
        texts += [Text(passage) for passage in plain[3 * index : 3 * index + 3]]
    document = read(printed(texts, Style(gap=6)))
    assert [(e.level, e.text) for e in document.elements if e.kind == "heading"] == [
        (5, "Про гори"),
        (5, "Про ріки"),
        (5, "Про поле"),
    ]
    assert words(body(document)) == words([text.text for text in texts])


def test_a_bold_line_that_is_no_heading_opens_nothing() -> None:
    texts = [Text("ТОВ «Ромашка»", "heading", size=10), *map(Text, passages("uk")[:3])]
    texts.append(Text("Директор І. Франко", "heading", size=10))
    document = read(printed(texts, Style()))
    assert body(document, "heading") == []
    assert words(body(document)) == words([text.text for text in texts])


def test_a_few_large_lines_in_one_place_do_not_name_all_that_follows() -> None:
    plain = passages("uk")
    few = [
        Text("Дороги", "heading", size=16),
        Text("Тихо."),
        Text("Річки", "heading", size=16),
        Text("Тепло."),
    ]
    document = read(printed([*map(Text, plain[:2]), *few, *map(Text, plain[2:])], Style()))
    assert body(document, "heading") == []


def test_a_heading_that_repeats_is_kept() -> None:
    texts = []
    for index, passage in enumerate(passages("ru")[:6]):
        texts += [Text("Упражнения", "heading", size=16, new_page=index > 0), Text(passage)]
    document = read(printed(texts, Style(foot=str)))
    assert body(document, "heading") == ["Упражнения"] * 6


# --- the order of the file ----------------------------------------------------------------------------

TOP = HEIGHT - 60


def column(x: float, name: str, n: int = 8) -> list[Piece]:
    return [(x, TOP - 40 - 14 * i, f"{name} строка {i} идёт до края колонки") for i in range(n)]


def test_two_columns_given_line_by_line_across_are_read_one_after_the_other() -> None:
    left, right = column(40, "левая"), column(230, "правая")
    head = (40.0, TOP, "Заголовок над обеими колонками, который стоит поперёк всей страницы")
    across = [head, *(piece for pair in zip(left, right, strict=True) for piece in pair)]
    document = read(printed_pieces([across]))
    assert words(body(document)) == words([text for _, _, text in (head, *left, *right)])


def test_what_stands_above_comes_first_whatever_the_file_says() -> None:
    left, right = column(40, "левая"), column(230, "правая")
    head = (40.0, TOP, "Глава 1. Начало")
    document = read(printed_pieces([[*left, *right, head]]))
    assert words(body(document)) == words([text for _, _, text in (head, *left, *right)])
    assert document.elements[0].kind == "heading"


def test_a_table_keeps_its_rows() -> None:
    rows = [("Товар", "Цена, руб.", "Срок"), ("Хлеб", "25", "1 день"), ("Соль", "8", "всегда")]
    places = [
        (x, TOP - 14 * i, cell)
        for i, row in enumerate(rows)
        for x, cell in zip((50, 180, 300), row, strict=True)
    ]
    document = read(printed_pieces([places]))
    assert [(e.kind, e.text) for e in document.elements] == [
        ("table", "\n".join(" | ".join(row) for row in rows))
    ]


def test_marks_that_the_file_gives_last_are_put_before_their_items() -> None:
    items = [(80.0, TOP - 14 * i, f"пункт {name};") for i, name in enumerate(("первый", "второй", "третий"))]
    marks = [(60.0, y, "•") for _, y, _ in items]
    document = read(printed_pieces([[*items, *marks]]))
    assert [(e.kind, e.text) for e in document.elements] == [
        ("list_item", f"• {text}") for _, _, text in items
    ]


# --- what cannot be read ------------------------------------------------------------------------------


def test_on_page_is_called_for_every_page_that_is_read_and_as_it_is_laid_out() -> None:
    calls: list[None] = []
    data = printed_pieces([[(50.0, TOP, f"Страница номер {n}.")] for n in range(7)])
    assert read_pdf(data, ParseSettings(), lambda: calls.append(None)).n_pages == 7
    assert len(calls) >= 7 + 7 + 7  # read, put into rows, cut into blocks


GLYPHS = "M]heh^guc dh_dk Jhkkbckdhc N_^_jZpbb hl bxgy ]h^Z KlZlvy Gh\\u_ aZdhgu ij_^mkfZljb\\Zxsb_ m]heh^gmx"
GARBLED = [(50.0, TOP - 14 * i, GLYPHS[i : i + 50]) for i in range(12)]
PICTURE = Image.new("L", (300, 300), 128)


def prose(language: str) -> list[Piece]:
    text = passages(language)[2]
    return [(50.0, TOP - 14 * i, text[60 * i : 60 * i + 60].strip()) for i in range(8)]


def test_pages_that_cannot_be_read_are_named_and_dropped_in_their_place() -> None:
    document = read(printed_pieces([prose("ru"), PICTURE, GARBLED, GARBLED, GARBLED, prose("uk")]))
    kinds = [(e.drop.kind if e.drop else "text", pages(e)) for e in document.elements]
    unreadable = [("unreadable", [page]) for page in (2, 3, 4, 5)]
    assert [kind for kind in kinds if kind[0] == "unreadable"] == unreadable
    assert [page for _, page in kinds] == sorted(page for _, page in kinds)
    assert GLYPHS[5:40] in " ".join(e.text for e in document.elements if e.drop)
    assert len(document.warnings) == 2
    assert document.warnings[0].startswith("page 2: ") and "picture" in document.warnings[0]
    assert document.warnings[1].startswith("pages 3–5: ")


@pytest.mark.parametrize(("page", "says"), [(PICTURE, "scan"), (GARBLED, "cannot be copied")])
def test_a_document_without_a_readable_page_is_refused(page: list[Piece] | Image.Image, says: str) -> None:
    with pytest.raises(Refused, match=says):
        read(printed_pieces([page, page]))


def test_pages_without_readable_text_go_to_text_recognition(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    class Reader:
        def read(self, data: bytes, numbers: Sequence[int]) -> Iterator[Page]:
            asked.extend(numbers)
            for number in numbers:
                lines = [
                    Line(text, x, HEIGHT - y - 8, x + 5 * len(text), HEIGHT - y, 8.0 + index % 3)
                    for index, (x, y, text) in enumerate(prose("uk"))
                ]
                yield Page(number, WIDTH, HEIGHT, tuple(lines) if number == 2 else ())

    monkeypatch.setattr(pdf_document, "open_reader", lambda settings: Reader())
    document = read(printed_pieces([prose("ru"), PICTURE, GARBLED, prose("en")]))
    assert asked == [2, 3]
    recognised = " ".join(text for _, _, text in prose("uk"))
    assert recognised in " ".join(body(document))
    assert len([e for e in document.elements if 2 in pages(e)]) < 5  # uneven letters part no paragraphs
    assert [(e.drop.kind, pages(e)) for e in document.elements if e.drop] == [("unreadable", [3])]
    assert [warning.split(":")[0] for warning in document.warnings] == ["page 3"]


def test_an_empty_page_is_no_fault() -> None:
    document = read(printed_pieces([prose("ru"), [], prose("en")]))
    assert document.n_pages == 3 and not document.warnings
    assert {page for e in document.elements for page in pages(e)} == {1, 3}


def test_a_contents_page_is_dropped_and_its_chapters_are_found() -> None:
    names = ["Про гори та доли", "Про ріки й озера", "Про поле", "Про степ"]
    texts = [Text("Зміст"), *(Text(f"{name} {'.' * 40} {3 * index + 2}") for index, name in enumerate(names))]
    for index, name in enumerate(names):
        texts.append(Text(name, new_page=True))
        texts += map(Text, passages("uk")[4 * index : 4 * index + 4])
    document = parse("a.pdf", printed(texts, Style(gap=8)))
    assert [e.text for e in document.elements if e.kind == "heading"] == names
    dropped = [(e.drop.kind, pages(e)) for e in document.elements if e.drop]
    assert dropped == [("contents", [1])] * 5


def test_titles_with_numbers_on_the_right_are_lines_of_contents_and_prices_are_a_table() -> None:
    def rows(numbers: Sequence[int]) -> list[Piece]:
        places = [TOP - 14 * index for index in range(len(numbers))]
        cells = [
            [(50.0, y, f"Рядок номер {y:.0f}"), (330.0, y, str(n))]
            for y, n in zip(places, numbers, strict=True)
        ]
        return [piece for row in cells for piece in row]

    assert len(read(printed_pieces([rows([2, 5, 9])])).elements) == 3
    assert [e.kind for e in read(printed_pieces([rows([25, 8, 90])])).elements] == ["table"]


def test_speech_is_no_list() -> None:
    lines: list[Piece] = [(50, 380, "— Да, я приеду."), (50, 350, "• молоток")]
    kinds = {element.text[0]: element.kind for element in read(printed_pieces([lines])).elements}
    assert kinds == {"—": "paragraph", "•": "list_item"}


def test_two_stretched_lines_of_a_narrow_column_are_no_table() -> None:
    row = ((50, "nger"), (110, "was"), (170, "sent")), ((50, "nearest"), (110, "point"), (170, "where"))
    lines: list[Piece] = [(x, 380 - 13 * index, text) for index, cells in enumerate(row) for x, text in cells]
    elements = read(printed_pieces([lines])).elements
    assert [element.kind for element in elements] == ["paragraph"]
