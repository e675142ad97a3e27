"""What a Word file's styles and numbering say of a paragraph: heading level, title, contents, automatic number."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tgrag.ingest.xml import Node, attribute, children, descendant, local

_HEADING = re.compile(r"(?:heading|заголовок|überschrift|titre|nadpis|nagłówek)\s*([1-9])", re.IGNORECASE)
# Styles of legal publishers name what they head; the levels are those of headings told by their words.
_HEADING_OF = re.compile(r"(?:заголовок|heading)\s+(?:of\s+)?(\w+)", re.IGNORECASE)
_LEVELS_OF = {
    **dict.fromkeys(("части", "частини", "part"), 3),
    **dict.fromkeys(("раздела", "розділу", "division"), 4),
    **dict.fromkeys(("главы", "глави", "chapter"), 5),
    **dict.fromkeys(("параграфа", "section"), 6),
    **dict.fromkeys(("статьи", "статті", "article"), 7),
}
_TITLE = re.compile(r"title|название|заголовок|назва", re.IGNORECASE)
_CONTENTS = re.compile(r"(?:toc|оглавление|зміст|содержание)\s*(?:[1-9]|heading)", re.IGNORECASE)
_BODY_LEVEL = 9  # an outline level of 9 says that it is body text
_PLACEHOLDER = re.compile(r"%([1-9])")
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"),
          (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip
_RUSSIAN = "абвгдежзиклмнопрстуфхцчшщэюя"  # Word counts without ё, й, ъ, ы, ь
_MOST_IN_LETTERS = 5000
_LATIN = "abcdefghijklmnopqrstuvwxyz"


def value(node: Node | None, name: str = "val") -> str | None:
    return attribute(node, name) if node is not None else None


def whole(text: str | None, default: int = 0) -> int:
    """Return a whole number that a file states, or a default where it states none."""
    return int(text) if text and re.fullmatch(r"-?[0-9]{1,9}", text) else default


class Styles:
    """styles.xml: what each style inherits and says."""

    def __init__(self, root: Node | None) -> None:
        nodes = [node for node in root if local(node) == "style"] if root is not None else []
        self._nodes = {value(node, "styleId"): node for node in nodes}
        default = (
            node for node in nodes if value(node, "default") == "1" and value(node, "type") == "paragraph"
        )
        self._default = value(next(default, None), "styleId")

    def heading_level(self, paragraph: Node) -> int | None:
        """Return the level by the paragraph's own outline level, else by its style's name or outline level."""
        own = descendant(paragraph, "pPr", "outlineLvl")
        if own is not None:
            return _outline_level(own)
        for style in self.chain(paragraph):
            if level := _named_level(_name(style)):
                return level
            outline = descendant(style, "pPr", "outlineLvl")
            if outline is not None:
                return _outline_level(outline)
        return None

    def is_title(self, paragraph: Node) -> bool:
        return any(_TITLE.fullmatch(_name(style)) for style in self.chain(paragraph))

    def is_contents(self, paragraph: Node) -> bool:
        return any(_CONTENTS.fullmatch(_name(style)) for style in self.chain(paragraph))

    def is_bold(self, paragraph: Node) -> bool:
        """Tell whether all the text of a paragraph is bold, by its runs or else by its style."""
        runs = [run for run in paragraph if local(run) == "r" and descendant(run, "t") is not None]
        by_style = next(
            (found for style in self.chain(paragraph) if (found := _bold(style)) is not None), False
        )
        stated = (_bold(run) for run in runs)
        return bool(runs) and all(by_style if found is None else found for found in stated)

    def chain(self, paragraph: Node) -> Iterator[Node]:
        """Yield the paragraph's style and those that it is based on."""
        stated = next(iter(children(paragraph, "pPr")), None)
        style = next(iter(children(stated, "pStyle")), None) if stated is not None else None
        yield from self.inherited(value(style) or self._default)

    def inherited(self, name: str | None) -> Iterator[Node]:
        seen = set()
        while name in self._nodes and name not in seen:
            seen.add(name)
            yield self._nodes[name]
            name = value(next(iter(children(self._nodes[name], "basedOn")), None))


def _named_level(name: str) -> int | None:
    if numbered := _HEADING.fullmatch(name):
        return int(numbered[1])
    named = _HEADING_OF.fullmatch(name)
    return _LEVELS_OF.get(named[1].lower()) if named else None


def _bold(node: Node) -> bool | None:
    """Return what the character properties of a run or a style say of bold letters, None where they say nothing."""
    marks = (mark for properties in children(node, "rPr") for mark in children(properties, "b"))
    mark = next(marks, None)
    return None if mark is None else value(mark) not in ("0", "false", "off")


def _name(style: Node) -> str:
    return value(next(iter(children(style, "name")), None)) or ""


def _outline_level(node: Node) -> int | None:
    level = whole(value(node), _BODY_LEVEL)
    return level + 1 if 0 <= level < _BODY_LEVEL else None


