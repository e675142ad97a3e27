"""How a place is shown to a reader."""

from collections.abc import Iterable, Sequence


def label(book_title: str, headings: Iterable[str]) -> str:
    """Return «Пиковая дама, III»: the book and its headings from the outermost one inwards."""
    return ", ".join([book_title, *headings])


def page_label(pages: Sequence[int]) -> str:
    """Return «p. 14–15, 17» for page numbers in ascending order; empty for none."""
    runs: list[list[int]] = []
    for page in pages:
        if runs and page == runs[-1][-1] + 1:
            runs[-1].append(page)
        else:
            runs.append([page])
    labels = (str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs)
    return f"p. {', '.join(labels)}" if runs else ""


def chapter_label(headings: Iterable[str]) -> str:
    """Return the headings alone, «Часть первая / II»; empty before the first heading."""
    return " / ".join(headings)
