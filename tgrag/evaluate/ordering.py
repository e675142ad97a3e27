"""Which of two events comes first, told by where each is found."""

from tgrag.evaluate.modes import Retriever
from tgrag.evaluate.retrieval import Metrics
from tgrag.evaluate.sets import Event, OrderPair
from tgrag.records import TextUnit
from tgrag.search.passages import split
from tgrag.search.question import Question
from tgrag.search.requests import QueryRequest

Place = tuple[int, int]


def order_metrics(pair: OrderPair, mode: str, title: str, document_id: str, retriever: Retriever) -> Metrics:
    """Return whether the places of two events come in their order: their story known, and in the whole library.

    The place of an event is that of its best text unit; of two in one unit, that of the sentence with most of the
    words asked for. In the whole library both have to be in the right story. title, document_id: of the story.
    """
    metrics: Metrics = {}
    for name, books in (("order_in_story", [title]), ("order_in_library", [])):
        places = [_place(event, mode, books, document_id, retriever) for event in (pair.earlier, pair.later)]
        earlier, later = places
        metrics[name] = float(earlier is not None and later is not None and earlier < later)
    return metrics


def _place(event: Event, mode: str, books: list[str], document_id: str, retriever: Retriever) -> Place | None:
    request = QueryRequest(question=event.question, mode=mode, books=books)
    found = retriever.retrieve(request).units[:1]
    if not found:
        return None
    units = retriever.snapshot.text_units
    unit = units.row(units.by_id[found[0]])
    if unit.document_id != document_id:
        return None
    view = retriever.view(request)
    return unit.ordinal, _best_sentence(unit, retriever.question(request, view))


def _best_sentence(unit: TextUnit, question: Question) -> int:
    shares = [question.share(question.words_in(s.text, unit.language)) for s in split(unit)]
    return max(range(len(shares)), key=lambda place: (shares[place], -place), default=0)
