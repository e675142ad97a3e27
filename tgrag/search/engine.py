"""The query path over one snapshot: from a request to a context or an answer."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from time import perf_counter

from tgrag.errors import ConfigurationError, EmbedderMismatch, EmptyQuestion, UnknownMode
from tgrag.language import words
from tgrag.models.chat import CallFailed
from tgrag.models.protocols import Embedder, Reranker, Tokenizer, Vectors
from tgrag.search.answer import ExtractiveAnswer, extractive_answer
from tgrag.search.caller import Caller
from tgrag.search.classic import classic_context
from tgrag.search.context import ItemWriter, RememberingTokenizer, in_story_order, render, titles_cost
from tgrag.search.development import (
    asks_change,
    states_over_time,
    subjects,
    with_stages,
)
from tgrag.search.entities import Entities
from tgrag.search.explain import explain
from tgrag.search.fuse import Ranking
from tgrag.search.horizon import resolve_as_of
from tgrag.search.likeness import NOTHING
from tgrag.search.matching import MatchingEmbedder
from tgrag.search.meaning import SentenceMeaning
from tgrag.search.model_answer import AnswerWriter
from tgrag.search.question import Question, read_question
from tgrag.search.remembered import RememberedVectors
from tgrag.search.requests import (
    MODES,
    Answer,
    AsOf,
    Cause,
    ContextItem,
    FallBack,
    Mode,
    QueryRequest,
    RankedUnit,
    Retrieval,
    Step,
)
from tgrag.search.rerank import rerank
from tgrag.search.temporal import (
    RANKED,
    Found,
    UnitChoice,
    choose_communities,
    choose_relationships,
    choose_units,
    rank_states,
    temporal_context,
)
from tgrag.search.units import rank_units
from tgrag.search.view import View, Views
from tgrag.settings import SearchSettings
from tgrag.store.snapshot import Snapshot

QUESTIONS_KEPT = 1024  # with their vectors: the same question is often asked as of several moments

READERS = 4  # questions whose sentences are embedded at once; under more load the rest do without

NO_RERANKER = FallBack(
    step="rerank",
    wanted="reranker",
    used="fused rank",
    cause="absent",
    reason="this profile has no reranking model",
)
NO_ENTITY = FallBack(
    step="entities",
    wanted="entities",
    used="text alone",
    cause="nothing",
    reason="no entity is like what is asked",
)
NO_CHAT = FallBack(
    step="answer",
    wanted="chat model",
    used="extractive quotes",
    cause="absent",
    reason="this profile has no chat model",
)


@dataclass(slots=True)
class _Run:
    """What one request gathers on its way."""

    mode: Mode
    timings: dict[str, float] = field(default_factory=dict)
    fall_backs: list[FallBack] = field(default_factory=list)
    steps: list[Step] | None = None  # gathered when they are asked for

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Record the seconds that a step takes."""
        began = perf_counter()
        yield
        self.timings[name] = round(perf_counter() - began, 6)


@dataclass(frozen=True, slots=True)
class _Found:
    view: View
    question: Question
    ranked: Ranking
    n_quoted: int  # of the first of ``ranked``, from which an answer is quoted
    items: list[ContextItem]  # in story order
    context: str
    n_tokens: int


