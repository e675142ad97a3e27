"""HTML, XHTML and Markdown to elements. Typography is kept as it stands and words stay whole.

Docling's HTML reader is not used: it makes plain ASCII of quotes and dashes (a dialogue in Russian lives by
its dashes) and parts a word where its formatting changes. What a site or a publisher puts around the text stays in
its place as dropped elements (see furniture.py); scripts, styles and hidden markup are no text; the marks of notes
(«слово[1]») are cut out of their paragraphs.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import yaml
from lxml import etree
from markdown_it import MarkdownIt
from mdit_py_plugins.footnote import footnote_plugin

from tgrag.ingest.encoding import decode_markup
from tgrag.ingest.furniture import is_note_mark, site_furniture
from tgrag.ingest.headings import line_heading
from tgrag.ingest.plain import read_plain
from tgrag.ingest.scripts import SCRIPTS
from tgrag.ingest.text import clean, squeeze, squeeze_lines
from tgrag.ingest.xml import Node, attribute, local
from tgrag.records import Drop, Element, ElementKind

_HIDDEN_TAGS = "script style head template noscript svg iframe object canvas audio video rp"
_BLOCK_TAGS = """html body p div section article main header footer aside nav blockquote address figure figcaption dl dt dd
    ul ol li pre hr form fieldset legend table caption thead tbody tfoot tr td th center details summary hgroup title"""
_HIDDEN, _BLOCKS = frozenset(_HIDDEN_TAGS.split()), frozenset(_BLOCK_TAGS.split())
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_MAX_CELL_CHARACTERS = 2000  # a table of longer texts is a page layout
_TAG = re.compile(r"<\s*(?:!doctype|/?[a-z][a-z0-9]*)[^<>]*>", re.IGNORECASE)
_ANCHOR = re.compile(r"\s*\{\s*[#.:][^{}]*\}$")  # «Heading { #anchor }» of Markdown
_INTERNAL_DTD = re.compile(r"\A(\s*(?:<\?xml[^>]*>\s*)?)<!DOCTYPE\s[^<>\[]*\[[^\]]*\]\s*>", re.IGNORECASE)
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(?P<yaml>.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)


_DEEPEST = 10_000  # what the parser would leave out below it ends, before, as an error of recursion
_markdown = (
    MarkdownIt("commonmark", {"html": True, "maxNesting": _DEEPEST})
    .enable(["table", "strikethrough"])
    .use(footnote_plugin)
)

DropOf = Callable[[Node], Drop | None]


@dataclass(frozen=True, slots=True)
class Markup:
    """language: as declared, any code."""

    title: str | None
    language: str | None
    elements: tuple[Element, ...]


def read_html(data: bytes) -> Markup:
    """Read an HTML file. A file without any tag is read as the plain text that it is."""
    text = decode_markup(data)
    if not _TAG.search(text):
        title, elements = read_plain(text)
        return Markup(title, None, elements)
    root = parse_html(text)
    markup = read_tree(root, site_furniture(root))
    # A page of nothing but menus is its menus.
    return markup if any(not element.drop for element in markup.elements) else read_tree(root)


def read_markdown(text: str) -> Markup:
    """Read Markdown (GitHub's dialect, HTML inside allowed); title and lang of a YAML front matter count."""
    matter = _FRONT_MATTER.match(text)
    stated = _front_matter(matter["yaml"]) if matter else {}
    markup = read_tree(parse_html(_markdown.render(text[matter.end() :] if stated and matter else text)))
    return Markup(stated.get("title") or markup.title, stated.get("lang") or markup.language, markup.elements)


def parse_html(text: str) -> Node:
    """Parse HTML as browsers do: whatever is wrong in it is mended."""
    text = _INTERNAL_DTD.sub(r"\1", text)  # HTML has none: its end would be read as text
    parser = etree.HTMLParser(
        no_network=True, remove_comments=True, remove_pis=True, huge_tree=True, encoding="utf-8"
    )
    root = etree.fromstring(text.encode("utf-8", errors="replace"), parser) if text.strip() else None
    return root if root is not None else etree.Element("html")


def read_tree(root: Node, drop_of: DropOf = lambda _: None) -> Markup:
    """Turn a parsed page into elements. drop_of tells which nodes are dropped, with all that is in them."""
    walker = _Walker(drop_of)
    walker.walk(root)
    walker.close()
    headings = (element.text for element in walker.elements if element.kind == "heading")
    titles = (squeeze(clean("".join(node.itertext()))) for node in root.iter() if local(node) == "title")
    return Markup(next(titles, None) or next(headings, None), attribute(root, "lang"), tuple(walker.elements))


class _Walker:
    def __init__(self, drop_of: DropOf) -> None:
        self.elements: list[Element] = []
        self._drop_of = drop_of
        self._drop: Drop | None = None
        self._inline: list[str] = []
        self._kind: ElementKind = "paragraph"
        self._is_verbatim = False

    def walk(self, node: Node) -> None:
        tag = local(node)
        if not tag or tag in _HIDDEN or _is_invisible(node) or is_note_mark(node):
            return
        drop = None if self._drop else self._drop_of(node)
        if drop:
            self.close()
            self._drop = drop
            self._children(node)
            self.close()
            self._drop = None
            return
        if tag in _HEADINGS or tag == "hgroup":
            self.close()
            self._heading(node, _HEADINGS.get(tag) or _outermost(node))
        elif tag == "table" and _is_data(node):
            self.close()
            self._add("table", _table_text(node))
        elif tag in SCRIPTS:
            begin = len(self._inline)
            self._children(node)
            self._inline[begin:] = [SCRIPTS[tag]("".join(self._inline[begin:]))]
        elif tag == "br":
            self._inline.append("\n")
        elif tag in _BLOCKS:
            self.close()
            with self._inside(tag):
                self._children(node)
                self.close()
        else:
            self._children(node)

    def close(self) -> None:
        """End the block that is being collected."""
        text = clean("".join(self._inline))
        self._inline.clear()
        text = text.strip("\n").rstrip() if self._is_verbatim else squeeze_lines(text)
        may_be_heading = self._kind == "paragraph" and "\n" not in text and not self._drop
        found = line_heading(text) if may_be_heading else None
        if found:
            self.elements.append(Element("heading", text, level=found.level))
        else:
            self._add(self._kind, text)

    def _children(self, node: Node) -> None:
        self._text(node.text)
        for child in node:
            self.walk(child)
            self._text(child.tail)

    def _text(self, text: str | None) -> None:
        if text:
            self._inline.append(text if self._is_verbatim else re.sub(r"\s+", " ", text))

    def _heading(self, node: Node, level: int) -> None:
        collected = _Walker(lambda _: None)
        collected._children(node)
        collected.close()
        lines = [line for element in collected.elements for line in element.text.split("\n")]
        text = lines[0] if lines else ""
        for line in lines[1:]:
            text = f"{text.rstrip(' .:')}. {line}"
        text = _ANCHOR.sub("", text)
        if self._drop:
            self._add("paragraph", text)
        elif text:
            self.elements.append(Element("heading", text, level=level))

    def _add(self, kind: ElementKind, text: str) -> None:
        if text.strip():
            self.elements.append(Element(kind, text, drop=self._drop))

    @contextmanager
    def _inside(self, tag: str) -> Iterator[None]:
        kind, is_verbatim = self._kind, self._is_verbatim
        self._kind = "list_item" if tag == "li" else kind
        self._is_verbatim = is_verbatim or tag == "pre"
        yield
        self._kind, self._is_verbatim = kind, is_verbatim


def _is_invisible(node: Node) -> bool:
    return (
        node.get("hidden") is not None or "display:none" in (node.get("style") or "").replace(" ", "").lower()
    )


def _outermost(node: Node) -> int:
    return min((_HEADINGS[local(below)] for below in node.iter() if local(below) in _HEADINGS), default=1)


def _rows(table: Node) -> list[list[str]]:
    rows = [node for node in table.iter() if local(node) == "tr"]
    return [[_cell_text(cell) for cell in row if local(cell) in ("td", "th")] for row in rows]


def _cell_text(cell: Node) -> str:
    if not len(cell):
        return squeeze(clean(cell.text or ""))
    walker = _Walker(lambda _: None)
    walker._children(cell)
    walker.close()
    return squeeze(" ".join(element.text for element in walker.elements))


def _is_data(table: Node) -> bool:
    """Tell a table of data from one that only lays out a page."""
    if any(
        local(node) in _HEADINGS or (local(node) == "table" and node is not table) for node in table.iter()
    ):
        return False
    rows = _rows(table)
    longest = max((len(cell) for row in rows for cell in row), default=0)
    return len(rows) >= 2 and max(map(len, rows)) >= 2 and longest <= _MAX_CELL_CHARACTERS


def _table_text(table: Node) -> str:
    caption = [squeeze(clean(" ".join(node.itertext()))) for node in table if local(node) == "caption"]
    return "\n".join([*filter(None, caption), *(" | ".join(row) for row in _rows(table) if any(row))])


def _front_matter(text: str) -> dict[str, str]:
    try:
        stated = yaml.safe_load(text)
    except yaml.YAMLError:  # then it is text between two rules
        return {}
    return {str(key): str(value) for key, value in stated.items()} if isinstance(stated, dict) else {}
