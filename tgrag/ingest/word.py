"""Word documents as they are printed: made plain before Docling reads them.

Docling gives the tables, text boxes and equations. What it does not give, or gives in parts, is settled in the
file's XML first: changes are accepted, words are made whole, automatic numbers are written out («Статья 5.»,
«1.2.», «б)»), and headings, list items, contents and notes are marked (see marks.py).
"""

import re
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass

from lxml import etree

from tgrag.ingest.archive import DAMAGED, Archive
from tgrag.ingest.marks import NAMED_LEVEL, Role, note_mark, role_mark
from tgrag.ingest.refusal import Refused
from tgrag.ingest.scripts import lowered, raised
from tgrag.ingest.sequences import Mark, in_sequence
from tgrag.ingest.text import clean, squeeze
from tgrag.ingest.word_repair import narrow_cells, remove_pictures
from tgrag.ingest.word_styles import ListPlace, Numbers, Styles, value
from tgrag.ingest.xml import Node, children, descendant, local

MAIN_PART = "word/document.xml"
_NOTE_PARTS = {"footnote": "word/footnotes.xml", "endnote": "word/endnotes.xml"}
_DELETED = frozenset(("del", "moveFrom", "rPrChange", "pPrChange", "Fallback"))
_WRAPPERS = frozenset(("ins", "moveTo", "hyperlink", "smartTag", "customXml"))
_SCRIPTS = {"superscript": raised, "subscript": lowered}
_MAX_HEADING_CHARACTERS = 120
_TYPED = re.compile(r"(?P<number>\d{1,3})(?P<dot>\.?)\s+(?=[^\W\d])")  # «1. Назначение», not «1.2. …»
_MIN_TYPED, _GAP = 3, 100  # headings in a numbering, and characters between two of them
# Comments are removed because Docling takes them for elements.
_XML = etree.XMLParser(
    resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True, huge_tree=True
)


def printed(archive: Archive) -> tuple[bytes, dict[str, str]]:
    """Return the main part as it is printed, with marks, and the notes that they name. Raises Refused."""
    root = _part(archive, MAIN_PART)
    assert root is not None
    styles = Styles(_part(archive, "word/styles.xml"))
    numbers = Numbers(_part(archive, "word/numbering.xml"), styles)
    _accept_changes(root)
    remove_pictures(root)
    narrow_cells(root)
    strong = {node for node in _paragraphs(root) if styles.is_bold(node)}
    _write_scripts(root)
    _make_plain(root)
    notes = dict(_notes(archive))
    _mark_notes(root)
    contents = set(_contents(root, styles))
    lines = [
        _line(node, styles, numbers, node in contents, node in strong)
        for node in _paragraphs(root)
        if _own_text(node).strip()
    ]
    typed = _typed_headings(lines)
    for index, (before, line, following) in enumerate(
        zip([None, *lines], lines, [*lines[1:], None], strict=False)
    ):
        _mark(before, line, following, is_typed=index in typed)
    return bytes(etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)), notes


def _part(archive: Archive, name: str) -> Node | None:
    if name not in archive:
        return None
    try:
        return etree.fromstring(archive.read(name), _XML)
    except etree.XMLSyntaxError as error:
        raise Refused(DAMAGED.format(f"{name} cannot be read")) from error


def _paragraphs(root: Node) -> list[Node]:
    """Return the paragraphs of text; those of drawings have the same local name."""
    return [node for node in root.iter() if local(node) == "p" and "wordprocessingml" in node.tag]


def _accept_changes(root: Node) -> None:
    """Take deleted text out; a paragraph whose end was deleted runs on into the next."""
    paragraphs = [node for node in root.iter() if local(node) == "p"]
    unended = [node for node in paragraphs if descendant(node, "pPr", "rPr", "del") is not None]
    for node in [node for node in root.iter() if local(node) in _DELETED]:
        if node.getparent() is not None:
            node.getparent().remove(node)
    for paragraph in unended:
        following = paragraph.getnext()
        if following is None or local(following) != "p":
            continue
        runs = [child for child in paragraph if local(child) != "pPr"]
        place = 1 if len(following) and local(following[0]) == "pPr" else 0
        following[place:place] = runs
        paragraph.getparent().remove(paragraph)


