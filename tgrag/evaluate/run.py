"""Evaluation: each set indexed, each question asked in each mode, each result scored."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tgrag.errors import InvalidRequest
from tgrag.evaluate.answers import answer_metrics
from tgrag.evaluate.folding import fold
from tgrag.evaluate.gold import DocumentText, Located, document_texts
from tgrag.evaluate.indexing import file_name, index_set, open_set
from tgrag.evaluate.loading import load_set
from tgrag.evaluate.modes import Retriever
from tgrag.evaluate.ordering import order_metrics
from tgrag.evaluate.results import LATENCY, Result, Results
from tgrag.evaluate.retrieval import Metrics, gold_metrics, leak, page_metrics, triple_metrics
from tgrag.evaluate.sets import EvaluationSet, OrderPair, SetQuestion
from tgrag.index.progress import Report
from tgrag.models.protocols import Embedder
from tgrag.records import Document, TextUnit
from tgrag.search.requests import AsOf, QueryRequest
from tgrag.settings import Settings
from tgrag.store.snapshot import Snapshot

MOST_MISSING = 0.05  # of the gold texts of a set; beyond, the set or its parsing is broken
BEGINNING = 80  # letters by which a text unit is known
REPORT_EVERY = 50  # questions


@dataclass(frozen=True, slots=True)
class Options:
    """limit: questions of a set and variant, drawn by ``seed``; all without it. types: of questions; all when empty.

    index: bring the collections up to date first. answers: ask for answers too, not only for contexts.
    within: ask each question of its own document only.
    """

    modes: tuple[str, ...]
    limit: int | None = None
    types: tuple[str, ...] = ()
    seed: int = 0
    index: bool = True
    answers: bool = True
    within: bool = False


def evaluate(
    folders: Sequence[Path], settings: Settings, options: Options, embedder: Embedder, report: Report
) -> Results:
    """Run every set in every mode and return the single results. Raises TgragErrors."""
    sets = [load_set(folder) for folder in folders]
    found: list[Result] = []
    for each in sets:
        if options.index:
            report(f"{each.name}: indexing {len(each.documents)} documents into {each.collection}")
            index_set(each, settings, report)
        found += evaluate_set(each, open_set(each, settings), settings, options, embedder, report)
    return Results(found)


def evaluate_set(
    evaluation_set: EvaluationSet,
    snapshot: Snapshot,
    settings: Settings,
    options: Options,
    embedder: Embedder,
    report: Report,
) -> list[Result]:
    """Return the single results of one set on an index of it."""
    retriever = Retriever(snapshot, embedder, settings)
    indexed = Indexed(evaluation_set, snapshot)
    if missing := indexed.missing():
        report(f"{evaluation_set.name}: {missing}")
    results: list[Result] = []
    for variant, questions in evaluation_set.questions.items():
        name = f"{evaluation_set.name}/{variant}" if variant else evaluation_set.name
        chosen = [q for q in questions if not options.types or q.type in options.types]
        asked = _sample(chosen, options)
        for mode in options.modes:
            scorer = Scorer(retriever, indexed, mode, options)
            for done, question in enumerate(asked, 1):
                metrics = scorer.metrics(question)
                results += [
                    Result(name, mode, question.question_id, question.type, metric, value)
                    for metric, value in metrics.items()
                ]
                if done % REPORT_EVERY == 0 or done == len(asked):
                    report(f"{name}, {mode}: {done} of {len(asked)} questions")
    for mode in options.modes:
        results += _ordering(evaluation_set, retriever, indexed, mode, options, report)
    return results


def _sample(questions: list[SetQuestion], options: Options) -> list[SetQuestion]:
    if options.limit is None or options.limit >= len(questions):
        return questions
    chosen = random.Random(options.seed).sample(range(len(questions)), options.limit)
    return [questions[place] for place in sorted(chosen)]


def _ordering(
    evaluation_set: EvaluationSet,
    retriever: Retriever,
    indexed: "Indexed",
    mode: str,
    options: Options,
    report: Report,
) -> Iterator[Result]:
    pairs: list[tuple[int, OrderPair]] = list(enumerate(evaluation_set.pairs))
    if options.types and "order_pairs" not in options.types:
        return
    if options.limit is not None and options.limit < len(pairs):
        pairs = sorted(random.Random(options.seed).sample(pairs, options.limit), key=lambda pair: pair[0])
    for place, pair in pairs:
        document = indexed.documents[pair.document]
        metrics = order_metrics(pair, mode, document.title, document.document_id, retriever)
        for metric, value in metrics.items():
            yield Result(f"{evaluation_set.name}/order_pairs", mode, str(place), "order_pairs", metric, value)
    if pairs:
        report(f"{evaluation_set.name}, {mode}: {len(pairs)} pairs of events")


class Indexed:
    """A set as an index holds it. documents: by the names that the set uses."""

    def __init__(self, evaluation_set: EvaluationSet, snapshot: Snapshot) -> None:
        self.set = evaluation_set
        rows = snapshot.documents.take(range(len(snapshot.documents)))
        by_source = {document.source: document for document in rows}
        sources = file_name(evaluation_set)
        absent = sorted(name for name, source in sources.items() if source not in by_source)
        if absent:
            raise InvalidRequest(
                f"collection {evaluation_set.collection} lacks {len(absent)} documents of the set, among them "
                f"{absent[0]}: run without --no-index"
            )
        self.documents: dict[str, Document] = {name: by_source[source] for name, source in sources.items()}
        units = snapshot.text_units.take(range(len(snapshot.text_units)))
        self.units: dict[str, TextUnit] = {unit.text_unit_id: unit for unit in units}
        names = {document.document_id: name for name, document in self.documents.items()}
        self.texts: dict[str, DocumentText] = document_texts(units, names)
        self._gold: dict[tuple[str, ...], list[Located]] = {}

    def gold(self, question: SetQuestion) -> list[Located]:
        """Return where the question's gold is; all its variants have the same."""
        key = tuple(f"{gold.document}\0{gold.at}\0{gold.text}" for gold in question.gold)
        if key not in self._gold:
            self._gold[key] = [
                self.texts[gold.document].locate(gold)
                if gold.document in self.texts
                else Located(gold.kind, len(fold(gold.text)), ())
                for gold in question.gold
            ]
        return self._gold[key]

    def missing(self) -> str | None:
        """Say how much of the gold is not in the text units. Raises InvalidRequest when it is more than a slip."""
        gold = {
            (each.document, each.at, each.text): located.pieces
            for question in self.set.questions[""]
            for each, located in zip(question.gold, self.gold(question), strict=True)
        }
        absent = sorted(key for key, pieces in gold.items() if not pieces)
        if not absent:
            return None
        document, _, text = absent[0]
        told = (
            f"{len(absent)} of {len(gold)} gold texts are not in the text units and count as never found, first "
            f"in {document}: «{' '.join(text.split())[:100]}»"
        )
        if len(absent) > MOST_MISSING * len(gold):
            raise InvalidRequest(f"{self.set.name}: {told}")
        return told

    @cached_property
    def _beginnings(self) -> dict[str, list[tuple[int, str]]]:
        """By series: ordinals and beginnings of text units, those left out that occur twice."""
        folded = {key: fold(unit.text)[:BEGINNING] for key, unit in self.units.items()}
        counted: dict[str, int] = {}
        for text in folded.values():
            counted[text] = counted.get(text, 0) + 1
        by_series: dict[str, list[tuple[int, str]]] = {}
        for key, unit in self.units.items():
            if counted[folded[key]] == 1:
                by_series.setdefault(unit.series_id, []).append((unit.ordinal, folded[key]))
        return by_series

    def after(self, unit: TextUnit) -> list[str]:
        """Return the beginnings of the text units after one, in its series."""
        return [text for ordinal, text in self._beginnings[unit.series_id] if ordinal > unit.ordinal]


