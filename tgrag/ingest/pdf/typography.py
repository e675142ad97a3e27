"""Dashes and quotation marks as they are printed.

docling-parse makes hyphens of dashes and plain marks of curly ones; pypdfium2, a second reader, keeps them. Where
both read the same letters at a place, its characters are taken.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pypdfium2
from docling_core.types.doc.base import BoundingBox

Restore = Callable[[str, BoundingBox], str]

_PLAIN = str.maketrans("“”„‟‘’‚‛—–‒―−‐‑", "\"\"\"\"''''-------")
_LINE_END_HYPHEN = "\x02"  # what PDFium makes of a hyphen at which a word is broken
_MARKS = frozenset("-\"'")


class Typography:
    """The second reading of a PDF. Where PDFium cannot open it, texts stay as they are."""

    def __init__(self, data: bytes) -> None:
        try:
            self._document = pypdfium2.PdfDocument(data)
        except pypdfium2.PdfiumError:  # it is the stricter of the two
            self._document = None

    @contextmanager
    def page(self, number: int) -> Iterator[Restore]:
        """Give what restores a text in a box (from the bottom left corner) of a page."""
        characters = self._characters(number)
        if characters is None:
            yield lambda text, box: text
            return

        def restore(text: str, box: BoundingBox) -> str:
            if _MARKS.isdisjoint(text):
                return text
            return restored(text, characters.get_text_bounded(box.l - 1, box.b, box.r + 1, box.t))

        yield restore
        characters.close()
        characters.page.close()

    def _characters(self, number: int) -> pypdfium2.PdfTextPage | None:
        try:
            return self._document[number - 1].get_textpage() if self._document else None
        except pypdfium2.PdfiumError:
            return None

    def close(self) -> None:
        if self._document is not None:
            self._document.close()


def restored(text: str, printed: str) -> str:
    """Return a text with the characters that are printed, its spaces kept; the text where the letters differ."""
    shown = iter("".join(printed.replace(_LINE_END_HYPHEN, "-").split()))
    characters = []
    for character in text:
        other = character if character.isspace() else next(shown, "")
        if other != character and other.translate(_PLAIN) != character:
            return text
        characters.append(other)
    return text if next(shown, None) else "".join(characters)
