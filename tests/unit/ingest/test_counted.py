"""Chapters that are numbers and nothing else."""

import pytest

from tgrag.ingest.counted import with_counted
from tgrag.ingest.parse import parse
from tgrag.records import Element

TEXT = "Степь молчала, и дорога шла дальше, мимо курганов и тихих хуторов." + " Тихо." * 30


def headings(*texts: str) -> list[str]:
    found = with_counted([Element("paragraph", text) for text in texts])
    assert tuple(element.text for element in found) == texts
    return [element.text for element in found if element.kind == "heading"]


@pytest.mark.parametrize(
    "names", [("1", "2", "3"), ("1.", "2.", "3."), ("ONE", "TWO", "THREE"), ("Перша", "Друга", "Третя")]
)
def test_numbers_with_text_between_them_are_headings(names: tuple[str, ...]) -> None:
    first, second, third = names
    assert headings("СТЕПЬ", first, TEXT, second, TEXT, TEXT, third, TEXT) == list(names)


@pytest.mark.parametrize(
    "texts",
    [
        ("1", TEXT, "2", TEXT),
        ("1", "Хлеб.", "2", "Соль.", "3", "Вода."),
        ("5", TEXT, "6", TEXT, "7", TEXT),
        ("1", TEXT, "7", TEXT, "2", TEXT, "9", TEXT, "3", TEXT),
        (TEXT + "и", "1", TEXT + "и", "2", TEXT + "и", "3", TEXT),
    ],
)
def test_numbers_that_count_no_text_are_none(texts: tuple[str, ...]) -> None:
    assert headings(*texts) == []


def test_a_page_of_html_has_them() -> None:
    page = "".join(f"<center>{n}</center><p>{TEXT}</p>" for n in range(1, 5))
    document = parse("book.html", f"<html><body>{page}</body></html>".encode())
    assert [e.text for e in document.elements if e.kind == "heading"] == ["1", "2", "3", "4"]
