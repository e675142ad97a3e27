"""The answer without a language model: the passages that say most about what is asked, quoted.

A sentence is judged by its text unit, by the words and names it shares with the question, and, for as many
sentences as a moment allows, by its meaning. What is quoted is the sentence and those that follow it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tgrag.language import words
from tgrag.records import Language, TextUnit
from tgrag.search.citations import cite
from tgrag.search.describing import asks_who, describes
from tgrag.search.digest import digest
from tgrag.search.listing import asks_which, lists
from tgrag.search.meaning import SentenceMeaning, affordable
from tgrag.search.passages import Quote, Sentence, passages, split
from tgrag.search.question import Question
from tgrag.search.requests import Citation
from tgrag.search.view import Scores, View
from tgrag.store.lexical import Term

Units = Sequence[tuple[TextUnit, float]]

READ_UNITS = 10  # of the ranking: further down, sentences match by accident
INTRODUCING_UNITS = 10  # the first that name someone, read when the question is who that is

# Weights, against 1 for all the words of the question.
UNIT_WEIGHT = 1.0  # of the text unit's own score
NEAR_WEIGHT = 0.3  # of what only the sentences beside it share with the question («она умерла»)
NAME_WEIGHT = 0.6  # of naming all whom the question names
MEANING_WEIGHT = 0.3  # of a standard deviation of similarity
DESCRIBING_WEIGHT = 2.0  # of saying who someone is, when that is asked
LISTING_WEIGHT = 1.0  # of listing things, when several are asked for

FULL_SENTENCE = 12  # words; a shorter one more often names its subject than says something of it
MIN_SHARE = 0.2  # of the question's words, by rarity: below, a sentence is about something else
MOST_WORDS = 0.5  # a share that needs no likeness in meaning

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
class ExtractiveAnswer:
    text: str
    found: bool
    citations: list[Citation]


def extractive_answer(
    question: Question, view: View, units: Units, n_quotes: int, meaning: SentenceMeaning | None
) -> ExtractiveAnswer:
    """Answer with up to ``n_quotes`` passages, in story order. ``units``: text units and scores, best first.

    meaning: None judges by shared words alone. Raises what the embedder raises.
    """
    quotes = best_quotes(question, view, units, n_quotes, meaning)
    if not quotes:
        reason = _NO_ANSWER if view.units.any() else _NOTHING_VISIBLE
        return ExtractiveAnswer(reason[question.language], False, [])
    citations = [cite(number, quote.text, quote.unit, view) for number, quote in enumerate(quotes, start=1)]
    lines = [f"«{' '.join(citation.quote.split())}» [{citation.number}]" for citation in citations]
    return ExtractiveAnswer("\n".join(lines), True, citations)


def best_quotes(
    question: Question, view: View, units: Units, n: int, meaning: SentenceMeaning | None
) -> list[Quote]:
    """Return up to n passages in story order; none when nothing is about what is asked."""
    if question.hints and not question.idf:
        return passages(digest(question, view, n), n)
    names = view.in_names(question.idf)
    who = bool(names) and asks_who(question.text)
    read = list(units[:READ_UNITS])
    if who:
        read += _introducing(question, view, {unit.text_unit_id for unit, _ in read})
    found, shares, scores = _by_words(question, read, names, who)
    if not found:
        return []
    by_words = np.argsort(-np.round(scores, 6), kind="stable")
    if meaning is None or question.vector is None:
        return passages((found[place] for place in by_words if shares[place] >= MIN_SHARE), n)

    best = by_words[: affordable([found[place].text for place in by_words])]
    likeness = meaning.similarities(question.vector, [found[place].text for place in best])
    least = meaning.least(same_language=question.language in view.languages)
    most_shared = shares.max()
    if least is None:
        best, likeness = best[shares[best] >= MIN_SHARE], likeness[shares[best] >= MIN_SHARE]
    elif most_shared < MOST_WORDS and likeness.max(initial=-1) < least:
        return []
    total = scores[best] + MEANING_WEIGHT * _z(likeness)
    return passages((found[best[place]] for place in np.argsort(-np.round(total, 4), kind="stable")), n)


def best_sentence(question: Question, view: View, units: Units) -> Sentence | None:
    """Return the sentence that is nearest to the question by its words, its names and its text unit; None without any."""
    found, _, scores = _by_words(question, units[:READ_UNITS], view.in_names(question.idf), who=False)
    return found[int(np.argmax(np.round(scores, 6)))] if found else None


def _introducing(question: Question, view: View, read: set[str]) -> list[tuple[TextUnit, float]]:
    """Return the first text units that name whom the question names, but for those already read."""
    named = view.name_scores(question.idf)
    states = np.flatnonzero((named == named.max()) & (named > 0))
    rows = view.units_of(states.tolist())[:INTRODUCING_UNITS]
    return [(unit, -np.inf) for unit in view.text_units(rows.tolist()) if unit.text_unit_id not in read]


def _by_words(
    question: Question, units: Units, names: set[Term], who: bool
) -> tuple[list[Sentence], Scores, Scores]:
    """Return the sentences of the units, the share of the question's words in each, and their scores."""
    found: list[Sentence] = []
    shares: list[float] = []
    scores: list[float] = []
    keys = {key for term in names for key in term}
    which = asks_which(question.text)
    for (unit, _), prior in zip(units, _priors([score for _, score in units]), strict=True):
        here = split(unit)
        terms = [question.words_in(sentence.text, unit.language) for sentence in here]
        for place, sentence in enumerate(here):
            share = question.share(terms[place])
            near = set().union(*terms[max(0, place - 1) : place + 2]) - terms[place]
            score = share + NEAR_WEIGHT * question.share(near) + UNIT_WEIGHT * prior
            score += NAME_WEIGHT * len(terms[place] & names) / max(1, len(names))
            if who and terms[place] & names and describes(sentence.text, keys, unit.language):
                score += DESCRIBING_WEIGHT
            fullness = min(1.0, len(words(sentence.text)) / FULL_SENTENCE)
            found.append(sentence)
            shares.append(share)
            listing = LISTING_WEIGHT if which and lists(sentence.text) else 0.0
            scores.append(score * (1 + fullness) / 2 + listing)
    return found, np.array(shares), np.array(scores)


def _priors(scores: Sequence[float]) -> list[float]:
    """Bring scores to 0 (worst, and whatever was not ranked) … 1 (best)."""
    ranked = [score for score in scores if score > -np.inf]
    low, high = min(ranked, default=0.0), max(ranked, default=0.0)
    spread = high - low
    return [max(0.0, (score - low) / spread) if spread else float(score == high) for score in scores]


def _z(values: Scores) -> Scores:
    spread = values.std() if len(values) else 0.0
    result: Scores = (values - values.mean()) / spread if spread else np.zeros(len(values))
    return result
