"""XML that nobody has to trust: no entities of its own, nothing fetched, no external parts."""

import html
import re
from typing import Any, TypeAlias

from lxml import etree

from tgrag.ingest.encoding import decode_markup
from tgrag.ingest.refusal import Refused

Node: TypeAlias = Any  # lxml's element; lxml has no types

_PROLOG = re.compile(r"^\s*<\?xml[^>]*\?>")
_NAMED_ENTITY = re.compile(r"&([A-Za-z][A-Za-z0-9]*);")
_XML_ENTITIES = frozenset(("amp", "lt", "gt", "quot", "apos"))


def parse_xml(data: bytes) -> Node:
    """Parse XML of any encoding. Raises Refused when it is damaged or declares entities."""
    text = _PROLOG.sub("", decode_markup(data), count=1)
    text = _NAMED_ENTITY.sub(lambda m: m[0] if m[1] in _XML_ENTITIES else html.unescape(m[0]), text)
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        remove_comments=True,
        remove_pis=True,
        huge_tree=False,
    )
    try:
        root = etree.fromstring(text.encode("utf-8", errors="replace"), parser)
    except etree.XMLSyntaxError as error:
        raise Refused(f"the XML is damaged ({error.msg}); mend it or save it again") from error
    declared = root.getroottree().docinfo.internalDTD
    if declared is not None and next(iter(declared.iterentities()), None) is not None:
        raise Refused("the XML declares entities of its own, which can be an attack; save it without its DTD")
    return root


def local(node: Node) -> str:
    """Return a tag's name without its namespace; "" for what is no element."""
    return node.tag.rsplit("}", 1)[-1] if isinstance(node.tag, str) else ""


def attribute(node: Node, name: str) -> str | None:
    """Return an attribute whatever namespace it is in."""
    for key, value in node.attrib.items():
        if str(key).rsplit("}", 1)[-1].rsplit(":", 1)[-1] == name:
            return str(value)
    return None


def children(node: Node, *names: str) -> list[Node]:
    """Return the child elements with one of these local names."""
    return [child for child in node if local(child) in names]


def descendant(node: Node, *path: str) -> Node | None:
    """Return the first element at a path of local names, each any depth below the one before."""
    for name in path:
        found = next((below for below in node.iter() if local(below) == name and below is not node), None)
        if found is None:
            return None
        node = found
    return node
