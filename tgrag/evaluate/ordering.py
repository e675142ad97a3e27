"""Which of two events comes first, told by where each is found."""

from tgrag.evaluate.modes import Retriever
from tgrag.evaluate.retrieval import Metrics
from tgrag.evaluate.sets import Event, OrderPair
from tgrag.search.answer import READ_UNITS, best_sentence
from tgrag.search.requests import QueryRequest

Place = tuple[int, int]


def order_metrics(pair: OrderPair, mode: str, title: str, document_id: str, retriever: Retriever) -> Metrics:
    """Return whether the places of two events come in their order: their story known, and in the whole library.

    The place of an event is that of the sentence which an answer would quote first. In the whole library both have to
    be in the right story. title, document_id: of the story.
    """
    metrics: Metrics = {}
    for name, books in (("order_in_story", [title]), ("order_in_library", [])):
        places = [_place(event, mode, books, document_id, retriever) for event in (pair.earlier, pair.later)]
        earlier, later = places
        metrics[name] = float(earlier is not None and later is not None and earlier < later)
    return metrics


def _place(event: Event, mode: str, books: list[str], document_id: str, retriever: Retriever) -> Place | None:
    request = QueryRequest(question=event.question, mode=mode, books=books)
    found = retriever.retrieve(request)
    rows = retriever.snapshot.text_units
    units = rows.take([rows.by_id[key] for key in found.units[:READ_UNITS]])
    view = retriever.view(request)
    best = best_sentence(
        retriever.question(request, view), view, list(zip(units, found.scores, strict=False))
    )
    if best is None or best.unit.document_id != document_id:
        return None
    return best.unit.ordinal, best.number
