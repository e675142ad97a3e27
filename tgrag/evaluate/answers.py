"""How good an answer is without a judge: exact match, token F1, quotes that are really there, and when it abstains."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from tgrag.evaluate.folding import fold
from tgrag.evaluate.retrieval import Metrics
from tgrag.evaluate.sets import SetQuestion
from tgrag.language import detect, lemmas, words
from tgrag.records import TextUnit
from tgrag.search.requests import Answer, Citation

ARTICLES = frozenset(("a", "an", "the"))
_MARKS_OF_CITATION = re.compile(r"\[\d+\]")


def answer_metrics(question: SetQuestion, answer: Answer, units: Mapping[str, TextUnit]) -> Metrics:
    """Score an answer. units: all text units by id, in which the quotes are looked for anew.

    false_abstention is of answerable questions, abstention of unanswerable ones; an answer that abstains has F1 0.
    answer_quoted: a whole gold answer stands in the answer.
    """
    metrics: Metrics = {}
    if answer.citations:
        sound = sum(is_verbatim(citation, units) for citation in answer.citations)
        metrics["citation_precision"] = sound / len(answer.citations)
    if not question.is_answerable:
        return metrics | {"abstention": float(not answer.found)}
    text = _MARKS_OF_CITATION.sub("", answer.answer) if answer.found else ""
    metrics["false_abstention"] = float(not answer.found)
    metrics["exact_match"] = max(float(tokens(text) == tokens(gold)) for gold in question.answers)
    metrics["token_f1"] = max(f1(tokens(text), tokens(gold)) for gold in question.answers)
    metrics["lemma_f1"] = max(f1(_lemmas(text), _lemmas(gold)) for gold in question.answers)
    folded = fold(text)
    metrics["answer_quoted"] = float(any(fold(gold) in folded for gold in question.answers if fold(gold)))
    return metrics


def is_verbatim(citation: Citation, units: Mapping[str, TextUnit]) -> bool:
    """Tell whether a quote stands in its text unit, letter for letter, where the citation says."""
    unit = units.get(citation.text_unit_id)
    if unit is None or not citation.quote:
        return False
    return unit.text[citation.start - unit.start : citation.end - unit.start] == citation.quote


def tokens(text: str) -> list[str]:
    """Return the words of a text, case and ё folded, without English articles (as SQuAD does)."""
    return [word for word in words(text.casefold().replace("ё", "е")) if word not in ARTICLES]


def _lemmas(text: str) -> list[str]:
    return [*lemmas(text, detect(text))]


def f1(given: Sequence[str], wanted: Sequence[str]) -> float:
    """Return the harmonic mean of precision and recall of a bag of tokens; of two empty ones 1."""
    if not given or not wanted:
        return float(not given and not wanted)
    common = sum((Counter(given) & Counter(wanted)).values())
    return 2 * common / (len(given) + len(wanted))
