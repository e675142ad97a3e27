"""The context: what is shown of each found row, how much fits the budget, and in which order it is read."""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Literal

from tgrag.models.protocols import Tokenizer
from tgrag.records import Community, EntityState, Evidence, Language, Relationship, TextUnit
from tgrag.search.labels import chapter_label, label
from tgrag.search.requests import ContextItem
from tgrag.search.view import View
from tgrag.store.links import Integers

STATE_DESCRIPTIONS = 5  # shown of one entity state: those that answer the question best
RELATIONSHIP_DESCRIPTIONS = 2
SEPARATOR = " | "  # between descriptions (source article)

SHORTEST_LINE = 8  # tokens
LINES_KEPT = 10_000  # with their counts, an engine: some 10 MB

Kind = Literal["community", "entity", "relationship", "text_unit"]
Row = TextUnit | EntityState | Relationship | Community
Merit = Callable[[Evidence], float]  # how much a description is worth for the question

_SECTIONS: dict[Language, tuple[str, str, str]] = {
    "ru": ("Краткое содержание", "Кто и что", "Текст"),
    "uk": ("Стислий зміст", "Хто і що", "Текст"),
    "en": ("Summaries", "Who and what", "Text"),
}
_SECTION_OF: dict[Kind, int] = {"community": 0, "entity": 1, "relationship": 1, "text_unit": 2}


