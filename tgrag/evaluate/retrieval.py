"""What one retrieval is worth: the share of the gold among the first k text units, and in the context."""

from collections.abc import Callable, Sequence

from tgrag.evaluate.folding import fold
from tgrag.evaluate.gold import Located, Piece
from tgrag.evaluate.modes import Retrieved
from tgrag.evaluate.sets import Page
from tgrag.language import detect, lemmas
from tgrag.records import TextUnit

RECALL_AT = (2, 5, 10)
FULL_AT = (5, 10)
PAGES_AT = (1, 5, 10)
DOCUMENTS_AT = (1, 5)

Metrics = dict[str, float]


def gold_metrics(gold: Sequence[Located], retrieved: Retrieved) -> Metrics:
    """Return recall (share of the gold found) and full support (1 when all of it is) at k and in the context.

    evidence_in_context: what a model can read, in text units or in verbatim lines of the graph's part;
    evidence_in_text: in its text units alone.
    """
    metrics: Metrics = {}
    rank = {key: place for place, key in enumerate(retrieved.units)}
    for k in sorted({*RECALL_AT, *FULL_AT}):
        found = _share(gold, lambda piece, k=k: rank.get(piece.text_unit_id, k) < k)  # type: ignore[misc]
        if k in RECALL_AT:
            metrics[f"recall@{k}"] = found
        if k in FULL_AT:
            metrics[f"full@{k}"] = float(found == 1)
    context = fold(retrieved.context)
    text = fold(" ".join(item.text for item in retrieved.items if item.kind == "text_unit"))
    for name, shown in (("context", context), ("text", text)):
        found = _share(gold, lambda piece, shown=shown: piece.text in shown)  # type: ignore[misc]
        metrics[f"evidence_in_{name}"] = found
        metrics[f"full_in_{name}"] = float(found == 1)
    return metrics


def _share(gold: Sequence[Located], has: Callable[[Piece], bool]) -> float:
    return sum(each.is_found(has) for each in gold) / len(gold)


def page_metrics(page: Page, units: Sequence[TextUnit], document_id: str) -> Metrics:
    """Return whether one of the first k units stands on the page, and whether one is of its document."""
    on_page = [unit.document_id == document_id and page.number in unit.page_numbers for unit in units]
    of_document = [unit.document_id == document_id for unit in units]
    return {f"page_hit@{k}": float(any(on_page[:k])) for k in PAGES_AT} | {
        f"document_hit@{k}": float(any(of_document[:k])) for k in DOCUMENTS_AT
    }


def triple_metrics(triples: Sequence[tuple[str, str, str]], retrieved: Retrieved) -> Metrics:
    """Return node recall and path recall: shares of the ends, and of the pairs of ends, that one context item names.

    An item names an end when it holds all its lemmas. A text unit is an item, as is a line on a relationship.
    """
    items = [frozenset(lemmas(item.text, detect(item.text))) for item in retrieved.items]
    ends = {
        end: frozenset(lemmas(end, detect(end)))
        for subject, _, object in triples
        for end in (subject, object)
    }
    named = [{end for end, keys in ends.items() if keys <= item} for item in items]
    pairs = sorted({(subject, object) for subject, _, object in triples})
    return {
        "node_recall": len(set().union(*named)) / len(ends),
        "path_recall": sum(any({*pair} <= names for names in named) for pair in pairs) / len(pairs),
    }


def leak(hidden: Sequence[str], retrieved: Retrieved, series: str, last: int) -> float:
    """Return 1 when the context shows anything after a place in its series, as its items say or as its text does.

    hidden: beginnings, folded, of the text units after that place.
    """
    context = fold(retrieved.context)
    after = any(item.series != series or item.last_ordinal > last for item in retrieved.items)
    return float(after or any(beginning in context for beginning in hidden))
