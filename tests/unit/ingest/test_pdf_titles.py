"""PDF: chapters that are numbers, and contents pages of few lines."""

from itertools import chain

import pytest

from tests.unit.ingest.printing import HEIGHT, Piece, Style, Text, printed, printed_pieces
from tests.unit.ingest.test_pdf import body, passages, read, words
from tgrag.ingest.parse import parse


@pytest.mark.parametrize("new_page", [False, True])
def test_chapters_that_are_numbers_alone_are_headings(new_page: bool) -> None:
    plain = passages("ru")
    texts = list(
        chain.from_iterable(
            (
                Text(f"{n}", "heading", size=14, new_page=new_page and n > 1),
                *map(Text, plain[2 * n : 2 * n + 2]),
            )
            for n in range(1, 6)
        )
    )
    document = read(printed(texts, Style(foot=str)))
    assert body(document, "heading") == ["1", "2", "3", "4", "5"]
    assert words(body(document)) == words([text.text for text in texts])


@pytest.mark.parametrize("numbers", [("1941", "1942", "1943"), ("7", "2", "5"), ("1", "2")])
def test_numbers_that_count_nothing_are_text(numbers: tuple[str, ...]) -> None:
    texts = []
    for number, passage in zip(numbers, passages("en"), strict=False):
        texts += [Text(number, "heading", size=14), Text(passage)]
    assert body(read(printed(texts, Style())), "heading") == []


@pytest.mark.parametrize("leaders", ["", "." * 40])
def test_a_contents_page_of_few_lines_is_no_table(leaders: str) -> None:
    entries = (("Вступ", "7"), ("Дорога", "9"), ("Степ", "11"))
    lines: list[Piece] = []
    for row, (title, page) in enumerate(entries):
        y = HEIGHT - 90 - 16 * row
        lines += [(50, y, f"{title} {leaders}".strip()), (366 - 5.6 * (len(page) - 1), y, page)]
    kinds = {element.text.split()[0]: element.kind for element in read(printed_pieces([lines])).elements}
    assert kinds == dict.fromkeys(("Вступ", "Дорога", "Степ"), "paragraph")


@pytest.mark.parametrize("foot_first", [False, True])
@pytest.mark.parametrize("chapter", ["Розділ", "Глава", "Chapter"])
def test_leaders_that_are_drawn_after_the_page_numbers_stand_before_them(
    chapter: str, foot_first: bool
) -> None:
    """A typesetter draws the title, the number and then the dots between: read so, contents are no contents."""
    titles = [f"{chapter} {number}. Дорога" for number in (1, 2, 3)]
    contents: list[Piece] = []
    for row, title in enumerate(titles):
        y = HEIGHT - 90 - 16 * row
        contents += [(50, y, title), (366, y, str(row + 5)), (150, y, "." * 70)]
    if foot_first:
        contents = [(205, 26, "1"), *contents]
    pages = [contents]
    for title, text in zip(titles, passages("uk"), strict=False):
        words_of = text.split()
        lines = [" ".join(words_of[place : place + 8]) for place in range(0, len(words_of), 8)]
        pages.append([(50, 350, title), *((50, 300 - 14 * row, line) for row, line in enumerate(lines[:18]))])
    elements = [e for e in read(printed_pieces(pages)).elements if e.text != "1"]
    assert [element.text.rstrip("0123456789").rstrip(" .") for element in elements[:3]] == titles
    assert [element.text[-1] for element in elements[:3]] == ["5", "6", "7"]
    assert [element.text for element in elements[3:] if element.kind == "heading"] == titles


@pytest.mark.parametrize(
    ("lines", "heading"),
    [
        (("Глава 1", "Приезд"), "Глава 1. Приезд"),
        (("Розділ 1.", "Приїзд"), "Розділ 1. Приїзд"),
        (("CHAPTER I", "THE ARRIVAL", "AT NIGHT"), "CHAPTER I. THE ARRIVAL AT NIGHT"),
        (("Chapter 1", "(A Digression)"), "Chapter 1 (A Digression)"),
    ],
)
def test_a_title_below_its_number_is_joined_as_in_plain_text(lines: tuple[str, ...], heading: str) -> None:
    text = passages("ru")[0]
    pieces: list[Piece] = [(150, 390 - 16 * row, line) for row, line in enumerate(lines)]
    pieces += [(50, 310 - 14 * row, text[60 * row : 60 * row + 60].strip()) for row in range(8)]
    document = read(printed_pieces([pieces]))
    assert body(document, "heading") == [heading]
    assert parse("a.txt", f"{chr(10).join(lines)}\n\n{text}\n".encode()).elements[0].text == heading
    element = document.elements[0]
    parts = [
        element.text[fragment.start :].startswith(line.rstrip("."))
        for fragment, line in zip(element.fragments, lines, strict=True)
    ]
    assert all(parts)


def test_a_word_that_opens_or_closes_stands_beside_the_headings_that_look_like_it() -> None:
    names = ("ВСТУП", "МАТЕРІАЛИ ТА МЕТОДИ", "РЕЗУЛЬТАТИ", "ВИСНОВКИ")
    texts = []
    for name, passage in zip(names, passages("uk"), strict=False):
        texts += [Text(name, "heading", size=14), Text(passage)]
    headings = [e for e in read(printed(texts, Style())).elements if e.kind == "heading"]
    assert [(e.text, e.level) for e in headings] == [(name, 8) for name in names]
