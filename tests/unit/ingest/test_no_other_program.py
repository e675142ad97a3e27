"""No part of a file is handed to another program, though one that could paint it is installed."""

import io
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import docx
import openpyxl
import pytest
from docling.backend.docx.drawingml.utils import get_docx_to_pdf_converter
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from openpyxl.drawing.image import Image as SheetImage
from PIL import Image
from pptx import Presentation

from tests.unit.ingest.samples import zipped
from tgrag.ingest.parse import parse

TEXT = "The text beside the drawing."
METAFILE = struct.pack("<10i4s", 1, 108, 0, 0, 8, 8, 0, 0, 800, 800, b" EMF") + bytes(64)
SHAPE = f"""<w:r {nsdecls("w", "wp", "a")}><w:drawing><wp:inline><wp:extent cx="900" cy="900"/><a:graphic>
    <a:graphicData uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"/>
    </a:graphic></wp:inline></w:drawing></w:r>"""


def picture() -> io.BytesIO:
    buffer = io.BytesIO()
    Image.new("RGB", (8, 8)).save(buffer, "PNG")
    buffer.seek(0)
    return buffer


def with_metafiles(data: bytes) -> bytes:
    """Put an old kind of picture in the place of each picture."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    return zipped({name: METAFILE if name.endswith(".png") else part for name, part in files.items()})


def word() -> bytes:
    document, buffer = docx.Document(), io.BytesIO()
    document.add_paragraph(TEXT)._p.append(parse_xml(SHAPE))
    document.save(buffer)
    return buffer.getvalue()


def word_with_picture() -> bytes:
    document, buffer = docx.Document(), io.BytesIO()
    document.add_paragraph(TEXT)
    document.add_picture(picture())
    document.save(buffer)
    return with_metafiles(buffer.getvalue())


def presentation() -> bytes:
    slides, buffer = Presentation(), io.BytesIO()
    slide = slides.slides.add_slide(slides.slide_layouts[5])
    slide.shapes.title.text = TEXT
    slide.shapes.add_picture(picture(), 0, 0)
    slides.save(buffer)
    return with_metafiles(buffer.getvalue())


def workbook() -> bytes:
    book, buffer = openpyxl.Workbook(), io.BytesIO()
    book.active["A1"] = TEXT
    book.active.add_image(SheetImage(picture()), "B2")
    book.save(buffer)
    return with_metafiles(buffer.getvalue())


FILES: dict[str, tuple[str, Callable[[], bytes]]] = {
    "a shape in Word": ("a.docx", word),
    "a picture in Word": ("a.docx", word_with_picture),
    "a picture on a slide": ("a.pptx", presentation),
    "a picture in a sheet": ("a.xlsx", workbook),
}


@pytest.mark.parametrize("case", FILES)
def test_libreoffice_is_never_run(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = tmp_path / "trace"
    for name in ("soffice", "libreoffice"):
        program = tmp_path / name
        program.write_text(f'#!/bin/sh\necho "$@" >> {trace}\n')
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert get_docx_to_pdf_converter() is not None  # Docling would find it
    name, make = FILES[case]
    document = parse(name, make())
    assert TEXT in [element.text for element in document.elements]
    assert not trace.exists(), trace.read_text()
