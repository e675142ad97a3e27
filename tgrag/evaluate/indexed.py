"""An evaluation set as an index holds it: its documents, the places of its gold, what lies after a limit."""

from functools import cached_property

from tgrag.errors import InvalidRequest
from tgrag.evaluate.folding import fold
from tgrag.evaluate.gold import DocumentText, Located, document_texts
from tgrag.evaluate.indexing import file_name
from tgrag.evaluate.sets import EvaluationSet, SetQuestion
from tgrag.records import Document, TextUnit
from tgrag.store.snapshot import Snapshot

MOST_MISSING = 0.05  # of the gold texts of a set; beyond, the set or its parsing is broken
BEGINNING = 80  # letters by which a text unit is known


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
