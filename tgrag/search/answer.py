"""The answer without a language model: the sentences that say most about what is asked, quoted."""

from collections.abc import Sequence
from dataclasses import dataclass

from tgrag.chunk.sentences import sentences
from tgrag.language import words
from tgrag.records import Language, TextUnit
from tgrag.search.citations import cite
from tgrag.search.question import Question
from tgrag.search.requests import Citation
from tgrag.search.view import View

READ_UNITS = 10  # of the ranking: further down, sentences match by accident
UNIT_WEIGHT = 0.3  # of the text unit's own score, against 1 for all the words of the question
NEAR_WEIGHT = 0.3  # of what only the sentences beside it share with the question («она умерла»)
NAME_WEIGHT = 0.3  # of naming who or what the question names
FULL_SENTENCE = 6  # words; a shorter one more often names its subject than says something of it
MIN_SHARE = 0.2  # of the question's words, by rarity: below, a sentence is about something else
MIN_OF_BEST = 0.6  # of the best sentence's score

_NO_ANSWER: dict[Language, str] = {
    "ru": "В доступном тексте ответа на этот вопрос не нашлось.",
    "uk": "У доступному тексті відповіді на це запитання не знайшлося.",
    "en": "The text that may be searched does not hold an answer to this question.",
}
_NOTHING_VISIBLE: dict[Language, str] = {
    "ru": "Под заданные ограничения не подходит ни один текст, искать негде.",
    "uk": "Під задані обмеження не підходить жоден текст, шукати ніде.",
    "en": "No text lies within the given limits, so there is nothing to search.",
}


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence of a text unit, letter for letter. start: in the unit's text."""

    text: str
    unit: TextUnit
    start: int
    score: float


@dataclass(frozen=True, slots=True)
class ExtractiveAnswer:
    text: str
    found: bool
    citations: list[Citation]


def extractive_answer(
    question: Question, view: View, units: Sequence[tuple[TextUnit, float]], n_sentences: int
) -> ExtractiveAnswer:
    """Answer with up to ``n_sentences`` quotes, in story order. ``units``: text units and scores, best first."""
    quotes = best_quotes(question, view, units[:READ_UNITS], n_sentences)
    if not quotes:
        reason = _NO_ANSWER if view.units.any() else _NOTHING_VISIBLE
        return ExtractiveAnswer(reason[question.language], False, [])
    citations = [cite(number, quote.text, quote.unit, view) for number, quote in enumerate(quotes, start=1)]
    lines = [f"«{' '.join(citation.quote.split())}» [{citation.number}]" for citation in citations]
    return ExtractiveAnswer("\n".join(lines), True, citations)


def best_quotes(
    question: Question, view: View, units: Sequence[tuple[TextUnit, float]], n_sentences: int
) -> list[Quote]:
    """Return the best sentences of the units, in story order; none when none is about what is asked."""
    names = view.in_names(question.idf)
    priors = _priors([score for _, score in units])
    quotes: dict[str, Quote] = {}
    for (unit, _), prior in zip(units, priors, strict=True):
        spans = sentences(unit.text, unit.language)
        texts = [unit.text[start:end].strip() for start, end in spans]
        terms = [question.words_in(text, unit.language) for text in texts]
        for place, text in enumerate(texts):
            share = question.share(terms[place])
            if share < MIN_SHARE or text in quotes:
                continue
            near = set().union(*terms[max(0, place - 1) : place + 2]) - terms[place]
            score = share + NEAR_WEIGHT * question.share(near) + UNIT_WEIGHT * prior
            score += NAME_WEIGHT * question.share(terms[place] & names)
            fullness = min(1.0, len(words(text)) / FULL_SENTENCE)
            quotes[text] = Quote(text, unit, spans[place][0], score * (1 + fullness) / 2)
    best = sorted(quotes.values(), key=lambda q: (-round(q.score, 6), *_place(q)))[:n_sentences]
    return sorted((q for q in best if q.score >= MIN_OF_BEST * best[0].score), key=_place)


def _priors(scores: Sequence[float]) -> list[float]:
    """Bring scores to 0 (worst) … 1 (best)."""
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    return [(score - low) / (high - low) if high > low else 1.0 for score in scores]


def _place(quote: Quote) -> tuple[str, int, int]:
    return quote.unit.series_id, quote.unit.ordinal, quote.start
