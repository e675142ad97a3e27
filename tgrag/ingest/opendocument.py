"""OpenDocument texts as they are printed: made plain before Docling reads them, as word.py does for Word.

Deleted text goes, words are made whole, lists become paragraphs with their printed numbers, text boxes follow the
paragraph that holds them; list items, contents and notes are marked (see marks.py).
"""

import re
from collections.abc import Callable, Iterable, Iterator

from lxml import etree

from tgrag.ingest.archive import DAMAGED, Archive
from tgrag.ingest.marks import note_mark, role_mark
from tgrag.ingest.refusal import Refused
from tgrag.ingest.scripts import lowered, raised
from tgrag.ingest.text import clean, squeeze
from tgrag.ingest.word_styles import counted, whole
from tgrag.ingest.xml import Node, attribute, children, local

CONTENT = "content.xml"
_WRAPPERS = frozenset(("span", "a", "meta", "ruby", "ruby-base", "section"))
_GONE = frozenset(("tracked-changes", "annotation", "annotation-end", "ruby-text", "index-title-template"))
_CONTENTS = frozenset(
    ("table-of-content", "illustration-index", "table-index", "object-index", "alphabetical-index")
)
_INDEXES = _CONTENTS | {"user-index", "bibliography"}
_PARAGRAPHS = ("p", "h")
_OUTLINE = "the outline of headings"  # in the place of a list style's name
_FORMATS = {"i": "lowerRoman", "I": "upperRoman", "a": "lowerLetter", "A": "upperLetter", "1": "decimal"}
_CYRILLIC_FORMAT = re.compile("[АаБб]")
_XML = etree.XMLParser(
    resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True, huge_tree=True
)


def printed(archive: Archive) -> tuple[bytes, dict[str, str]]:
    """Return content.xml as it is printed, with marks, and the notes that they name. Raises Refused."""
    root = _part(archive, CONTENT)
    styles = _part(archive, "styles.xml") if "styles.xml" in archive else None
    for node in [node for node in root.iter() if local(node) in _GONE]:
        _cut(node)
    sources = [part for part in (root, styles) if part is not None]
    _write_scripts(root, sources)
    notes = dict(_take_notes(root))
    for node in [node for node in root.iter() if local(node) in _WRAPPERS and not _is_hidden(node)]:
        _unwrap(node)
    _number(root, _ListStyles(sources))
    for node in [node for node in root.iter() if local(node) == "text-box"]:
        _take_out(node)
    for node in [node for node in root.iter() if local(node) in _INDEXES]:
        _spread(node)
    return bytes(etree.tostring(root, xml_declaration=True, encoding="UTF-8")), notes


def _part(archive: Archive, name: str) -> Node:
    try:
        return etree.fromstring(archive.read(name), _XML)
    except etree.XMLSyntaxError as error:
        raise Refused(DAMAGED.format(f"{name} cannot be read")) from error


def _is_hidden(node: Node) -> bool:
    return attribute(node, "display") == "none"


def _append_text(place: Node, text: str | None) -> None:
    """Add text right before a node."""
    if not text:
        return
    before = place.getprevious()
    if before is None:
        place.getparent().text = (place.getparent().text or "") + text
    else:
        before.tail = (before.tail or "") + text


def _cut(node: Node) -> None:
    _append_text(node, node.tail)
    node.getparent().remove(node)


def _unwrap(node: Node) -> None:
    _append_text(node, node.text)
    parent, tail = node.getparent(), node.tail
    for child in list(node):
        node.addprevious(child)
    node.tail = None
    _append_text(node, tail)
    parent.remove(node)


def _write_scripts(root: Node, sources: Iterable[Node]) -> None:
    """Write superscripts and subscripts with characters, in the place of formatting. sources: what has styles."""
    scripts = dict(_script_styles(sources))
    for span in [node for node in root.iter() if local(node) == "span"]:
        script = scripts.get(attribute(span, "style-name"))
        if script and not len(span):
            span.text = script(span.text or "")


def _script_styles(sources: Iterable[Node]) -> Iterator[tuple[str | None, Callable[[str], str]]]:
    """Yield the names of the styles that raise or lower a text."""
    for node in (node for source in sources for node in source.iter() if local(node) == "text-properties"):
        position = (attribute(node, "text-position") or "").split(" ")[0]
        if position == "sub" or position.startswith("-"):
            yield attribute(node.getparent(), "name"), lowered
        elif position and position not in ("0%", "0"):
            yield attribute(node.getparent(), "name"), raised


def _take_notes(root: Node) -> Iterator[tuple[str, str]]:
    """Put a mark in the place of each note and yield its key and text."""
    for number, note in enumerate([node for node in root.iter() if local(node) == "note"]):
        lines = (
            _text(line) for body in children(note, "note-body") for line in body.iter() if local(line) == "p"
        )
        yield str(number), squeeze(clean(" ".join(lines)))
        _append_text(note, note_mark(str(number)))
        _cut(note)


def _text(paragraph: Node) -> str:
    spaces = ("tab", "s", "line-break")
    return (paragraph.text or "") + "".join(
        (" " if local(child) in spaces else _text(child)) + (child.tail or "") for child in paragraph
    )


