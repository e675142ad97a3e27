"""A text that was made into a file of any format comes back from it: every word, in order."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.ingest.makers import MAKERS, Block
from tgrag.ingest.parse import parse

TEXT = [
    Block("heading", "Вступительное слово к изданию"),
    Block("paragraph", "— Скажи-ка, дядя, — спросил он, — ведь «не даром»… Москва, спалённая пожаром?"),
    Block("paragraph", "Вона відповіла: “Ні!” – і пішла; ґанок, їжак, п’ять об’єктів № 5."),
    Block("item", "первый пункт списка & прочее < больше"),
    Block("item", "the second item, well-known"),
    Block("table", "Имя | Город\nИван | Київ\nJohn | Los Angeles"),
    Block("heading", "Another part: details"),
    Block("paragraph", "It was the best of times, it was the “worst” of times — wasn’t it?"),
]
SENTENCES = [
    "Однажды играли в карты у конногвардейца Нарумова.",
    "— Что ты сделал, Сурин? — спросил хозяин.",
    "Реве та стогне Дніпр широкий, сердитий вітер завива.",
    "“Curiouser and curiouser!” cried Alice (she was so much surprised).",
    "25 °C; 1799 г. — «т. е.» руб.",
]


def words(name: str, data: bytes) -> list[str]:
    document = parse(name, data)
    assert document.status == "ok", document.reason
    return [word for element in document.elements for word in element.text.split() if word != "|"]


def known_words(blocks: list[Block]) -> list[str]:
    return [word for block in blocks for word in block.text.split() if word != "|"]


@pytest.mark.parametrize("format", MAKERS)
def test_every_word_comes_back_in_order(format: str) -> None:
    assert words(f"a.{format}", MAKERS[format](TEXT)) == known_words(TEXT)


@pytest.mark.parametrize("format", MAKERS)
def test_headings_items_and_tables_are_told(format: str) -> None:
    kinds = [element.kind for element in parse(f"a.{format}", MAKERS[format](TEXT)).elements]
    assert kinds.count("heading") == 2
    assert kinds.count("table") == 1
    if format not in ("fb2", "pptx"):  # FictionBook has no lists; the slides were made of text boxes
        assert kinds.count("list_item") == 2


PROSE = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=3).map(" ".join)
BLOCKS = st.lists(st.builds(Block, st.sampled_from(["paragraph", "item"]), PROSE), min_size=1, max_size=5)


@pytest.mark.parametrize("format", ["docx", "odt", "html", "epub", "fb2"])
@settings(max_examples=15, deadline=None)
@given(blocks=BLOCKS)
def test_any_prose_comes_back(format: str, blocks: list[Block]) -> None:
    assert words(f"a.{format}", MAKERS[format](blocks)) == known_words(blocks)
