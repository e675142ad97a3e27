"""The same known text made into a file of each format, with formatting that splits words."""

import html
import io
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import docx
from odfdo import Document as OpenDocument
from odfdo import Element as OpenElement
from odfdo import Header
from pptx import Presentation
from pptx.util import Inches

from tests.unit.ingest.samples import epub, fb2, page, zipped


@dataclass(frozen=True)
class Block:
    """A block of a document. A table's cells are parted by " | ", its rows by line breaks."""

    kind: Literal["heading", "paragraph", "item", "table"]
    text: str

    @property
    def cells(self) -> list[list[str]]:
        return [row.split(" | ") for row in self.text.split("\n")]


def halves(text: str) -> tuple[str, str, str]:
    """Part a text in the middle of its words: what stands in bold goes from one third to two thirds."""
    third = len(text) // 3
    return text[:third], text[third : 2 * third], text[2 * third :]


def make_docx(blocks: list[Block]) -> bytes:
    document = docx.Document()
    for block in blocks:
        if block.kind == "table":
            table = document.add_table(rows=len(block.cells), cols=len(block.cells[0]))
            for i, row in enumerate(block.cells):
                for j, cell in enumerate(row):
                    table.cell(i, j).text = cell
            continue
        style = {"heading": "Heading 1", "item": "List Bullet"}.get(block.kind)
        paragraph = document.add_paragraph(style=style)
        for place, part in enumerate(halves(block.text)):
            paragraph.add_run(part).bold = place == 1
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def make_odt(blocks: list[Block]) -> bytes:
    document = OpenDocument("text")
    body = document.body
    body.clear()
    for block in blocks:
        if block.kind == "heading":
            header = Header(1, block.text)
            header.set_attribute("text:is-list-header", "true")  # else odfdo's template numbers it
            body.append(header)
        elif block.kind == "table":
            rows = "".join(
                "<table:table-row>"
                + "".join(
                    f"<table:table-cell><text:p>{_escaped(cell)}</text:p></table:table-cell>" for cell in row
                )
                + "</table:table-row>"
                for row in block.cells
            )
            body.append(OpenElement.from_tag(f'<table:table table:name="t">{rows}</table:table>'))
        else:
            first, bold, last = map(_escaped, halves(block.text))
            shown = f'{first}<text:span text:style-name="Strong">{bold}</text:span>{last}'
            line = f"<text:p>{shown}</text:p>"
            listed = f"<text:list><text:list-item>{line}</text:list-item></text:list>"
            body.append(OpenElement.from_tag(listed if block.kind == "item" else line))
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def _escaped(text: str) -> str:
    """Escape a text for OpenDocument, where a space at an element's edge counts only when it is marked."""
    escaped = html.escape(text, quote=False)
    start, end = (len(escaped) - len(escaped.lstrip()), len(escaped) - len(escaped.rstrip()))
    return "<text:s/>" * start + escaped.strip() + "<text:s/>" * end


def make_pptx(blocks: list[Block]) -> bytes:
    """Each heading begins a slide; what stands before the first is on a slide without a title."""
    presentation = Presentation()
    slide = None
    top = 2.0
    for block in blocks:
        if block.kind == "heading" or slide is None:
            slide, top = presentation.slides.add_slide(presentation.slide_layouts[5]), 2.0
        if block.kind == "heading":
            slide.shapes.title.text = block.text
        elif block.kind == "table":
            rows = block.cells
            place = (Inches(1), Inches(top), Inches(6), Inches(0.4))
            table = slide.shapes.add_table(len(rows), len(rows[0]), *place).table
            for i, row in enumerate(rows):
                for j, cell in enumerate(row):
                    table.cell(i, j).text = cell
        else:
            box = slide.shapes.add_textbox(Inches(1), Inches(top), Inches(8), Inches(0.4))
            paragraph = box.text_frame.paragraphs[0]
            for place, part in enumerate(halves(block.text)):
                run = paragraph.add_run()
                run.text, run.font.bold = part, place == 1
        top += 1.0
    buffer = io.BytesIO()
    presentation.save(buffer)
    return buffer.getvalue()


def body_html(blocks: list[Block]) -> str:
    tags = {"heading": "h2", "paragraph": "p"}
    parts = []
    for block in blocks:
        if block.kind == "table":
            rows = ("".join(f"<td>{html.escape(cell)}</td>" for cell in row) for row in block.cells)
            parts.append("<table>" + "".join(f"<tr>{row}</tr>" for row in rows) + "</table>")
            continue
        first, bold, last = (html.escape(part) for part in halves(block.text))
        shown = f'{first}<b>{bold}</b><a href="http://example.org/">{last}</a>'
        tag = tags.get(block.kind)
        parts.append(f"<{tag}>{shown}</{tag}>" if tag else f"<ul><li>{shown}</li></ul>")
    return "\n".join(parts)


def make_html(blocks: list[Block]) -> bytes:
    return (
        f"<!DOCTYPE html><html><head><title>t</title></head><body>{body_html(blocks)}</body></html>".encode()
    )


def make_epub(blocks: list[Block]) -> bytes:
    return epub({"a": page(body_html(blocks))}, ["a"])


def make_md(blocks: list[Block]) -> bytes:
    parts = []
    for block in blocks:
        if block.kind == "table":
            head, *rows = block.cells
            lines = ["|".join(head), "|".join("-" for _ in head), *("|".join(row) for row in rows)]
            parts.append("\n".join(f"|{line}|" for line in lines))
        else:
            parts.append({"heading": "## ", "item": "* "}.get(block.kind, "") + block.text)
    return "\n\n".join(parts).encode()


def make_fb2(blocks: list[Block]) -> bytes:
    parts = ["<section>"]
    for block in blocks:
        first, middle, last = (html.escape(part) for part in halves(block.text))
        shown = f"{first}<emphasis>{middle}</emphasis>{last}"
        if block.kind == "heading":
            parts.append(f"</section><section><title><p>{shown}</p></title>")
        elif block.kind == "table":
            rows = ("".join(f"<td>{html.escape(cell)}</td>" for cell in row) for row in block.cells)
            parts.append("<table>" + "".join(f"<tr>{row}</tr>" for row in rows) + "</table>")
        else:
            parts.append(f"<p>{shown}</p>")
    return fb2("".join([*parts, "</section>"]))


MAKERS: dict[str, Callable[[list[Block]], bytes]] = {
    "docx": make_docx,
    "odt": make_odt,
    "pptx": make_pptx,
    "html": make_html,
    "epub": make_epub,
    "md": make_md,
    "fb2": make_fb2,
}


def with_part(data: bytes, name: str, change: Callable[[str], str]) -> bytes:
    """Return a copy of a zipped document in which one part is changed; an absent part is "" before."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        files: dict[str, str | bytes] = {member: archive.read(member) for member in archive.namelist()}
    before = files.get(name, b"")
    files[name] = change(before.decode() if isinstance(before, bytes) else before)
    return zipped(files)
