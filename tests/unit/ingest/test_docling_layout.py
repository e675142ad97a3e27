"""Docling's full pipeline cannot run without its models: what is ours of it is tested on a document built by hand."""

import importlib.util

import pytest
from docling_core.types.doc import (
    BoundingBox,
    ContentLayer,
    CoordOrigin,
    DocItemLabel,
    DoclingDocument,
    ProvenanceItem,
    Size,
    TableCell,
    TableData,
)

from tests.unit.ingest.samples import RUSSIAN, pdf
from tgrag.errors import ConfigurationError
from tgrag.ingest.docling_layout import (
    check,
    pipeline_options,
    read_pdf_layout,
    to_elements,
    without_garbage,
)
from tgrag.records import Box, Element, Fragment
from tgrag.settings import ParseSettings

LAYOUT = ParseSettings(pdf="layout")


def place(page: int, top: float, start: int, end: int) -> ProvenanceItem:
    """A line 20 points high; Docling counts from the bottom of a page of 800 points."""
    box = BoundingBox(l=50, t=800 - top, r=500, b=780 - top, coord_origin=CoordOrigin.BOTTOMLEFT)
    return ProvenanceItem(page_no=page, bbox=box, charspan=(start, end))


@pytest.fixture
def document() -> DoclingDocument:
    document = DoclingDocument(name="book")
    for number in (1, 2):
        document.add_page(page_no=number, size=Size(width=600, height=800))
    document.add_text(
        DocItemLabel.PAGE_HEADER,
        "Пиковая дама",
        prov=place(1, 10, 0, 12),
        content_layer=ContentLayer.FURNITURE,
    )
    document.add_title("Пиковая  дама", prov=place(1, 50, 0, 13))
    document.add_heading("Глава I", level=1, prov=place(1, 100, 0, 7))
    paragraph = document.add_text(DocItemLabel.TEXT, "Сели ужинать в пятом часу.", prov=place(1, 700, 0, 13))
    paragraph.prov.append(place(2, 50, 13, 26))
    cells = [
        TableCell(text=text, start_row_offset_idx=0, end_row_offset_idx=1, start_col_offset_idx=column,
                  end_col_offset_idx=column + 1)
        for column, text in enumerate(("Тройка", "семёрка", "туз"))
    ]  # fmt: skip
    document.add_table(TableData(table_cells=cells, num_rows=1, num_cols=3), prov=place(2, 100, 0, 0))
    document.add_text(DocItemLabel.FOOTNOTE, "1 Руте: ставка.", prov=place(2, 700, 0, 15))
    return document


def test_items_become_elements_with_their_places(document: DoclingDocument) -> None:
    header, title, heading, paragraph, table, footnote = to_elements(document)
    assert header.drop and header.drop.kind == "page_furniture"
    assert (title.kind, title.level, title.text) == ("heading", 1, "Пиковая дама")
    assert (heading.kind, heading.level, heading.text) == ("heading", 2, "Глава I")
    assert paragraph.fragments == (
        Fragment(0, 1, Box(50, 700, 500, 720)),
        Fragment(13, 2, Box(50, 50, 500, 70)),
    )
    assert (table.kind, table.text) == ("table", "Тройка | семёрка | туз")
    assert (footnote.kind, footnote.fragments[0].page) == ("footnote", 2)


def test_a_page_that_is_not_language_is_dropped_in_its_place() -> None:
    garbage = RUSSIAN.encode("cp1251").decode("latin-1")
    elements = [Element("paragraph", text, fragments=(Fragment(0, page),))
                for page, text in ((1, RUSSIAN), (2, garbage), (3, RUSSIAN))]  # fmt: skip
    kept, warnings = without_garbage(elements)
    assert [element.text for element in kept] == [element.text for element in elements]
    assert [element.drop is not None for element in kept] == [False, True, False]
    (warning,) = warnings
    assert warning.startswith("page 2: ")


def test_text_recognition_follows_the_settings() -> None:
    assert not pipeline_options(LAYOUT).do_ocr
    options = pipeline_options(ParseSettings(pdf="layout", ocr="tesseract", ocr_languages=("uk", "en")))
    assert options.do_ocr and list(options.ocr_options.lang) == ["ukr", "eng"]


def test_artifacts_must_be_a_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name)
    with pytest.raises(ConfigurationError, match="docling-tools models download -o /nowhere"):
        check(ParseSettings(pdf="layout", artifacts_path="/nowhere"))


@pytest.mark.skipif(importlib.util.find_spec("torch") is not None, reason="torch is installed")
def test_without_models_it_says_what_to_install() -> None:
    with pytest.raises(ConfigurationError, match=r"tgrag\[layout\].*docling-tools models download"):
        read_pdf_layout(pdf([[(50, 700, "A page.")]]), LAYOUT, lambda: None)
