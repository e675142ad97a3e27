"""PDF: chapters that are numbers, and contents pages of few lines."""

from itertools import chain

import pytest

from tests.unit.ingest.printing import HEIGHT, Piece, Style, Text, printed, printed_pieces
from tests.unit.ingest.test_pdf import body, passages, read, words


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
