"""The ways to retrieve that are compared: the engine's modes, and baselines made from its parts.

- ``classic``, ``temporal``: as a user gets them.
- ``classic-wide``: classic's ranking (dense and BM25 fused), filling the whole budget of tokens.
- ``dense``: nearest vectors alone, filling the whole budget of tokens.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

from tgrag.errors import UnknownMode
from tgrag.models.protocols import Embedder, Tokenizer
from tgrag.models.tokenizer import tokenizer
from tgrag.search.classic import classic_context
from tgrag.search.context import ItemWriter, in_story_order, render, titles_cost
from tgrag.search.engine import Engine
from tgrag.search.fuse import Ranking, ranked
from tgrag.search.horizon import resolve_as_of
from tgrag.search.likeness import NOTHING
from tgrag.search.question import Question, read_question
from tgrag.search.remembered import RememberedVectors
from tgrag.search.requests import MODES, Answer, ContextItem, QueryRequest
from tgrag.search.units import rank_units
from tgrag.search.view import View
from tgrag.settings import Settings
from tgrag.store.snapshot import Snapshot

BASELINES = ("classic-wide", "dense")
ALL_MODES = (*MODES, *BASELINES)
DEPTH = 200  # text units ranked by a baseline: more than any budget holds
QUESTIONS_KEPT = 10_000


@dataclass(frozen=True, slots=True)
class Retrieved:
    """units: ids of text units, best first, and their scores. seconds: of the request, the embedding of the question
    left out."""

    units: list[str]
    scores: list[float]
    items: list[ContextItem]
    context: str
    n_tokens: int
    seconds: float


class Retriever:
    """Retrieves from one snapshot in any of ALL_MODES."""

    def __init__(self, snapshot: Snapshot, embedder: Embedder, settings: Settings) -> None:
        self.snapshot = snapshot
        self._tokenizer: Tokenizer = tokenizer(settings.chunk.tokenizer)
        self._settings = settings.search
        self.engine = Engine(snapshot, embedder, self._tokenizer, settings.search)
        self._vectors = RememberedVectors(embedder.embed_queries, QUESTIONS_KEPT)

    def retrieve(self, request: QueryRequest) -> Retrieved:
        """Answer a request; its mode may be a baseline. Raises UnknownMode."""
        if request.mode not in ALL_MODES:
            raise UnknownMode(f"unknown mode «{request.mode}»; there are: {', '.join(ALL_MODES)}")
        vector = self._vectors.of([request.question])[0]
        begun = perf_counter()
        if request.mode in BASELINES:
            return self._baseline(request, begun)
        found = self.engine.retrieve(request, vector)
        seconds = perf_counter() - begun
        units = [unit.text_unit_id for unit in found.ranked_units]
        scores = [unit.score for unit in found.ranked_units]
        return Retrieved(units, scores, found.items, found.context, found.n_tokens, seconds)

    def answer(self, request: QueryRequest) -> Answer | None:
        """Return the engine's answer; None for a baseline, which only retrieves."""
        if request.mode in BASELINES:
            return None
        return self.engine.query(request, self._vectors.of([request.question])[0])

    def view(self, request: QueryRequest) -> View:
        """Return what the request may see."""
        return View(self.snapshot, resolve_as_of(self.snapshot, request.as_of, request.books))

    def question(self, request: QueryRequest, view: View) -> Question:
        return read_question(request.question, self._vectors.of([request.question])[0], view)

    def _baseline(self, request: QueryRequest, begun: float) -> Retrieved:
        view = self.view(request)
        question = self.question(request, view)
        ranking = _dense(question, view) if request.mode == "dense" else rank_units(question, view, DEPTH)
        counted_by = self.snapshot.manifest["settings"]["chunk"]["tokenizer"]
        writer = ItemWriter(view, self._tokenizer, counted_by)
        titles = titles_cost(question.language, self._tokenizer)
        items = in_story_order(classic_context(ranking, view, writer, self._settings.budget_tokens - titles))
        context = render(items, question.language)
        units = [unit.text_unit_id for unit in view.text_units(ranking.rows.tolist())]
        n_tokens = titles + sum(item.n_tokens for item in items)
        return Retrieved(units, ranking.scores.tolist(), items, context, n_tokens, perf_counter() - begun)


def _dense(question: Question, view: View) -> Ranking:
    if question.vector is None:
        return NOTHING
    return ranked(*view.nearest_units(question.vector, DEPTH))


def known_modes(names: Sequence[str]) -> tuple[str, ...]:
    """Return the modes named, each once. Raises UnknownMode."""
    for name in names:
        if name not in ALL_MODES:
            raise UnknownMode(f"unknown mode «{name}»; there are: {', '.join(ALL_MODES)}")
    return tuple(dict.fromkeys(names))