class RememberingTokenizer:
    """A tokenizer that keeps the counts of the lines met lately: other questions show many of the same."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.name = tokenizer.name
        self.count = lru_cache(maxsize=LINES_KEPT)(tokenizer.count)


class Told:
    """What the context says already: text units in full, and single descriptions."""

    def __init__(self, units: Iterable[ContextItem]) -> None:
        self._units = {unit.id: unit.text for unit in units}
        self._texts: set[str] = set()

    def __contains__(self, evidence: Evidence) -> bool:
        """Tell whether a description stands, word for word, in its text unit or in a line before."""
        return evidence.text in self._texts or evidence.text in self._units.get(evidence.text_unit_id, "")

    def add(self, evidence: Iterable[Evidence]) -> None:
        self._texts.update(item.text for item in evidence)


class ItemWriter:
    """Turns rows of a view into context items, measured with the tokenizer of whoever reads the context.

    units_counted_by: the tokenizer by which text units were counted when they were made.
    """

    def __init__(self, view: View, tokenizer: Tokenizer, units_counted_by: str) -> None:
        self._view = view
        self._tokenizer = tokenizer
        self._units_are_counted = tokenizer.name == units_counted_by
        self._label_costs: dict[str, int] = {}

    def text_unit_costs(self, rows: Integers) -> list[int]:
        """Return the tokens that text units take up with their places; they are read where they have to be counted."""
        if not self._units_are_counted:
            return [self.text_unit(unit, 0.0).n_tokens for unit in self._view.text_units(rows.tolist())]
        places = (label(book, headings) for book, headings in self._view.places_of(rows))
        counted = self._view.tokens_of(rows).tolist()
        return [self._label_cost(place) + n for place, n in zip(places, counted, strict=True)]

    def text_unit(self, unit: TextUnit, score: float) -> ContextItem:
        place = label(unit.book_title, unit.headings)
        n_tokens = self._label_cost(place) + unit.n_tokens if self._units_are_counted else None
        return self._item("text_unit", unit.text_unit_id, place, unit.text, unit, score, n_tokens)

    def entity(self, state: EntityState, score: float, told: Told, merit: Merit) -> ContextItem | None:
        """Return the best descriptions of a state that are not told yet, and take them for told; None without any."""
        shown = self._best(state.descriptions, STATE_DESCRIPTIONS, told, merit)
        if not shown:
            return None
        text = f"{state.name}: {_joined(shown)}"
        return self._item("entity", state.state_id, state.name, text, state, score, evidence=shown)

    def relationship(self, edge: Relationship, score: float, told: Told, merit: Merit) -> ContextItem | None:
        """Return the best evidence of a relationship that is not told yet, as ``entity`` does."""
        name = f"{edge.source_name} — {edge.target_name}"
        shown = self._best(edge.evidence, RELATIONSHIP_DESCRIPTIONS, told, merit)
        if not shown:
            return None
        text = f"{name}: {_joined(shown)}"
        return self._item("relationship", edge.relationship_id, name, text, edge, score, evidence=shown)

    def community(self, window: Community, score: float) -> ContextItem:
        """Return a window's title, with its summary where a language model wrote one.

        An extractive summary was chosen without the question, so the text's own sentences are worth more.
        """
        text = f"{window.title}. {window.summary}" if window.report else window.title
        return self._item("community", window.community_id, window.title, text, window, score)

    def report(self, window: Community, score: float) -> ContextItem:
        """Return a window with its report in full; as ``community`` does where it has none."""
        if not window.report:
            return self.community(window, score)
        text = f"{window.title}. {' '.join(window.report.split())}"
        return self._item("community", window.community_id, window.title, text, window, score)

    def _item(
        self,
        kind: Kind,
        key: str,
        name: str,
        text: str,
        row: Row,
        score: float,
        n_tokens: int | None = None,
        evidence: Sequence[Evidence] = (),
    ) -> ContextItem:
        place = label(row.book_title, row.headings)
        return ContextItem(
            kind=kind,
            id=key,
            name=name,
            label=place,
            text=text,
            series=self._view.books[row.series_id, row.book_number].series_title,
            book=row.book_title,
            book_number=row.book_number,
            chapter=chapter_label(row.headings),
            first_ordinal=row.ordinal if isinstance(row, TextUnit) else row.first_ordinal,
            last_ordinal=row.ordinal if isinstance(row, TextUnit) else row.last_ordinal,
            score=round(score, 6),
            n_tokens=self._tokenizer.count(_line(place, text)) if n_tokens is None else n_tokens,
            text_unit_ids=list(dict.fromkeys(item.text_unit_id for item in evidence)),
        )

    def _label_cost(self, place: str) -> int:
        if place not in self._label_costs:
            self._label_costs[place] = self._tokenizer.count(_line(place, ""))
        return self._label_costs[place]

    def _best(self, evidence: Sequence[Evidence], n: int, told: Told, merit: Merit) -> list[Evidence]:
        """Return the n best descriptions that are not told yet, in reading order."""
        best = [item for item in evidence if item not in told]
        if len(best) > n:
            merits = [merit(item) for item in best]
            places = sorted(sorted(range(len(best)), key=lambda place: -merits[place])[:n])
            best = [best[place] for place in places]
        told.add(best)
        return best


def _joined(descriptions: Iterable[Evidence]) -> str:
    return SEPARATOR.join(" ".join(item.text.split()) for item in descriptions)


def _line(place: str, text: str) -> str:
    """Return an item as it stands in the context, its place first."""
    return f"[{place}] {text}"


def fitting(costs: Iterable[int], budget: int) -> list[int]:
    """Return the places of the costs, best first, that fit a budget of tokens, as ``fill`` does."""
    kept = []
    for place, cost in enumerate(costs):
        if cost <= budget:
            kept.append(place)
            budget -= cost
    return kept


def fill(items: Iterable[ContextItem], budget: int) -> tuple[list[ContextItem], int]:
    """Return the items, best first, that fit the budget of tokens, and what is left of it.

    Items are not asked for any more once the rest is too small for a line.
    """
    kept = []
    for item in items:
        if item.n_tokens <= budget:
            kept.append(item)
            budget -= item.n_tokens
        if budget < SHORTEST_LINE:
            break
    return kept, budget


def fill_in_full(
    items: Iterable[tuple[ContextItem, ContextItem]], budget: int
) -> tuple[list[ContextItem], int]:
    """Return what fits the budget of (brief, in full) items, best first, and what is left of it.

    As many items as fit are shown in brief; then, best first, those in full for which there is still room.
    """
    pairs = list(items)
    in_full = {brief.id: full for brief, full in pairs}
    kept, left = fill((brief for brief, _ in pairs), budget)
    for place, brief in enumerate(kept):
        more = in_full[brief.id].n_tokens - brief.n_tokens
        if more <= left:
            kept[place] = in_full[brief.id]
            left -= more
    return kept, left


def in_story_order(items: Iterable[ContextItem]) -> list[ContextItem]:
    return sorted(
        items, key=lambda i: (i.series, i.first_ordinal, _SECTION_OF[i.kind], i.kind, i.last_ordinal, i.id)
    )


def render(items: Sequence[ContextItem], language: Language) -> str:
    """Return the context as it is shown to a model: sections, each in story order, under titles in ``language``."""
    blocks = []
    for section, title in enumerate(_SECTIONS[language]):
        lines = [_line(item.label, item.text) for item in items if _SECTION_OF[item.kind] == section]
        if lines:
            blocks.append("\n".join([f"# {title}", *lines]))
    return "\n\n".join(blocks)


def titles_cost(language: Language, tokenizer: Tokenizer) -> int:
    """Return how many tokens the section titles take at most."""
    return sum(tokenizer.count(f"# {title}") for title in _SECTIONS[language])