class Engine:
    """Answers requests from one snapshot; between them it keeps vectors of questions and sentences and counts of tokens.

    Raises EmbedderMismatch when the snapshot was built with another embedder: here, or for the first question for which
    the embedder answers.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        embedder: Embedder,
        tokenizer: Tokenizer,
        settings: SearchSettings,
        writer: AnswerWriter | None = None,
        reranker: Reranker | None = None,
    ) -> None:
        embedder = MatchingEmbedder(embedder, snapshot.manifest["embedder"], snapshot.collection)
        self._snapshot = snapshot
        self._views = Views(snapshot)
        self.entities = Entities(snapshot, self._views)
        self._questions = RememberedVectors(embedder.embed_queries, QUESTIONS_KEPT)
        self._tokenizer = RememberingTokenizer(tokenizer)
        self._settings = settings
        self._writer, self._reranker = writer, reranker
        self._meaning = SentenceMeaning(embedder)
        self._reading = threading.BoundedSemaphore(READERS)

    def retrieve(self, request: QueryRequest, query_vector: Vectors | None = None) -> Retrieval:
        """Return the context for a question; ``query_vector`` is the question's embedding where it is known."""
        run = _Run(_mode(request), steps=[] if request.explain else None)
        found = self._find(request, query_vector, run)
        return Retrieval(
            collection=self._snapshot.collection,
            version=self._snapshot.version_id,
            mode=run.mode,
            question=request.question,
            hints=found.question.hints,
            items=found.items,
            context=found.context,
            n_tokens=found.n_tokens,
            fall_backs=run.fall_backs,
            timings=run.timings,
            steps=run.steps,
            ranked_units=_listed(found.ranked.head(RANKED), found.view),
        )

    def query(
        self, request: QueryRequest, query_vector: Vectors | None = None, caller: Caller | None = None
    ) -> Answer:
        """Return an answer with checked quotes. Raises CallerLeft when the caller leaves."""
        caller = caller or Caller()
        run = _Run(_mode(request), steps=[] if request.explain else None)
        found = self._find(request, query_vector, run)
        with run.step("answer"):
            answer, tokens = self._answered(found, request, run, caller)
            caller.complete(answer.text)
        return Answer(
            collection=self._snapshot.collection,
            version=self._snapshot.version_id,
            mode=run.mode,
            question=request.question,
            answer=answer.text,
            found=answer.found,
            citations=answer.citations,
            hints=found.question.hints,
            fall_backs=run.fall_backs,
            timings=run.timings,
            tokens={"context": found.n_tokens} | tokens,
            context=found.items if request.include_context else None,
            steps=run.steps,
        )

    def _find(self, request: QueryRequest, query_vector: Vectors | None, run: _Run) -> _Found:
        if not words(request.question):
            raise EmptyQuestion("the question is empty: it has no word")
        with run.step("view"):
            view = self._views.at(resolve_as_of(self._snapshot, request.as_of, request.books))
        with run.step("embed"):
            vector = self._embed(request.question, run) if query_vector is None else query_vector
        with run.step("hints"):
            question = read_question(request.question, vector, view)
        units_counted_by = self._snapshot.manifest["settings"]["chunk"]["tokenizer"]
        writer = ItemWriter(view, self._tokenizer, units_counted_by)
        titles = titles_cost(question.language, self._tokenizer)
        budget = self._settings.budget_tokens - titles
        search = self._classic if run.mode == "classic" else self._temporal
        ranked, n_units, items = search(question, view, writer, budget, run)
        with run.step("render"):
            items = in_story_order(items)
            context = render(items, question.language)
        n_tokens = titles + sum(item.n_tokens for item in items)
        return _Found(view, question, ranked, n_units, items, context, n_tokens)

    def _classic(
        self, question: Question, view: View, writer: ItemWriter, budget: int, run: _Run
    ) -> tuple[Ranking, int, list[ContextItem]]:
        with run.step("text_units"):
            ranked = rank_units(question, view, self._settings.candidates)
        with run.step("rerank"):
            ranked, _ = self._reranked(question, ranked, view, run)
        with run.step("context"):
            units = ranked.head(self._settings.classic_units)
            return ranked, len(units), classic_context(units, view, writer, budget)

    def _temporal(
        self, question: Question, view: View, writer: ItemWriter, budget: int, run: _Run
    ) -> tuple[Ranking, int, list[ContextItem]]:
        settings = self._settings
        with run.step("entities"):
            candidates = rank_states(question, view, settings)
            if not len(candidates) and view.n_units:
                run.fall_backs.append(NO_ENTITY)
            changing = subjects(question, view) if asks_change(question.text) else []
        with run.step("text_units"):
            choice = self._units(question, candidates.head(settings.entities).rows.tolist(), view, run)
        with run.step("rerank"):
            units, states = self._reranked(question, choice.ranking, view, run, candidates)
            choice, states = replace(choice, ranking=units), states.head(settings.entities)
            if changing:
                states = with_stages(states, states_over_time(changing, view, settings.entities))
        rows = states.rows.tolist()
        with run.step("relationships"):
            relationships = choose_relationships(rows, view, settings.relationships_per_entity)
        with run.step("communities"):
            communities = choose_communities(question, rows, view, settings.communities)
        with run.step("context"):
            found = Found(states, relationships, communities, choice.ranking)
            items = temporal_context(question, found, view, writer, settings, budget)
        if run.steps is not None:
            run.steps += explain(question, found, choice, items, view)
        return choice.ranking, min(len(choice.ranking), settings.candidates), items

    def _units(self, question: Question, states: list[int], view: View, run: _Run) -> UnitChoice:
        """Return the ranked text units; without the second step, which goes on record, when the embedder fails."""
        try:
            return choose_units(question, states, view, self._settings, self._questions.of)
        except Exception as error:  # whatever a model server raises
            reason = f"the embedder failed: {type(error).__name__}: {error}"
            run.fall_backs.append(
                FallBack(
                    step="text_units",
                    wanted="a second search",
                    used="the first search only",
                    cause="failed",
                    reason=reason,
                )
            )
            return choose_units(question, states, view, self._settings, None)

    def _reranked(
        self, question: Question, units: Ranking, view: View, run: _Run, states: Ranking = NOTHING
    ) -> tuple[Ranking, Ranking]:
        """Return text units and states in the reranker's order; as they are, which goes on record, without one."""
        if self._reranker is None:
            run.fall_backs.append(NO_RERANKER)
            return units, states
        try:
            return rerank(self._reranker, question, units, view, self._settings.candidates, states)
        except Exception as error:  # whatever a model server raises
            reason = f"the reranker failed: {type(error).__name__}: {error}"
            run.fall_backs.append(NO_RERANKER.model_copy(update={"cause": "failed", "reason": reason}))
            return units, states

    def _answered(
        self, found: _Found, request: QueryRequest, run: _Run, caller: Caller
    ) -> tuple[ExtractiveAnswer, dict[str, int]]:
        """Return the model's answer and its tokens; quotes alone, which goes on record, without one."""
        if self._writer is None:
            run.fall_backs.append(NO_CHAT)
            return self._answer(found, run), {}
        if not found.items:
            return self._answer(found, run), {}
        caller.stay()
        as_of = _written(request.as_of)
        try:
            answer, spent = self._writer.answer(found.question, as_of, found.items, found.view, caller)
        except (CallFailed, ConfigurationError) as error:
            run.fall_backs.append(NO_CHAT.model_copy(update={"cause": "failed", "reason": str(error)}))
            return self._answer(found, run), {}
        return answer, {"prompt": spent.tokens_in, "answer": spent.tokens_out}

    def _answer(self, found: _Found, run: _Run) -> ExtractiveAnswer:
        """Return quotes, chosen by shared words alone when the embedder fails, which goes on record."""
        quoted = found.ranked.head(found.n_quoted)
        units = list(zip(found.view.text_units(quoted.rows.tolist()), quoted.scores.tolist(), strict=True))
        given = found.question, found.view, units, self._settings.answer_sentences
        if not self._reading.acquire(blocking=False):
            run.fall_backs.append(_words_only("busy", "the embedder is busy with other questions"))
            return extractive_answer(*given, None)
        try:
            return extractive_answer(*given, self._meaning)
        except Exception as error:  # whatever a model server raises
            reason = f"the embedder failed: {type(error).__name__}: {error}"
            run.fall_backs.append(_words_only("failed", reason))
            return extractive_answer(*given, None)
        finally:
            self._reading.release()

    def _embed(self, question: str, run: _Run) -> Vectors | None:
        """Return the question's vector; None, and a fall-back on record, when the embedder fails."""
        try:
            return self._questions.of([question])[0]
        except EmbedderMismatch:
            raise
        except Exception as error:  # whatever a model server raises: lexical search still answers
            reason = f"the embedder failed: {type(error).__name__}: {error}"
            run.fall_backs.append(
                FallBack(
                    step="embed", wanted="vectors", used="lexical search only", cause="failed", reason=reason
                )
            )
            return None


def _listed(ranked: Ranking, view: View) -> list[RankedUnit]:
    scores = ranked.scores.tolist()
    ids = view.text_unit_ids(ranked.rows)
    return [RankedUnit(text_unit_id=key, score=score) for key, score in zip(ids, scores, strict=True)]


def _written(as_of: AsOf | None) -> str:
    given = as_of.model_dump(exclude_none=True) if as_of else {}
    return ", ".join(f"{name} {value}" for name, value in given.items())


def _words_only(cause: Cause, reason: str) -> FallBack:
    return FallBack(
        step="answer", wanted="sentence vectors", used="shared words only", cause=cause, reason=reason
    )


def _mode(request: QueryRequest) -> Mode:
    for mode in MODES:
        if mode == request.mode:
            return mode
    raise UnknownMode(f"unknown mode «{request.mode}»; there are: {', '.join(MODES)}")
