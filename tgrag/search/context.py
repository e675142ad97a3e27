"""The context: what is shown of each found row, how much fits the budget, and in which order it is read."""

from collections.abc import Iterable, Sequence

from tgrag.models.protocols import Tokenizer
from tgrag.records import Community, EntityState, Evidence, Language, Relationship, TextUnit
from tgrag.search.labels import chapter_label, label
from tgrag.search.question import Question
from tgrag.search.requests import ContextItem
from tgrag.search.view import View

STATE_DESCRIPTIONS = 5  # shown of one entity state: those that answer the question best
RELATIONSHIP_DESCRIPTIONS = 2
SEPARATOR = " | "  # between descriptions (source article)

Row = TextUnit | EntityState | Relationship | Community

_SECTIONS: dict[Language, tuple[str, str, str]] = {
    "ru": ("Краткое содержание", "Кто и что", "Текст"),
    "uk": ("Стислий зміст", "Хто і що", "Текст"),
    "en": ("Summaries", "Who and what", "Text"),
}
_SECTION_OF = {"community": 0, "entity": 1, "relationship": 1, "text_unit": 2}


class ItemWriter:
    """Turns rows of a view into context items, measured with the tokenizer of whoever reads the context."""

    def __init__(self, view: View, question: Question, tokenizer: Tokenizer) -> None:
        self._view = view
        self._question = question
        self._tokenizer = tokenizer

    def text_unit(self, unit: TextUnit, score: float) -> ContextItem:
        place = label(unit.book_title, unit.headings)
        return self._item(
            "text_unit", unit.text_unit_id, place, unit.text, unit, unit.ordinal, unit.ordinal, score
        )

    def entity(self, state: EntityState, score: float) -> ContextItem:
        text = self._descriptions(state.descriptions, state, STATE_DESCRIPTIONS)
        first, last = state.first_ordinal, state.last_ordinal
        return self._item(
            "entity", state.state_id, state.name, f"{state.name}: {text}", state, first, last, score
        )

    def relationship(self, edge: Relationship, score: float) -> ContextItem:
        name = f"{edge.source_name} — {edge.target_name}"
        text = self._descriptions(edge.evidence, edge, RELATIONSHIP_DESCRIPTIONS)
        first, last = edge.first_ordinal, edge.last_ordinal
        return self._item(
            "relationship", edge.relationship_id, name, f"{name}: {text}", edge, first, last, score
        )

    def community(self, window: Community, score: float) -> ContextItem:
        text = f"{window.title}. {window.summary}" if window.summary else window.title
        first, last = window.first_ordinal, window.last_ordinal
        return self._item("community", window.community_id, window.title, text, window, first, last, score)

    def _item(
        self,
        kind: str,
        key: str,
        name: str,
        text: str,
        row: Row,
        first_ordinal: int,
        last_ordinal: int,
        score: float,
    ) -> ContextItem:
        item = ContextItem(
            kind=kind,
            id=key,
            name=name,
            label=label(row.book_title, row.headings),
            text=text,
            series=self._view.books[row.series_id, row.book_number].series_title,
            book=row.book_title,
            book_number=row.book_number,
            chapter=chapter_label(row.headings),
            first_ordinal=first_ordinal,
            last_ordinal=last_ordinal,
            score=round(score, 6),
            n_tokens=0,
        )
        return item.model_copy(update={"n_tokens": self._tokenizer.count(line(item))})

    def _descriptions(self, evidence: Sequence[Evidence], row: EntityState | Relationship, n: int) -> str:
        """Return the n descriptions that share most with the question, in reading order."""
        language = self._view.books[row.series_id, row.book_number].language
        shares = [self._question.share(self._question.words_in(item.text, language)) for item in evidence]
        best = sorted(range(len(evidence)), key=lambda place: -shares[place])[:n]
        return SEPARATOR.join(" ".join(evidence[place].text.split()) for place in sorted(best))


def line(item: ContextItem) -> str:
    """Return an item as it stands in the context, its place first."""
    return f"[{item.label}] {item.text}"


def fill(items: Iterable[ContextItem], budget: int) -> tuple[list[ContextItem], int]:
    """Return the items, best first, that fit the budget of tokens, and what is left of it."""
    kept = []
    for item in items:
        if item.n_tokens <= budget:
            kept.append(item)
            budget -= item.n_tokens
    return kept, budget


def in_story_order(items: Iterable[ContextItem]) -> list[ContextItem]:
    return sorted(
        items, key=lambda i: (i.series, i.first_ordinal, _SECTION_OF[i.kind], i.kind, i.last_ordinal, i.id)
    )


def render(items: Sequence[ContextItem], language: Language) -> str:
    """Return the context as it is shown to a model: sections, each in story order, under titles in ``language``."""
    blocks = []
    for section, title in enumerate(_SECTIONS[language]):
        lines = [line(item) for item in items if _SECTION_OF[item.kind] == section]
        if lines:
            blocks.append("\n".join([f"# {title}", *lines]))
    return "\n\n".join(blocks)


def titles_cost(language: Language, tokenizer: Tokenizer) -> int:
    """Return how many tokens the section titles take at most."""
    return sum(tokenizer.count(f"# {title}") for title in _SECTIONS[language])
