"""An EPUB's own list of its chapters, and the headings that only this list tells: paragraphs that look like one.

Nothing is added to the text: an entry that is not printed where it points to is no heading.
"""

import posixpath
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from urllib.parse import unquote

from tgrag.ingest.contents import key
from tgrag.ingest.headings import CHAPTER, line_heading
from tgrag.ingest.text import clean, squeeze
from tgrag.ingest.xml import Node, attribute, children, descendant, local

_TAGS = {f"h{level}": level for level in range(1, 7)}
_DEEPEST = 6
_PARAGRAPHS = frozenset(["p", "div"])
_HOLDER_TAGS = "p div section article blockquote ul ol table dl figure hgroup pre"
_HOLDERS = frozenset(_HOLDER_TAGS.split())
_NEAR = 5  # blocks from the place that an entry points to
_MOST_LINES = 3  # of a heading: its number, its title, its subtitle


@dataclass(frozen=True, slots=True)
class Entry:
    """label: its key. page: a path in the archive. anchor: "" for the whole page. depth: from 0."""

    label: str
    page: str
    anchor: str
    depth: int


def entries_of_nav(root: Node, folder: str) -> list[Entry]:
    """Return the entries of an EPUB 3 navigation document that stands in a folder."""
    found = []
    for nav in root.iter():
        if local(nav) == "nav" and "toc" in (attribute(nav, "type") or "").split():
            for link in nav.iter():
                if local(link) == "a":
                    depth = sum(local(above) == "ol" for above in link.iterancestors()) - 1
                    found.append(_entry("".join(link.itertext()), link.get("href") or "", folder, depth))
    return found


def entries_of_ncx(root: Node, folder: str) -> list[Entry]:
    """Return the entries of an EPUB 2 navigation file (NCX) that stands in a folder."""
    found = []
    for point in root.iter():
        label, content = children(point, "navLabel"), children(point, "content")
        if local(point) == "navPoint" and label and content:
            depth = sum(local(above) == "navPoint" for above in point.iterancestors())
            found.append(_entry("".join(label[0].itertext()), content[0].get("src") or "", folder, depth))
    return found


def _entry(label: str, target: str, folder: str, depth: int) -> Entry:
    path, _, anchor = target.partition("#")
    page = posixpath.normpath(posixpath.join(folder, unquote(path)))
    return Entry(key(clean(label)), page, unquote(anchor), max(depth, 0))


class Navigation:
    """What the list of chapters says of the book's pages, which are given in their order."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._labels = frozenset(entry.label for entry in entries)
        self._entries: dict[str, list[Entry]] = {}
        self._levels: dict[int, int] = {}  # of the headings in the markup, by the depth of their entries
        for entry in entries:
            if entry.label:
                self._entries.setdefault(entry.page, []).append(entry)

    def mark(self, page: str, root: Node) -> None:
        """Turn the paragraphs of a parsed page that are the headings of its entries into headings, in its tree."""
        entries = self._entries.get(page)
        if not entries:
            return
        blocks, places = _blocks(root)
        keys = [key(_text(block)) for block in blocks]
        begins = [places.get(entry.anchor, 0) if entry.anchor else 0 for entry in entries]
        ordered = [*sorted(begins), len(blocks) + 1]
        marks: dict[int, tuple[int, int]] = {}
        for entry, begin in zip(entries, begins, strict=True):
            following = ordered[bisect_right(ordered, begin)]
            near = range(begin, min(begin + _NEAR, following, len(blocks)))
            if level := next((_TAGS[local(blocks[i])] for i in near if local(blocks[i]) in _TAGS), None):
                self._levels.setdefault(entry.depth, level)
            if found := _printed(entry.label, near, blocks, keys, self._labels):
                level = self._levels.get(entry.depth, min(CHAPTER + entry.depth, _DEEPEST))
                marks.setdefault(found.start, (found.stop, level))
        for first, (last, level) in marks.items():
            _make_heading(blocks[first:last], level)


def _printed(
    label: str, near: range, blocks: Sequence[Node], keys: Sequence[str], labels: Collection[str]
) -> range | None:
    """Return the paragraphs that are a label; None where it is not printed, or a heading stands there already."""
    if any(keys[i] == label and local(blocks[i]) in _TAGS for i in near):
        return None
    for first in near:
        lines = range(first, min(first + _MOST_LINES, near.stop))
        joined = accumulate((keys[i] for i in lines), lambda above, below: f"{above} {below}")
        for last, text in zip(lines, joined, strict=True):
            run = blocks[first : last + 1]
            if text == label and all(local(block) in _PARAGRAPHS for block in run):
                is_told_by_words = len(run) == 1 and line_heading(_text(run[0])) is not None
                are_siblings = all(a.getnext() is b and not (a.tail or "").strip() for a, b in pairwise(run))
                return range(first, last + 1) if are_siblings and not is_told_by_words else None
        is_heading = local(blocks[first]) in _TAGS or line_heading(_text(blocks[first])) is not None
        if is_heading and keys[first] not in labels:
            return None
    return None


def _make_heading(lines: Sequence[Node], level: int) -> None:
    """Turn neighbouring paragraphs into one heading."""
    words = line_heading(_text(lines[0]))
    for line in lines:
        line.tag = f"h{min(words.level, _DEEPEST) if words else level}"
    if len(lines) > 1:
        group = lines[0].makeelement("hgroup")
        group.tail, lines[-1].tail = lines[-1].tail, None
        lines[0].addprevious(group)
        group.extend(lines)


def _blocks(root: Node) -> tuple[list[Node], dict[str, int]]:
    """Return the innermost blocks of a page that have text, and at which of them each anchor stands."""
    blocks: list[Node] = []
    places: dict[str, int] = {}
    inside: set[Node] = set()
    body = descendant(root, "body")
    for node in (root if body is None else body).iter():
        if _is_innermost(node) and key(_text(node)):
            blocks.append(node)
            inside.update(node.iter())
        for name in (node.get("id"), node.get("name")):
            if name:
                places.setdefault(name, len(blocks) - (node in inside))
    return blocks, places


def _is_innermost(node: Node) -> bool:
    tag = local(node)
    return tag in _TAGS or (
        tag in _PARAGRAPHS
        and not any(local(below) in _HOLDERS or local(below) in _TAGS for below in node.iterdescendants())
    )


def _text(node: Node) -> str:
    return squeeze(clean("".join(_pieces(node))))


def _pieces(node: Node) -> Iterator[str]:
    """Give the text of a node; a line break is a space."""
    yield node.text or ""
    for child in node:
        yield from (" ",) if local(child) == "br" else _pieces(child)
        yield child.tail or ""
