"""Evaluation: each set indexed, each question asked in each mode, each result scored."""

import asyncio
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tgrag.errors import InvalidRequest
from tgrag.evaluate.answers import answer_metrics
from tgrag.evaluate.indexed import Indexed
from tgrag.evaluate.indexing import index_set, open_set
from tgrag.evaluate.judging import Judge, Transcript, judged
from tgrag.evaluate.loading import load_set
from tgrag.evaluate.modes import Retriever
from tgrag.evaluate.ordering import order_metrics
from tgrag.evaluate.results import LATENCY, Result, Results
from tgrag.evaluate.retrieval import Metrics, gold_metrics, leak, page_metrics, triple_metrics
from tgrag.evaluate.sets import EvaluationSet, OrderPair, SetQuestion
from tgrag.index.answers import AnswerMemo
from tgrag.index.progress import Report
from tgrag.models.chats import open_chat
from tgrag.models.protocols import Embedder
from tgrag.records import TextUnit
from tgrag.search.requests import AsOf, QueryRequest
from tgrag.settings import Settings
from tgrag.store.root import open_root
from tgrag.store.snapshot import Snapshot

REPORT_EVERY = 50  # questions


@dataclass(frozen=True, slots=True)
class Options:
    """limit: questions of a set and variant, drawn by ``seed``; all without it. types: of questions; all when empty.

    index: bring the collections up to date first. answers: ask for answers too, not only for contexts.
    within: ask each question of its own document only. judges: chat models, by name, that judge the answers.
    """

    modes: tuple[str, ...]
    limit: int | None = None
    types: tuple[str, ...] = ()
    seed: int = 0
    index: bool = True
    answers: bool = True
    within: bool = False
    judges: tuple[str, ...] = ()


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
        results, transcripts = evaluate_set(
            each, open_set(each, settings), settings, options, embedder, report
        )
        found += results
        if options.judges:
            judges = open_judges(options.judges, each.collection, settings)
            found += asyncio.run(judged(transcripts, judges, report))
    return Results(found)


def open_judges(models: Sequence[str], collection: str, settings: Settings) -> list[Judge]:
    """Open the judges: models of the chat section's back end. Verdicts are kept with the collection's answers.

    Raises ConfigurationError when the settings name no back end.
    """
    memory = AnswerMemo(open_root(settings.root), collection)
    named = [settings.chat.model_copy(update={"model": model}) for model in models]
    return [Judge(open_chat(chat), memory, chat) for chat in named]


def evaluate_set(
    evaluation_set: EvaluationSet,
    snapshot: Snapshot,
    settings: Settings,
    options: Options,
    embedder: Embedder,
    report: Report,
) -> tuple[list[Result], list[Transcript]]:
    """Return the single results of one set on an index of it, and what a judge has to read."""
    retriever = Retriever(snapshot, embedder, settings)
    indexed = Indexed(evaluation_set, snapshot)
    if missing := indexed.missing():
        report(f"{evaluation_set.name}: {missing}")
    results: list[Result] = []
    transcripts: list[Transcript] = []
    for variant, questions in evaluation_set.questions.items():
        name = f"{evaluation_set.name}/{variant}" if variant else evaluation_set.name
        chosen = [q for q in questions if not options.types or q.type in options.types]
        asked = _sample(chosen, options)
        for mode in options.modes:
            scorer = Scorer(retriever, indexed, name, mode, options)
            for done, question in enumerate(asked, 1):
                metrics = scorer.metrics(question)
                results += [
                    Result(name, mode, question.question_id, question.type, metric, value)
                    for metric, value in metrics.items()
                ]
                if done % REPORT_EVERY == 0 or done == len(asked):
                    report(f"{name}, {mode}: {done} of {len(asked)} questions")
            transcripts += scorer.transcripts
    for mode in options.modes:
        results += _ordering(evaluation_set, retriever, indexed, mode, options, report)
    return results, transcripts


def _sample(questions: list[SetQuestion], options: Options) -> list[SetQuestion]:
    if options.limit is None or options.limit >= len(questions):
        return questions
    chosen = random.Random(options.seed).sample(range(len(questions)), options.limit)
    return [questions[place] for place in sorted(chosen)]


def _ordering(
    evaluation_set: EvaluationSet,
    retriever: Retriever,
    indexed: Indexed,
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


class Scorer:
    """Asks the questions of one mode and scores what comes back.

    transcripts: of the answers to answerable questions, as they were given.
    """

    def __init__(
        self, retriever: Retriever, indexed: Indexed, name: str, mode: str, options: Options
    ) -> None:
        self.transcripts: list[Transcript] = []
        self._retriever = retriever
        self._indexed = indexed
        self._name = name
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
            if question.is_answerable:
                self.transcripts.append(
                    Transcript(
                        self._name,
                        self._mode,
                        question.question_id,
                        question.type,
                        question.text,
                        question.answers[0],
                        answer.answer,
                        retrieved.context,
                    )
                )
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
