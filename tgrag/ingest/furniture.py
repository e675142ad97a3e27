"""What stands around the text of a page of HTML: menus, banners, contents, a publisher's pages, notes.

Only what the markup itself says is believed: HTML's own elements, ARIA and EPUB roles, and a class name where its
block is also made of links. Classifiers by text (trafilatura, jusText) were tried and lose text: docs/parsing.md.
"""

import re
from collections.abc import Callable

from tgrag.ingest.xml import Node, local
from tgrag.records import Drop

_CONTENTS = Drop("contents", "the markup says that it is a table of contents")
_NOTES = Drop("notes", "the markup says that these are notes")
_PUBLISHER = Drop("boilerplate", "the markup says that it is a publisher's page")
_NAVIGATION = Drop("boilerplate", "the site's navigation")
_FRAME = Drop("boilerplate", "the site's head, foot or side, outside of the page's main part")
_CONTROL = Drop("boilerplate", "the choices of a form")
_CONSENT = Drop("boilerplate", "a notice about cookies")

# The EPUB structural vocabulary, and the roles that digital publishing adds to ARIA ("doc-…").
_PUBLISHER_TYPES = frozenset(["titlepage", "halftitlepage", "imprint", "colophon", "copyright-page"])
_CONTENTS_TYPES = frozenset(["toc", "toc-brief", "loi", "lot", "loa", "lov", "landmarks", "page-list"])
_NOTES_TYPES = frozenset(["endnotes", "footnotes", "rearnotes", "endnote", "footnote", "rearnote"])
_MARK_TYPES = frozenset(["noteref", "backlink"])
_NAVIGATION_ROLES = frozenset(["navigation", "menu", "menubar", "search", "toolbar"])
_FRAME_ROLES = frozenset(["banner", "contentinfo", "complementary"])
_CONTROL_TAGS = frozenset(["select", "textarea", "datalist"])
_FRAME_TAGS = frozenset(["header", "footer", "aside"])
_MAIN_TAGS = frozenset(["main", "article"])
_BLOCKS = frozenset(["div", "ul", "ol", "section", "aside", "header", "footer", "table"])
_MENU_NAME = re.compile(
    r"(?:^|[-_\s])(?:nav|navbar|navigation|menu|breadcrumbs?|sidebar|share|social|footer|pagination)(?:$|[-_\s])",
    re.IGNORECASE,
)
_CONSENT_NAME = re.compile(r"(?:^|[-_\s])(?:cookies?|gdpr|consent)(?:$|[-_\s])", re.IGNORECASE)
_CONTENTS_NAME = re.compile(r"(?:^|[-_\s])(?:toc|table-of-contents)(?:$|[-_\s])", re.IGNORECASE)
_MENU_LINK_SHARE = 0.8
_CONSENT_CHARACTERS = 1000
_NOTE_MARK = re.compile(r"\[?(?:\d{1,3}|\*{1,3}|[†‡↩])\ufe0e?\]?")


def publisher_furniture(node: Node) -> Drop | None:
    """Tell what a publisher put around the text of a book, by the types of EPUB and the roles of ARIA."""
    types = _types(node)
    if types & _CONTENTS_TYPES:
        return _CONTENTS
    if types & _NOTES_TYPES:
        return _NOTES
    return _PUBLISHER if types & _PUBLISHER_TYPES else None


def site_furniture(root: Node) -> Callable[[Node], Drop | None]:
    """Return what tells the furniture of one page of a web site from its text."""
    mains = [node for node in root.iter() if local(node) in _MAIN_TAGS or node.get("role") == "main"]
    within = {node for main in mains for node in main.iter()}
    around = {node for main in mains for node in main.iterancestors()}

    def drop_of(node: Node) -> Drop | None:
        tag, role = local(node), node.get("role") or ""
        named = f"{node.get('class') or ''} {node.get('id') or ''}"
        if drop := publisher_furniture(node):
            return drop
        if tag == "nav" or role in _NAVIGATION_ROLES:
            return _CONTENTS if _CONTENTS_NAME.search(named) else _NAVIGATION
        if tag in _CONTROL_TAGS:
            return _CONTROL
        if tag not in _BLOCKS:
            return None
        if (
            mains
            and node not in within
            and node not in around
            and (tag in _FRAME_TAGS or role in _FRAME_ROLES)
        ):
            return _FRAME
        if _CONSENT_NAME.search(named) and _is_notice(node):
            return _CONSENT
        if _CONTENTS_NAME.search(named) and _link_share(node) >= _MENU_LINK_SHARE:
            return _CONTENTS
        if _MENU_NAME.search(named) and _link_share(node) >= _MENU_LINK_SHARE:
            return _NAVIGATION
        return None

    return drop_of


def is_note_mark(node: Node) -> bool:
    """Tell the mark of a note in running text, or the way back from it: by its type, or a raised link of a number."""
    if _types(node) & _MARK_TYPES:
        return True
    links = [node] if local(node) == "a" else [child for child in node if local(child) == "a"]
    is_raised = local(node) == "sup" and len(links) == 1
    is_way_back = local(node) == "a" and "footnote" in (node.get("class") or "") and not is_raised
    if not (is_raised or is_way_back) or not (links[0].get("href") or "").startswith("#"):
        return False
    return bool(_NOTE_MARK.fullmatch("".join(node.itertext()).strip()))


def _types(node: Node) -> set[str]:
    stated = node.get("{http://www.idpf.org/2007/ops}type") or node.get("epub:type") or ""
    roles = (
        role.removeprefix("doc-") for role in (node.get("role") or "").split() if role.startswith("doc-")
    )
    return {*stated.split(), *roles}


def _link_share(node: Node) -> float:
    """Return the share of a block's letters that are in links or buttons."""
    text = "".join("".join(node.itertext()).split())
    linked = (below for below in node.iter() if local(below) in ("a", "button"))
    return sum(len("".join("".join(link.itertext()).split())) for link in linked) / (len(text) or 1)


def _is_notice(node: Node) -> bool:
    has_button = any(local(below) in ("a", "button", "input") for below in node.iter())
    return has_button and len("".join(node.itertext())) <= _CONSENT_CHARACTERS
