"""Raised and lowered characters do not become part of the word or the number that they hang on."""

import io

import docx
import pytest
from odfdo import Document as OpenDocument
from odfdo import Element as OpenElement
from odfdo import Style
from reportlab.pdfgen.canvas import Canvas

from tests.unit.ingest.makers import with_part
from tests.unit.ingest.samples import epub, fb2, page
from tgrag.ingest.parse import parse
from tgrag.ingest.scripts import lowered, raised

MARKED = "Площа 10<sup>2</sup> м<sup>2</sup>, H<sub>2</sub>O і x<sup>−1</sup>, не 2<sup>k+1</sup>; the 19<sup>th</sup>."
WRITTEN = "Площа 10² м², H₂O і x⁻¹, не 2^(k+1); the 19th."


@pytest.mark.parametrize(
    ("text", "above", "below"),
    [
        ("2", "²", "₂"),
        ("-12", "⁻¹²", "₋₁₂"),
        ("(n+1)", "(n+1)", "(n+1)"),
        ("n+1", "ⁿ⁺¹", "ₙ₊₁"),
        ("n", "ⁿ", "ₙ"),
        ("1, 2", "¹, ²", "₁, ₂"),
        (" 2 ", " ² ", " ₂ "),
        ("2x", "^(2x)", "₂ₓ"),
        ("2у", "^(2у)", "_(2у)"),
        ("й", "й", "й"),
        ("th", "th", "th"),
        ("-й", "-й", "-й"),
        ("*", "*", "*"),
        ("[1]", "[1]", "[1]"),
        ("", "", ""),
        ("small print of 1999", "small print of 1999", "small print of 1999"),
    ],
)
def test_what_has_characters_of_its_own_is_written_with_them(text: str, above: str, below: str) -> None:
    assert raised(text) == above
    assert lowered(text) == below


def pieces() -> list[tuple[str, str]]:
    """Return the marked text as pieces with their tags."""
    found = []
    for part in MARKED.replace("</sup>", "<>").replace("</sub>", "<>").split("<"):
        tag, _, text = part.rpartition(">")
        found.append((tag, text))
    return found


def word() -> bytes:
    document, buffer = docx.Document(), io.BytesIO()
    for paragraph in (document.add_paragraph(), document.add_table(1, 2).cell(0, 0).paragraphs[0]):
        for tag, text in pieces():
            run = paragraph.add_run(text)
            if tag:
                setattr(run.font, {"sup": "superscript", "sub": "subscript"}[tag], True)
    document.save(buffer)
    return buffer.getvalue()


def open_document() -> bytes:
    document, buffer = OpenDocument("text"), io.BytesIO()
    document.body.clear()
    for name, position in (("sup", "super 58%"), ("sub", "-33% 58%")):
        style = Style("text", name=name)
        style.set_properties({"style:text-position": position}, area="text")
        document.insert_style(style, automatic=True)
    spans = "".join(
        f'<text:span text:style-name="{tag or "none"}">{text}</text:span>' for tag, text in pieces()
    )
    document.body.append(OpenElement.from_tag(f"<text:p>{spans}</text:p>"))
    document.save(buffer)
    return buffer.getvalue()


FILES = {
    "a.html": lambda: f"<p>{MARKED}</p>".encode(),
    "cells.html": lambda: f"<table><tr><td>{MARKED}</td><td>1</td></tr><tr><td>a</td><td>2</td></tr></table>".encode(),
    "a.md": lambda: MARKED.encode(),
    "a.epub": lambda: epub({"a": page(f"<p>{MARKED}</p>")}, ["a"]),
    "a.fb2": lambda: fb2(f"<section><p>{MARKED}</p></section>"),
    "a.docx": word,
    "a.odt": open_document,
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_every_format_keeps_powers_and_formulas(name: str) -> None:
    document = parse(name, FILES[name]())
    assert document.status == "ok", document.reason
    for element in document.elements:
        assert WRITTEN in element.text


def test_powers_are_told_by_their_place_on_paper() -> None:
    buffer = io.BytesIO()
    canvas = Canvas(buffer)
    line = canvas.beginText(72, 700)
    for text, rise in [
        ("The area is 10", 0),
        ("12", 4),
        (" m", 0),
        ("2", 4),
        (" for every word", 0),
        ("3", 4),
        (" 5", 0),
    ]:
        line.setFont("Times-Roman", 7 if rise else 11)
        line.setRise(rise)
        line.textOut(text)
    canvas.drawText(line)
    canvas.save()
    (element,) = parse("a.pdf", buffer.getvalue()).elements
    assert element.text == "The area is 10¹² m² for every word 3 5"


def test_notes_of_word_keep_powers() -> None:
    raised_two = '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>2</w:t></w:r>'
    data = with_part(
        word(),
        "word/footnotes.xml",
        lambda _: (
            '<w:footnotes xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
            f'<w:footnote w:id="1"><w:p><w:r><w:t>10</w:t></w:r>{raised_two}</w:p></w:footnote></w:footnotes>'
        ),
    )
    data = with_part(
        data,
        "word/document.xml",
        lambda xml: xml.replace("</w:p>", '<w:r><w:footnoteReference w:id="1"/></w:r></w:p>', 1),
    )
    assert [e.text for e in parse("a.docx", data).elements if e.kind == "footnote"] == ["10²"]