class Scorer:
    """Asks the questions of one mode and scores what comes back."""

    def __init__(self, retriever: Retriever, indexed: Indexed, mode: str, options: Options) -> None:
        self._retriever = retriever
        self._indexed = indexed
        self._mode = mode
        self._options = options

    def metrics(self, question: SetQuestion) -> Metrics:
        """Return every metric that applies to the question.

        A question with a limit is asked as of there; ``…_without_as_of`` is what it finds of the same evidence when
        it is asked of the whole text.
        """
        last = self._last_unit(question)
        request = self._request(question, last)
        retrieved = self._retriever.retrieve(request)
        metrics: Metrics = {"context_tokens": float(retrieved.n_tokens), LATENCY: 1000 * retrieved.seconds}
        gold = self._indexed.gold(question)
        if gold:
            metrics |= gold_metrics(gold, retrieved)
        if question.page:
            units = [self._indexed.units[key] for key in retrieved.units]
            document = self._indexed.documents[question.page.document]
            metrics |= page_metrics(question.page, units, document.document_id)
        if question.triples:
            metrics |= triple_metrics(question.triples, retrieved)
        if last:
            series = self._indexed.documents[question.limit.document].series_title if question.limit else ""
            metrics["leak"] = leak(self._indexed.after(last), retrieved, series, last.ordinal)
            if gold:
                whole = gold_metrics(gold, self._retriever.retrieve(self._request(question, None)))
                for name in ("evidence_in_context", "full_in_context"):
                    metrics[f"{name}_as_of"] = metrics[name]
                    metrics[f"{name}_without_as_of"] = whole[name]
        answer = self._retriever.answer(request) if self._options.answers else None
        if answer:
            metrics |= answer_metrics(question, answer, self._indexed.units)
            if last:
                late = any(citation.ordinal > last.ordinal for citation in answer.citations)
                metrics["leak_in_answer"] = float(late)
        return metrics

    def _last_unit(self, question: SetQuestion) -> TextUnit | None:
        limit = question.limit
        if limit is None:
            return None
        last = self._indexed.texts[limit.document].last_unit(limit)
        if last is None:
            raise InvalidRequest(f"question {question.question_id}: its limit is not in the parsed text")
        return last

    def _request(self, question: SetQuestion, last: TextUnit | None) -> QueryRequest:
        as_of = None
        if last and question.limit:
            series = self._indexed.documents[question.limit.document].series_title
            as_of = AsOf(series=series, ordinal=last.ordinal)
        within = self._options.within and question.document
        books = [self._indexed.documents[question.document].title] if within and question.document else []
        return QueryRequest(question=question.text, mode=self._mode, books=books, as_of=as_of)
