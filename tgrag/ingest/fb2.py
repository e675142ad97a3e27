"""FictionBook: nested sections with their titles; bodies of notes and the annotation are dropped in their place.

The marks of notes are cut out of their paragraphs. The description is metadata but for its annotation, which
readers show before the text.
"""

from dataclasses import replace

from tgrag.ingest.metadata import declared_date, declared_language, declared_number
from tgrag.ingest.scripts import SCRIPTS
from tgrag.ingest.text import clean, squeeze
from tgrag.ingest.xml import Node, attribute, children, descendant, local
from tgrag.records import Drop, Element, ParsedDocument

_PARAGRAPHS = ("p", "subtitle", "text-author", "date")
_NOTE_BODIES = ("notes", "comments", "footnotes")
_NOTES = Drop("notes", "the file marks it as notes")
_ANNOTATION = Drop("boilerplate", "the annotation of the edition")


def read_fb2(root: Node) -> ParsedDocument:
    """Read a parsed FictionBook file. The depth of a section is the level of its heading."""
    elements: list[Element] = []
    annotation = descendant(root, "description", "title-info", "annotation")
    if annotation is not None:
        elements.extend(_dropped(annotation, _ANNOTATION))
    for body in children(root, "body"):
        if (attribute(body, "name") or "").lower() in _NOTE_BODIES:
            elements.extend(_dropped(body, _NOTES))
        else:
            for part in body:
                _read(part, 0, elements)
    return replace(_metadata(root), elements=tuple(elements))


def _dropped(node: Node, drop: Drop) -> list[Element]:
    elements: list[Element] = []
    for part in node:
        _read(part, 0, elements)
    return [
        replace(element, kind="paragraph" if element.level else element.kind, level=None, drop=drop)
        for element in elements
    ]


def _read(node: Node, depth: int, elements: list[Element]) -> None:
    tag = local(node)
    if tag == "section":
        for title in children(node, "title"):
            elements.append(Element("heading", _joined_title(title), level=depth + 1))
        for child in node:
            if local(child) != "title":
                _read(child, depth + 1, elements)
    elif tag in _PARAGRAPHS:
        _add(elements, "paragraph", _text(node))
    elif tag == "stanza":
        _add(elements, "paragraph", "\n".join(filter(None, map(_text, node))))
    elif tag == "table":
        rows = [" | ".join(map(_text, row)) for row in children(node, "tr")]
        _add(elements, "table", "\n".join(filter(None, rows)))
    elif tag != "image":
        for child in node:
            _read(child, depth, elements)


def _add(elements: list[Element], kind: str, text: str) -> None:
    if text:
        elements.append(Element("table" if kind == "table" else "paragraph", text))


def _joined_title(title: Node) -> str:
    joined = ""
    for line in filter(None, map(_text, children(title, "p"))):
        joined = f"{joined.rstrip(' .:')}. {line}" if joined else line
    return joined


def _text(node: Node) -> str:
    """Return the text of a node without the marks of notes."""

    def collected(part: Node) -> str:
        if local(part) == "a" and attribute(part, "type") == "note":
            return ""
        text = (part.text or "") + "".join(collected(child) + (child.tail or "") for child in part)
        return SCRIPTS[local(part)](text) if local(part) in SCRIPTS else text

    return squeeze(clean(collected(node)))


def _metadata(root: Node) -> ParsedDocument:
    info = descendant(root, "description", "title-info")
    if info is None:
        return ParsedDocument(status="ok")
    title, language, date = (descendant(info, name) for name in ("book-title", "lang", "date"))
    sequence = descendant(info, "sequence")
    series_title = squeeze(attribute(sequence, "name") or "") if sequence is not None else ""
    return ParsedDocument(
        status="ok",
        title=(_text(title) or None) if title is not None else None,
        language=declared_language(language.text) if language is not None else None,
        series_title=clean(series_title) or None,
        series_number=declared_number(attribute(sequence, "number")) if sequence is not None else None,
        date=declared_date(attribute(date, "value") or date.text) if date is not None else None,
    )
