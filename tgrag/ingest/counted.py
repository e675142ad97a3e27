"""Chapters that are a number and nothing else («1», "Two"), in formats that have paragraphs but no styles for them."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

from tgrag.ingest.headings import SECTION
from tgrag.ingest.ordinals import WORD, number
from tgrag.ingest.sequences import Mark, in_sequence
from tgrag.ingest.text import ends_sentence
from tgrag.records import Element

_FORMS = (re.compile(r"\d{1,3}[.)]?"), re.compile(rf"{WORD}\.?", re.IGNORECASE))
_GAP = 200  # characters of text between two of them, at least
_FEWEST = 3
_MOST = 0.8  # of the paragraphs that are numbers: the rest may be misprints
_AFTER_SENTENCES = 0.9  # of them: page numbers stand amid sentences


def with_counted(elements: Sequence[Element]) -> tuple[Element, ...]:
    """Return the elements with paragraphs as headings that are a number, go up from 1 and have text between them."""
    ends = list(accumulate(len(element.text) for element in elements))
    found: set[int] = set()
    for form in _FORMS:
        places = [
            index
            for index, element in enumerate(elements)
            if element.kind == "paragraph" and not element.drop and form.fullmatch(element.text)
        ]
        values = (number(elements[place].text.rstrip(".)")) for place in places)
        marks = [Mark("", value or 0, ends[place]) for value, place in zip(values, places, strict=True)]
        kept = [places[index] for index in sorted(in_sequence(marks, gap=_GAP, shortest=_FEWEST))]
        later = kept[1:]  # above the first there is a title
        n_after = sum(_is_after_a_sentence(elements, place) for place in later)
        if len(kept) >= _MOST * len(places) and n_after >= _AFTER_SENTENCES * len(later):
            found.update(kept)
    return tuple(
        replace(element, kind="heading", level=SECTION) if index in found else element
        for index, element in enumerate(elements)
    )


def _is_after_a_sentence(elements: Sequence[Element], index: int) -> bool:
    before = elements[index - 1]
    return before.kind != "paragraph" or before.drop is not None or ends_sentence(before.text)