def _take_out(box: Node) -> None:
    """Put what is in a text box after the outermost paragraph that holds it."""
    holders = [above for above in box.iterancestors() if local(above) in _PARAGRAPHS]
    if holders:
        place = holders[-1]
        for child in list(box):
            place.addnext(child)
            place = child


def _spread(index: Node) -> None:
    """Put the lines of an index in its place."""
    is_contents = local(index) in _CONTENTS
    for line in [node for node in index.iter() if local(node) in _PARAGRAPHS and _is_printed(node)]:
        if is_contents:
            line.text = role_mark("contents") + (line.text or "")
        index.addprevious(line)
        line.tail = None
    _cut(index)


def _is_printed(line: Node) -> bool:
    return any(local(above) == "index-body" for above in line.iterancestors())


class _ListStyles:
    """How each level of each list style counts: list-style and outline-style elements of both parts."""

    def __init__(self, parts: Iterable[Node]) -> None:
        self._levels: dict[tuple[str, int], Node] = {}
        for node in (node for part in parts for node in part.iter()):
            name = attribute(node, "name") or ""
            if local(node) in ("list-style", "outline-style"):
                key = name if local(node) == "list-style" else _OUTLINE
                for level in node:
                    self._levels.setdefault((key, whole(attribute(level, "level"), 1)), level)

    def start(self, style: str, depth: int) -> int:
        level = self._levels.get((style, depth))
        return whole(attribute(level, "start-value"), 1) if level is not None else 1

    def printed(self, style: str, counts: dict[int, int], depth: int) -> str:
        """Return a number as it is printed; "" for a bullet or where nothing is printed."""
        level = self._levels.get((style, depth))
        if level is None or not attribute(level, "num-format"):
            return ""
        first = depth - whole(attribute(level, "display-levels"), 1) + 1
        numbers = [self._counted(style, deep, counts) for deep in range(max(first, 1), depth + 1)]
        prefix, suffix = attribute(level, "num-prefix") or "", attribute(level, "num-suffix") or ""
        return (prefix + ".".join(filter(None, numbers)) + suffix).strip()

    def _counted(self, style: str, depth: int, counts: dict[int, int]) -> str:
        level = self._levels.get((style, depth))
        format = (attribute(level, "num-format") or "") if level is not None else ""
        number = counts.get(depth, self.start(style, depth))
        if _CYRILLIC_FORMAT.match(format):
            return counted(number, "russianUpper" if format[0].isupper() else "russianLower")
        return counted(number, _FORMATS.get(format, "none"))


def _number(root: Node, styles: _ListStyles) -> None:
    """Make paragraphs of list items, and write numbers before them and before numbered headings."""
    counts: dict[str, dict[int, int]] = {}
    for node in [node for node in root.iter() if local(node) in ("h", "list")]:
        if local(node) == "h":
            in_list = any(local(above) == "list" for above in node.iterancestors())
            is_counted = (node.text or len(node)) and attribute(node, "is-list-header") != "true"
            if not in_list and is_counted:
                depth = whole(attribute(node, "outline-level"), 1)
                number = _count(styles, _OUTLINE, counts.setdefault(_OUTLINE, {}), depth, None)
                node.text = f"{number} {node.text or ''}" if number else node.text
        elif not any(local(above) == "list" for above in node.iterancestors()):
            _number_list(node, styles, counts, attribute(node, "style-name"), 1)
            _spread_list(node)


def _number_list(
    node: Node, styles: _ListStyles, counts: dict[str, dict[int, int]], style: str | None, depth: int
) -> None:
    own = attribute(node, "style-name") or style or ""
    goes_on = attribute(node, "continue-numbering") == "true" or attribute(node, "continue-list")
    list_counts = counts.setdefault(own, {})
    is_heading_list = any(local(below) == "h" for below in node.iter())
    if not goes_on and depth == 1 and not is_heading_list:
        list_counts.clear()
    for item in children(node, "list-item", "list-header"):
        blocks = list(item)
        lines = [block for block in blocks if local(block) in _PARAGRAPHS]
        starts = local(item) == "list-item" and bool(blocks) and local(blocks[0]) in _PARAGRAPHS
        number = _count(styles, own, list_counts, depth, attribute(item, "start-value")) if starts else ""
        for place, line in enumerate(lines):
            mark = role_mark("list_item") if local(line) == "p" else ""
            shown = f"{number} " if number and place == 0 else ""
            line.text = f"{mark}{shown}{line.text or ''}"
        for block in blocks:
            if local(block) == "list":
                _number_list(block, styles, counts, own, depth + 1)


def _count(styles: _ListStyles, style: str, counts: dict[int, int], depth: int, restart: str | None) -> str:
    before = counts.get(depth, styles.start(style, depth) - 1)
    counts[depth] = whole(restart, before + 1)
    for deeper in [deep for deep in counts if deep > depth]:
        del counts[deeper]
    return styles.printed(style, counts, depth)


def _spread_list(node: Node) -> None:
    """Put the paragraphs of a list in its place, in their order."""
    for block in [below for below in node.iter() if local(below) in (*_PARAGRAPHS, "table")]:
        holder = next(
            above for above in block.iterancestors() if local(above) in (*_PARAGRAPHS, "table", "list")
        )
        if local(holder) == "list":
            block.tail = None
            node.addprevious(block)
    _cut(node)
