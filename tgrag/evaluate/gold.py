"""Gold passages and quotes, found in the text units of an index.

A gold text is looked for in the parsed document, letters and digits alone compared. It then is a set of *pieces*: its
part in each text unit. Whatever is retrieved holds some of the pieces, and

- a *passage* is found when the pieces held make up half of its letters, or one of them is half of its unit's (a
  passage longer than a unit is found when a unit inside it is);
- a *quote* is found when the pieces held make up 95 % of its letters, so when all of it but marks of a cut is there.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tgrag.evaluate.folding import Folded, fold
from tgrag.evaluate.sets import Gold, GoldKind, Limit
from tgrag.records import TextUnit

PASSAGE_SHARE = 0.5
UNIT_SHARE = 0.5
QUOTE_SHARE = 0.95
EDGE = 40  # letters of a gold text's beginning and end by which it is found when its middle was changed
LONGEST = 1.5  # the distance of the two, as a multiple of the gold text's length


@dataclass(frozen=True, slots=True)
class Piece:
    """The part of a gold text in one text unit. text: folded. n_unit: letters of the unit."""

    text_unit_id: str
    text: str
    n_unit: int


@dataclass(frozen=True, slots=True)
class Located:
    """A gold text in an index. No pieces: it is not in the text units, and never found."""

    kind: GoldKind
    n_letters: int
    pieces: tuple[Piece, ...]

    def is_found(self, has: Callable[[Piece], bool]) -> bool:
        """Tell whether the pieces that are there make up enough of it."""
        held = [piece for piece in self.pieces if has(piece)]
        share = sum(len(piece.text) for piece in held) / max(1, self.n_letters)
        if self.kind == "quote":
            return share >= QUOTE_SHARE
        return share >= PASSAGE_SHARE or any(len(p.text) >= UNIT_SHARE * p.n_unit for p in held)


class DocumentText:
    """The letters of a document's text units, in order, and where each unit's begin."""

    def __init__(self, units: Sequence[TextUnit]) -> None:
        self.units = sorted(units, key=lambda unit: unit.start)
        size = max((unit.end for unit in units), default=0)
        text = [" "] * size
        for unit in self.units:
            text[unit.start : unit.end] = unit.text
        self.folded = Folded.of("".join(text))
        self._spans = [tuple(map(self.folded.letters_before, (u.start, u.end))) for u in self.units]

    def locate(self, gold: Gold) -> Located:
        wanted = fold(gold.text)
        span = self._find(wanted, round(gold.at * len(self.folded.letters)))
        if span is None:
            return Located(gold.kind, len(wanted), ())
        start, end = span
        pieces = tuple(
            Piece(unit.text_unit_id, self.folded.letters[max(start, first) : min(end, last)], last - first)
            for unit, (first, last) in zip(self.units, self._spans, strict=True)
            if first < end and start < last
        )
        return Located(gold.kind, end - start, pieces)

    def last_unit(self, limit: Limit) -> TextUnit | None:
        """Return the last unit that a reader at the limit has read to the end."""
        span = self._find(fold(limit.text), round(limit.at * len(self.folded.letters)))
        if span is None:
            return None
        read = [unit for unit, (_, last) in zip(self.units, self._spans, strict=True) if last <= span[1]]
        return read[-1] if read else None

    def _find(self, wanted: str, near: int) -> tuple[int, int] | None:
        if (span := self.folded.find(wanted, near)) or len(wanted) < 2 * EDGE:
            return span
        first = self.folded.find(wanted[:EDGE], near)
        if first is None:
            return None
        last = self.folded.find(wanted[-EDGE:], first[0] + len(wanted) - EDGE)
        if last is None or not first[0] < last[1] <= first[0] + LONGEST * len(wanted):
            return None
        return first[0], last[1]


def document_texts(units: Sequence[TextUnit], sources: Mapping[str, str]) -> dict[str, DocumentText]:
    """Return the texts of documents by name. sources: document_id -> name."""
    by_document: dict[str, list[TextUnit]] = defaultdict(list)
    for unit in units:
        by_document[unit.document_id].append(unit)
    return {sources[key]: DocumentText(of_one) for key, of_one in by_document.items() if key in sources}
