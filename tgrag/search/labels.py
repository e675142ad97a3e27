"""How a place is shown to a reader."""

from collections.abc import Iterable


def label(book_title: str, headings: Iterable[str]) -> str:
    """Return «Пиковая дама, III»: the book and its headings from the outermost one inwards."""
    return ", ".join([book_title, *headings])


def chapter_label(headings: Iterable[str]) -> str:
    """Return the headings alone, «Часть первая / II»; empty before the first heading."""
    return " / ".join(headings)
