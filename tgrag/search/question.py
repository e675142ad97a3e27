"""A question, read once against what is visible."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from tgrag.language import detect, lemmas, words
from tgrag.models.protocols import Vectors
from tgrag.records import Language
from tgrag.search.hints import find_hints
from tgrag.search.numbers import numbered_places
from tgrag.search.requests import Hint
from tgrag.search.terms import question_terms
from tgrag.search.view import View
from tgrag.store.lexical import Term


@dataclass(frozen=True, slots=True)
class Question:
    """vector: None when the embedder is down. idf: how rare each content word is; found: those that occur."""

    text: str
    language: Language
    vector: Vectors | None
    idf: Mapping[Term, float]
    found: frozenset[Term]
    hints: list[Hint]

    def words_in(self, text: str, language: Language) -> set[Term]:
        """Return the question's content words that occur in a text."""
        present = _lemmas(text, language)
        return {term for term in self.idf if not present.isdisjoint(term)}

    def share(self, terms: set[Term]) -> float:
        """Return the idf-weighted share that ``terms`` are of all content words, from 0 to 1."""
        if not terms:
            return 0.0
        total = sum(self.idf.values())
        return sum(self.idf[term] for term in sorted(terms)) / total if total else 0.0


@lru_cache(maxsize=8192)
def _lemmas(text: str, language: Language) -> frozenset[str]:
    return frozenset(lemmas(text, language))


def read_question(text: str, vector: Vectors | None, view: View) -> Question:
    """Return the question with its content words under the languages of the visible text, and its hints."""
    terms = question_terms(_without_numbered_places(text), view.languages)
    return Question(
        text=text,
        language=detect(text),
        vector=vector,
        idf=view.idf(terms),
        found=frozenset(view.found(terms)),
        hints=find_hints(text, view),
    )


def _without_numbered_places(question: str) -> str:
    """Leave out «in chapter five»: it says where to look, not what for."""
    tokens = words(question)
    places = {place for *_, span in numbered_places(tokens) for place in span}
    return " ".join(token for place, token in enumerate(tokens) if place not in places)