@dataclass(frozen=True, slots=True)
class ListPlace:
    """list: its number in numbering.xml. depth: from 0."""

    list: str
    depth: int


@dataclass
class _Level:
    format: str
    text: str
    start: int
    style: str | None


@dataclass
class _Scheme:
    """An abstract numbering with its counters, which all the lists share that use it."""

    levels: dict[int, _Level]
    counters: dict[int, int] = field(default_factory=dict)


class Numbers:
    """numbering.xml: the automatic numbers, counted while the document is read from its beginning."""

    def __init__(self, root: Node | None, styles: Styles) -> None:
        self._styles = styles
        nodes = list(root) if root is not None else []
        abstract = {value(node, "abstractNumId"): node for node in nodes if local(node) == "abstractNum"}
        by_style = {value(next(iter(children(node, "styleLink")), None)): node for node in abstract.values()}
        schemes = {}
        for key, node in abstract.items():
            link = value(next(iter(children(node, "numStyleLink")), None))
            schemes[key] = _Scheme(_levels(by_style.get(link, node) if link else node))
        self._schemes: dict[str | None, _Scheme] = {}
        self._restarts: dict[tuple[str | None, int], int] = {}
        for node in nodes:
            if local(node) != "num":
                continue
            number = value(node, "numId")
            scheme = schemes.get(value(next(iter(children(node, "abstractNumId")), None)))
            if scheme is None:
                continue
            self._schemes[number] = scheme
            for override in children(node, "lvlOverride"):
                level = whole(value(override, "ilvl"))
                start = next(iter(children(override, "startOverride")), None)
                if start is not None:
                    self._restarts[number, level] = whole(value(start), 1)

    def next(self, paragraph: Node) -> str | None:
        """Return the printed number of the next paragraph, "" for a bullet, None where it is in no list."""
        found = self.place(paragraph)
        if found is None:
            return None
        number, depth = found.list, found.depth
        scheme = self._schemes[number]
        level = scheme.levels.get(depth)
        if level is None:
            return None
        restart = self._restarts.pop((number, depth), None)
        before = scheme.counters.get(depth, level.start - 1) if restart is None else restart - 1
        scheme.counters = {deep: count for deep, count in scheme.counters.items() if deep < depth}
        scheme.counters[depth] = before + 1
        return "" if level.format == "bullet" else self._printed(scheme, level).strip()

    def place(self, paragraph: Node) -> ListPlace | None:
        """Return the list that a paragraph is in, by its own properties or by its style's."""
        stated = next(iter(children(paragraph, "pPr")), None)
        sources = [stated] if stated is not None else []
        styles = list(self._styles.chain(paragraph))
        sources += [properties for style in styles for properties in children(style, "pPr")]
        numberings = [numbering for source in sources for numbering in children(source, "numPr")]
        number = next(
            (value(node) for numbering in numberings for node in children(numbering, "numId")), None
        )
        if number is None or number not in self._schemes:
            return None
        depths = (value(node) for numbering in numberings for node in children(numbering, "ilvl"))
        depth = next(depths, None)
        if depth is None:  # a level may name the style that stands on it
            names = [value(style, "styleId") for style in styles]
            levels = self._schemes[number].levels.items()
            depth = str(next((deep for deep, level in levels if level.style in names and level.style), 0))
        return ListPlace(number, whole(depth))

    def _printed(self, scheme: _Scheme, level: _Level) -> str:
        def count(match: re.Match[str]) -> str:
            depth = int(match[1]) - 1
            named = scheme.levels.get(depth)
            return counted(scheme.counters.get(depth, named.start), named.format) if named else ""

        return _PLACEHOLDER.sub(count, level.text)


def _levels(abstract: Node) -> dict[int, _Level]:
    levels = {}
    for node in children(abstract, "lvl"):
        stated = {local(child): value(child) for child in node}
        levels[whole(value(node, "ilvl"))] = _Level(
            format=stated.get("numFmt") or "decimal",
            text=stated.get("lvlText") or "",
            start=whole(stated.get("start"), 1),
            style=stated.get("pStyle"),
        )
    return levels


def counted(number: int, format: str) -> str:
    """Return a number as Word's numbering format writes it; formats of other scripts are written in digits."""
    if format in ("none", "bullet"):
        return ""
    if number > _MOST_IN_LETTERS:
        return str(number)
    if format == "decimalZero":
        return f"{number:02d}"
    if format in ("lowerRoman", "upperRoman"):
        text = _roman(number)
    elif format in ("lowerLetter", "upperLetter") and number > 0:
        text = _LATIN[(number - 1) % 26] * ((number - 1) // 26 + 1)
    elif format in ("russianLower", "russianUpper") and number > 0:
        text = _RUSSIAN[(number - 1) % 28] * ((number - 1) // 28 + 1)
    else:
        return str(number)
    return text.upper() if format.startswith("upper") or format.endswith("Upper") else text


def _roman(number: int) -> str:
    text = ""
    for worth, letters in _ROMAN:
        text += letters * (number // worth)
        number %= worth
    return text
