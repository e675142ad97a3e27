"""Sliding-window communities in story order, as in the source article: 20 text units, overlap 5, inside one book.

Without an LLM a window's title names its most mentioned entities and its summary is extractive: the sentences
that together mention most of them.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest

from tgrag.hashing import stable_hash
from tgrag.records import NEVER, Community, EntityState, TextUnit
from tgrag.settings import WindowSettings

TITLE_NAMES = 3
SUMMARY_SENTENCES = 5
SUMMARY_SENTENCE_CHARACTERS = 300


def spans(n_units: int, size: int, overlap: int) -> list[tuple[int, int]]:
    """Return the windows over ``n_units`` units as half-open spans; the last one is never inside the one before."""
    step = size - overlap
    return [(start, min(start + size, n_units)) for start in range(0, max(1, n_units - overlap), step)]


@dataclass(frozen=True, slots=True)
class WindowSpan:
    """The text units of a window, in order. known_from: see Community."""

    units: tuple[TextUnit, ...]
    known_from: int

    @property
    def document_id(self) -> str:
        return self.units[0].document_id

    @property
    def community_id(self) -> str:
        first = self.units[0]
        return stable_hash("window", first.series_id, first.book_number, [u.text_unit_id for u in self.units])


def window_spans(units: Sequence[TextUnit], settings: WindowSettings) -> Iterator[WindowSpan]:
    """Return the windows of all books, in order; ``units`` come by (series, ordinal)."""
    books = [list(book) for _, book in groupby(units, key=lambda u: (u.series_id, u.book_number))]
    for book, following in zip_longest(books, books[1:]):
        over = NEVER
        if following is not None and following[0].series_id == book[0].series_id:
            over = following[0].ordinal
        for start, end in spans(len(book), settings.size, settings.overlap):
            window = tuple(book[start:end])
            yield WindowSpan(window, window[-1].ordinal if len(window) == settings.size else over)


def windows(
    units: Sequence[TextUnit], states: Sequence[EntityState], settings: WindowSettings
) -> list[Community]:
    """Return the windows of all books; ``units`` come by (series, ordinal)."""
    by_ordinal: defaultdict[tuple[str, int], list[tuple[EntityState, str]]] = defaultdict(list)
    for state in states:
        for description in state.descriptions:
            by_ordinal[state.series_id, description.ordinal].append((state, description.text))
    return [_community(span, by_ordinal, settings.max_members) for span in window_spans(units, settings)]


def _community(
    span: WindowSpan,
    by_ordinal: Mapping[tuple[str, int], list[tuple[EntityState, str]]],
    max_members: int,
) -> Community:
    window = span.units
    first, last = window[0], window[-1]
    mentions: defaultdict[str, int] = defaultdict(int)
    members: dict[str, EntityState] = {}
    sentences: dict[str, set[str]] = {}
    for unit in window:
        for state, text in by_ordinal.get((unit.series_id, unit.ordinal), ()):
            if state.known_from <= last.ordinal:
                members.setdefault(state.state_id, state)
                mentions[state.state_id] += 1
                sentences.setdefault(text, set()).add(state.state_id)
    most_mentioned = set(sorted(members, key=lambda m: -mentions[m])[:max_members])
    kept = [member for member in members if member in most_mentioned]
    return Community(
        community_id=span.community_id,
        kind="window",
        series_id=first.series_id,
        document_id=first.document_id,
        book_number=first.book_number,
        book_title=first.book_title,
        headings=first.headings,
        members=tuple(kept),
        title=_title(window, [members[m] for m in sorted(kept, key=lambda m: -mentions[m])]),
        summary=" ".join(_summary(sentences, {m: mentions[m] for m in kept})),
        report="",
        known_from=span.known_from,
        first_ordinal=first.ordinal,
        last_ordinal=last.ordinal,
    )


def _title(window: Sequence[TextUnit], by_importance: Sequence[EntityState]) -> str:
    names = ", ".join(list(dict.fromkeys(state.name for state in by_importance))[:TITLE_NAMES])
    places = list(dict.fromkeys(" / ".join(unit.headings) for unit in window if unit.headings))
    place = places[0] if len(places) == 1 else f"{places[0]} – {places[-1]}" if places else ""
    return ": ".join(part for part in (place, names) if part)


def _summary(sentences: Mapping[str, set[str]], weights: Mapping[str, int]) -> list[str]:
    """Choose sentences greedily by the weight of the members they add; return them in story order."""
    order = {text: place for place, text in enumerate(sentences)}
    candidates = [text for text in sentences if len(text) <= SUMMARY_SENTENCE_CHARACTERS]
    covered: set[str] = set()
    chosen: list[str] = []

    def gain(text: str) -> int:
        return sum(weights.get(member, 0) for member in sentences[text] - covered)

    while candidates and len(chosen) < SUMMARY_SENTENCES:
        best = max(candidates, key=gain)
        if not gain(best):
            break
        chosen.append(best)
        candidates.remove(best)
        covered |= sentences[best]
    return sorted(chosen, key=order.__getitem__)