def _write_scripts(root: Node) -> None:
    """Write superscripts and subscripts with characters, in the place of formatting."""
    for alignment in [node for node in root.iter() if local(node) == "vertAlign"]:
        run, script = alignment.getparent().getparent(), _SCRIPTS.get(value(alignment) or "")
        if script and local(run) == "r":
            for text in children(run, "t"):
                text.text = script(text.text or "")


def _make_plain(root: Node) -> None:
    """Unwrap links and inserted text, and remove the formatting where Docling would part words; hidden text stays so."""
    for wrapper in [node for node in root.iter() if local(node) in _WRAPPERS]:
        parent = wrapper.getparent()
        if parent is not None and local(parent) != "rPr":
            place = parent.index(wrapper)
            parent[place : place + 1] = list(wrapper)
    for properties in [node for node in root.iter() if local(node) == "rPr"]:
        for formatting in list(properties):
            if local(formatting) != "vanish":
                properties.remove(formatting)


def _notes(archive: Archive) -> Iterator[tuple[str, str]]:
    """Yield each note's key and text."""
    for kind, name in _NOTE_PARTS.items():
        part = _part(archive, name)
        if part is None:
            continue
        _accept_changes(part)
        _write_scripts(part)
        for note in children(part, kind):
            if value(note, "type") in (None, "normal"):
                lines = (_text(node) for node in note.iter() if local(node) == "p")
                yield f"{kind}{value(note, 'id')}", squeeze(clean(" ".join(lines)))


def _text(paragraph: Node) -> str:
    shown = (node for node in paragraph.iter() if local(node) in ("t", "tab", "br"))
    return "".join((node.text or "") if local(node) == "t" else " " for node in shown)


def _mark_notes(root: Node) -> None:
    for reference in [
        node for node in root.iter() if local(node) in ("footnoteReference", "endnoteReference")
    ]:
        kind = local(reference).removesuffix("Reference")
        text = note_mark(f"{kind}{value(reference, 'id')}")
        reference.getparent().replace(reference, _element(reference, "t", text))


def _contents(root: Node, styles: Styles) -> Iterator[Node]:
    """Yield the paragraphs of tables of contents: by style, by content control, by field."""
    fields: list[str] = []
    for node in root.iter():
        tag = local(node)
        if tag == "fldChar" and value(node, "fldCharType") == "begin":
            fields.append("")
        elif tag == "fldChar" and value(node, "fldCharType") == "end" and fields:
            fields.pop()
        elif tag == "instrText" and fields:
            fields[-1] += node.text or ""
            if _is_contents(fields[-1]):
                yield _paragraph_of(node)
        elif tag == "p" and (any(map(_is_contents, fields)) or styles.is_contents(node)):
            yield node
        elif tag == "docPartGallery" and "contents" in (value(node, "val") or "").lower():
            control = next((above for above in node.iterancestors() if local(above) == "sdt"), None)
            if control is not None:
                yield from (below for below in control.iter() if local(below) == "p")


def _is_contents(instruction: str) -> bool:
    return instruction.split()[:1] == ["TOC"]


def _paragraph_of(node: Node) -> Node:
    return next((above for above in node.iterancestors() if local(above) == "p"), node)


@dataclass(frozen=True, slots=True)
class _Line:
    """A paragraph with a text, and what it is. number: as it is printed, None where it is in no list."""

    node: Node
    text: str
    role: Role | None
    level: int
    number: str | None
    list_place: ListPlace | None
    is_strong: bool


