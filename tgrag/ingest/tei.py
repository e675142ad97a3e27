"""TEI and CES corpora: books, chapters and verses marked up as nested divisions."""

from tgrag.ingest.metadata import declared_language
from tgrag.ingest.text import clean, squeeze
from tgrag.ingest.xml import Node, attribute, children, descendant, local
from tgrag.records import Element, ParsedDocument

TEI_ROOTS = ("TEI", "TEI.2", "cesDoc")
_PIECES = ("seg", "l", "lg", "s", "w")  # parts of a running text; anything else is a paragraph of its own


def read_tei(root: Node) -> ParsedDocument:
    """Read a parsed TEI or CES file. A division of type "book" opens another book (level 0)."""
    body = descendant(root, "body")
    elements: list[Element] = []
    if body is not None:
        _read(body, 0, elements)
    title = (
        descendant(root, "h.title") if descendant(root, "h.title") is not None else descendant(root, "title")
    )
    language = descendant(root, "language")
    codes = [attribute(body, "lang") if body is not None else None]
    codes += [attribute(language, "ident"), attribute(language, "id")] if language is not None else []
    return ParsedDocument(
        status="ok",
        title=(_text(title) or None) if title is not None else None,
        language=next(filter(None, map(declared_language, codes)), None),
        elements=tuple(elements),
    )


def _read(division: Node, depth: int, elements: list[Element]) -> None:
    """Read what stands in a division; depth is the level of the divisions inside it, but for books."""
    pieces: list[str] = []

    def close() -> None:
        text = " ".join(filter(None, pieces))
        pieces.clear()
        if text:
            elements.append(Element("paragraph", text))

    for node in division:
        tag = local(node)
        if tag.startswith("div"):
            close()
            level = 0 if attribute(node, "type") == "book" else max(depth, 1)
            name = _name(node)
            if name:
                elements.append(Element("heading", name, level=level))
            _read(node, level + 1, elements)
        elif tag in _PIECES:
            pieces.append(_text(node))
        elif tag != "head":
            close()
            pieces.append(_text(node))
            close()
    close()


def _name(division: Node) -> str:
    heads = " ".join(map(_text, children(division, "head")))
    identifier = attribute(division, "id") or attribute(division, "n") or ""
    return heads or identifier.rsplit(".", 1)[-1]


def _text(node: Node) -> str:
    return squeeze(clean("".join(node.itertext())))
