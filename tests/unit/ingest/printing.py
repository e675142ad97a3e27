"""A small typesetter: known texts printed as PDF, with all that printers do to text."""

import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

import font_roboto
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

PLAIN, BOLD = "Roboto", "RobotoBold"  # in PyPI's font-roboto, with Cyrillic letters
for _font in (PLAIN, BOLD):
    pdfmetrics.registerFont(TTFont(_font, font_roboto.font_files[_font]))

WIDTH, HEIGHT, MARGIN = 420.0, 440.0, 50.0
_GUTTER = 24.0
_VOWELS = frozenset("аеёиоуыэюяіїєaeiouy")


@dataclass(frozen=True)
class Text:
    """A paragraph or a heading. note: a footnote to it, printed at the foot of the page where it begins."""

    text: str
    kind: Literal["paragraph", "heading"] = "paragraph"
    note: str | None = None
    size: float | None = None
    new_page: bool = False
    in_outline: bool = False


@dataclass(frozen=True)
class Style:
    """hyphen: what is printed at the end of a broken line, or None for no breaking of words.

    head, foot: what is printed at the edge of a page with some number. indent, gap: in points. foot_size: of the size
    of the text, for heads and feet.
    """

    n_columns: int = 1
    size: float = 10.0
    indent: float = 15.0
    gap: float = 0.0
    leading: float = 1.3
    hyphen: str | None = "-"
    head: Callable[[int], str | None] = lambda number: None
    foot: Callable[[int], str | None] = lambda number: None
    foot_size: float = 0.9


@dataclass
class _Page:
    """columns: the room left in each, from the top; notes: lines of footnotes."""

    lines: list[tuple[float, float, str, float, str]] = field(default_factory=list)  # x, y, text, size, font
    notes: list[str] = field(default_factory=list)
    outline: list[str] = field(default_factory=list)


def printed(texts: Sequence[Text], style: Style) -> bytes:
    """Print texts on as many pages as they need."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, (WIDTH, HEIGHT), invariant=True)
    for number, page in enumerate(_Typesetter(style).pages(texts), 1):
        for x, y, text, size, font in page.lines:
            canvas.setFont(font, size)
            canvas.drawString(x, y, text)
        for index, note in enumerate(reversed(page.notes)):
            canvas.setFont(PLAIN, style.size * 0.75)
            canvas.drawString(MARGIN, MARGIN + index * style.size, note)
        for text, y in ((style.head(number), HEIGHT - 30), (style.foot(number), 26.0)):
            if text:
                canvas.setFont(PLAIN, style.size * style.foot_size)
                canvas.drawCentredString(WIDTH / 2, y, text)
        for title in page.outline:
            key = f"{number} {title}"
            canvas.bookmarkPage(key)
            canvas.addOutlineEntry(title, key, level=0)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


class _Typesetter:
    def __init__(self, style: Style) -> None:
        self.style = style
        self.width = (WIDTH - 2 * MARGIN - (style.n_columns - 1) * _GUTTER) / style.n_columns

    def pages(self, texts: Sequence[Text]) -> list[_Page]:
        self.result = [_Page()]
        self.column, self.y = 0, HEIGHT - MARGIN - 20
        for text in texts:
            if text.new_page:
                self._next(new_page=True)
            self._set(text)
        return self.result

    def _set(self, text: Text) -> None:
        style = self.style
        size = text.size or (style.size * 1.4 if text.kind == "heading" else style.size)
        font = BOLD if text.kind == "heading" else PLAIN
        is_plain = text.kind == "paragraph"
        step = size * style.leading
        self.y -= style.gap if is_plain else size
        if text.note:
            notes = list(_lines(text.note, WIDTH - 2 * MARGIN, 0, style.size * 0.75, PLAIN, None))
            self.result[-1].notes += notes
        indent = style.indent if is_plain else 0.0
        for index, line in enumerate(
            _lines(text.text, self.width, indent, size, font, style.hyphen if is_plain else None)
        ):
            if self.y - step < MARGIN + (len(self.result[-1].notes) + 1) * style.size:
                self._next()
            self.y -= step
            if index == 0 and text.in_outline:
                self.result[-1].outline.append(text.text)
            x = MARGIN + self.column * (self.width + _GUTTER) + (indent if index == 0 else 0)
            self.result[-1].lines.append((x, self.y, line, size, font))
        if not is_plain:
            self.y -= size / 2

    def _next(self, new_page: bool = False) -> None:
        self.column += 1
        if self.column == self.style.n_columns or new_page:
            self.result.append(_Page())
            self.column = 0
        self.y = HEIGHT - MARGIN - 20


def _lines(
    text: str, width: float, indent: float, size: float, font: str, hyphen: str | None
) -> Iterator[str]:
    line, room = "", width - indent
    for word in text.split():
        candidate = f"{line} {word}".strip()
        while pdfmetrics.stringWidth(candidate, font, size) > room:
            head, tail = _broken(line, word, room, font, size) if hyphen else ("", word)
            yield f"{line} {head}{hyphen}".strip() if head else line
            line, word, room = "", tail, width
            candidate = word
        line = candidate
    yield line


def _broken(line: str, word: str, room: float, font: str, size: float) -> tuple[str, str]:
    """Break a word of letters after a vowel where it fits; ("", word) where it cannot be."""
    for place in range(len(word) - 3, 2, -1):
        head, tail = word[:place], word[place:]
        fits = pdfmetrics.stringWidth(f"{line} {head}-", font, size) <= room
        if fits and head[-1].lower() in _VOWELS and (head + tail.rstrip(".,;:!?»)")).isalpha():
            return head, tail
    return "", word


Piece = tuple[float, float, str]


def printed_pieces(pages: Sequence[Sequence[Piece] | Image.Image], size: float = 10.0) -> bytes:
    """Print pages: pieces of text at places (from the bottom left corner) in the order in which they are given, or
    a picture that fills the page."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, (WIDTH, HEIGHT), invariant=True)
    for pieces in pages:
        if isinstance(pieces, Image.Image):
            canvas.drawImage(ImageReader(pieces), 0, 0, WIDTH, HEIGHT)
            pieces = ()
        canvas.setFont(PLAIN, size)
        for x, y, text in pieces:
            canvas.drawString(x, y, text)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()