def _line(node: Node, styles: Styles, numbers: Numbers, is_contents: bool, is_bold: bool) -> _Line:
    text, level, number = _own_text(node).strip(), styles.heading_level(node), numbers.next(node)
    role: Role | None = None
    if is_contents:
        role = "contents"
    elif level:
        role = "heading"
    elif styles.is_title(node):
        role = "title"
    elif number is not None:
        role = "list_item"
    return _Line(node, text, role, level or 0, number, numbers.place(node), is_bold or text.isupper())


def _own_text(paragraph: Node) -> str:
    """Return the text of a paragraph without that of text boxes in it."""
    runs = (run for run in paragraph if local(run) in ("r", "sdt"))
    nodes = (node for run in runs for node in run.iter() if local(node) == "t")
    return "".join(node.text or "" for node in nodes)


def _is_numbered_heading(before: _Line | None, line: _Line, following: _Line | None) -> bool:
    """Tell a heading without a heading style: numbered, bold or in capitals, and not one of a list of such lines."""
    is_like_one = (
        line.role == "list_item"
        and line.list_place is not None
        and line.is_strong
        and any(character.isalnum() for character in line.number or "")
        and len(line.text) <= _MAX_HEADING_CHARACTERS
        and line.text[-1] not in ".;:,"
    )
    if (
        not is_like_one
        or following is None
        or any(local(above) == "tc" for above in line.node.iterancestors())
    ):
        return False
    beside = (before, following)
    return not any(near and near.is_strong and near.list_place == line.list_place for near in beside)


def _typed_headings(lines: Sequence[_Line]) -> set[int]:
    """Return the indices of headings whose number was typed: strong short lines that count, with text between them."""
    places: list[int] = []
    marks: list[Mark] = []
    length = 0
    for index, line in enumerate(lines):
        number = _TYPED.match(line.text)
        if (
            number
            and line.role is None
            and line.is_strong
            and len(line.text) <= _MAX_HEADING_CHARACTERS
            and line.text[-1] not in ".;:,"
            and not any(local(above) == "tc" for above in line.node.iterancestors())
        ):
            places.append(index)
            marks.append(Mark(number["dot"], int(number["number"]), length))
        else:
            length += len(line.text)
    return {places[place] for place in in_sequence(marks, gap=_GAP, shortest=_MIN_TYPED)}


def _mark(before: _Line | None, line: _Line, following: _Line | None, *, is_typed: bool) -> None:
    """Write what a paragraph is, and its automatic number, before its text; leave Docling nothing to guess."""
    role, level = line.role, line.level
    if line.list_place and _is_numbered_heading(before, line, following):
        role, level = "heading", NAMED_LEVEL + line.list_place.depth
    elif is_typed:
        role, level = "heading", NAMED_LEVEL
    prefix = role_mark(role, level) if role else ""
    prefix += f"{line.number} " if line.number else ""
    if not prefix:
        return
    run = _element(line.node, "r")
    run.append(_element(line.node, "t", prefix))
    run[0].set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
    line.node.insert(1 if local(line.node[0]) == "pPr" else 0, run)
    if role:
        _make_ordinary(line.node)


def _make_ordinary(paragraph: Node) -> None:
    """Take style and numbering from a paragraph, and refuse those of the default style."""
    properties = next(iter(children(paragraph, "pPr")), None)
    if properties is None:
        properties = _element(paragraph, "pPr")
        paragraph.insert(0, properties)
    for child in children(properties, "pStyle", "numPr", "outlineLvl"):
        properties.remove(child)
    numbering = _element(paragraph, "numPr")
    none = _element(paragraph, "numId")
    none.set(etree.QName(etree.QName(paragraph).namespace, "val"), "0")
    numbering.append(none)
    properties.insert(0, numbering)


def _element(near: Node, name: str, text: str | None = None) -> Node:
    """Return a new element in the namespace of one near it."""
    made = etree.Element(etree.QName(etree.QName(near).namespace, name), nsmap=deepcopy(near.nsmap))
    made.text = text
    return made
