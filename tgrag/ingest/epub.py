"""EPUB: the spine in its order, headings as marked up, title, language and series from the package file.

What the publisher put around the text (title page, imprint, contents, notes) stays in its place as dropped elements.
"""

import posixpath
import re
from dataclasses import dataclass, replace
from urllib.parse import unquote

from tgrag.ingest.archive import DAMAGED, Archive
from tgrag.ingest.encoding import decode_markup
from tgrag.ingest.furniture import publisher_furniture
from tgrag.ingest.markup import Markup, parse_html, read_tree
from tgrag.ingest.metadata import declared_date, declared_language, declared_number
from tgrag.ingest.navigation import Entry, Navigation, entries_of_nav, entries_of_ncx
from tgrag.ingest.refusal import Refused
from tgrag.ingest.text import clean, squeeze
from tgrag.ingest.xml import Node, attribute, children, descendant, local, parse_xml
from tgrag.records import Drop, Element, ParsedDocument

_NAVIGATION = Drop("contents", "the book's page of navigation")
_ASIDE = Drop("boilerplate", "the book keeps this page outside of its line of reading")
_NCX = "application/x-dtbncx+xml"
_PAGE_TYPES = ("application/xhtml+xml", "text/html", "text/x-oeb1-document")


def read_epub(data: bytes) -> ParsedDocument:
    """Read an EPUB 2 or 3. Raises Refused when it is damaged or locked."""
    archive = Archive(data)
    if (
        "META-INF/encryption.xml" in archive
        and b"font" not in archive.read("META-INF/encryption.xml").lower()
    ):
        raise Refused("the book is locked by its shop (DRM); only an unlocked copy can be read")
    rootfile = descendant(parse_xml(archive.read("META-INF/container.xml")), "rootfile")
    path = attribute(rootfile, "full-path") if rootfile is not None else None
    if not path:
        raise Refused(DAMAGED.format("its container names no package file"))
    package = parse_xml(archive.read(path))
    elements: list[Element] = []
    language = None
    folder = posixpath.dirname(path)
    navigation = Navigation(_entries(archive, package, folder))
    for spine_page in _spine(package, folder):
        page = _read_page(archive.read(spine_page.path), spine_page, navigation)
        elements.extend(page.elements)
        language = language or page.language
    return replace(_metadata(package, language), elements=tuple(elements))


@dataclass(frozen=True, slots=True)
class _SpinePage:
    path: str
    drop: Drop | None


def _spine(package: Node, folder: str) -> list[_SpinePage]:
    """Return the pages in reading order."""
    items = {attribute(node, "id"): node for node in package.iter() if local(node) == "item"}
    spine = descendant(package, "spine")
    references: list[Node] = children(spine, "itemref") if spine is not None else []
    pages = []
    for reference in references:
        item = items.get(attribute(reference, "idref"))
        if item is None or attribute(item, "media-type") not in _PAGE_TYPES:
            continue
        is_navigation = "nav" in (attribute(item, "properties") or "").split()
        is_aside = attribute(reference, "linear") == "no"
        pages.append(
            _SpinePage(_path(item, folder), _NAVIGATION if is_navigation else _ASIDE if is_aside else None)
        )
    return pages


def _entries(archive: Archive, package: Node, folder: str) -> list[Entry]:
    """Return the book's list of chapters: EPUB 3's where it has one, else that of EPUB 2."""
    items = [node for node in package.iter() if local(node) == "item"]
    navs = [item for item in items if "nav" in (attribute(item, "properties") or "").split()]
    ncxs = [item for item in items if attribute(item, "media-type") == _NCX]
    for item, entries_of in (
        *((nav, entries_of_nav) for nav in navs),
        *((ncx, entries_of_ncx) for ncx in ncxs),
    ):
        path = _path(item, folder)
        if path in archive:
            found = entries_of(_tree(archive.read(path)), posixpath.dirname(path))
            if found:
                return found
    return []


def _path(item: Node, folder: str) -> str:
    return posixpath.normpath(posixpath.join(folder, unquote(attribute(item, "href") or "")))


def _read_page(data: bytes, spine_page: _SpinePage, navigation: Navigation) -> Markup:
    root, drop = _tree(data), spine_page.drop
    if not drop:
        navigation.mark(spine_page.path, root)
    return read_tree(root, lambda node: drop or publisher_furniture(node))


def _tree(data: bytes) -> Node:
    try:
        return parse_xml(data)
    except Refused:  # not well-formed, as pages often are: read it as a browser would
        return parse_html(re.sub(r"^\s*<\?xml[^>]*\?>", "", decode_markup(data)))


@dataclass(frozen=True, slots=True)
class _Series:
    title: str | None = None
    number: int | None = None


def _metadata(package: Node, page_language: str | None) -> ParsedDocument:
    titles = [_text(node) for node in package.iter() if local(node) == "title"]
    languages = [_text(node) for node in package.iter() if local(node) == "language"]
    dates = [
        _text(node)
        for node in package.iter()
        # A bare date is that of the electronic edition, which says nothing about the text.
        if local(node) == "date" and attribute(node, "event") in ("original-publication", "creation")
    ]
    series = _series(package)
    return ParsedDocument(
        status="ok",
        title=next(filter(None, titles), None),
        language=declared_language(next(iter(languages), None) or page_language),
        series_title=series.title,
        series_number=series.number,
        date=declared_date(next(iter(dates), None)),
    )


def _series(package: Node) -> _Series:
    """Return the series by EPUB 3's belongs-to-collection, or by Calibre's own fields."""
    metas = [node for node in package.iter() if local(node) == "meta"]
    refinements = {
        ((node.get("refines") or "").lstrip("#"), node.get("property")): _text(node) for node in metas
    }
    for node in metas:
        if node.get("property") == "belongs-to-collection":
            identifier = node.get("id") or ""
            if refinements.get((identifier, "collection-type"), "series") == "series":
                return _Series(_text(node), declared_number(refinements.get((identifier, "group-position"))))
    named = {node.get("name"): node.get("content") for node in metas}
    title = named.get("calibre:series")
    return _Series(title, declared_number(named.get("calibre:series_index"))) if title else _Series()


def _text(node: Node) -> str:
    return squeeze(clean("".join(node.itertext())))
