"""What Docling fails on in a Word file, taken out or put right in its XML."""

from lxml import etree

from tgrag.ingest.word_styles import value
from tgrag.ingest.xml import Node, children, local

_PICTURES = frozenset(("drawing", "pict", "blip", "imagedata"))
_MAX_COLUMNS = 63  # of a table, in Word itself; Docling makes a cell for each


def remove_pictures(root: Node) -> None:
    """Take pictures out, which Docling would open and may fail on; text boxes stay, and of mixed drawings the text."""
    for node in [node for node in root.iter() if local(node) in _PICTURES]:
        is_held = any(local(below) == "txbxContent" for below in node.iter())
        if node.getparent() is not None and not is_held:
            node.getparent().remove(node)


def narrow_cells(root: Node) -> None:
    """Let a cell that spans more columns than Word allows span those that its table leaves to it."""
    for node in [node for node in root.iter() if local(node) == "gridSpan"]:
        span = value(node) or ""
        if not span.isdecimal() or int(span[:9]) <= _MAX_COLUMNS:
            continue
        row = next((above for above in node.iterancestors() if local(above) == "tr"), None)
        if row is None:
            continue
        columns = [column for grid in children(row.getparent(), "tblGrid") for column in grid]
        room = len(columns) - len(list(children(row, "tc"))) + 1
        allowed = max(1, min(room, _MAX_COLUMNS))
        node.set(etree.QName(etree.QName(node).namespace, "val"), str(allowed))
