"""What tests of text units share: that they are the whole text, and what an edit changes."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from random import Random

from tgrag.chunk import Chunk, chunk, layout
from tgrag.chunk.sentences import sentences
from tgrag.records import Element, Language, ParsedDocument
from tgrag.settings import ChunkSettings


def assert_nothing_lost_or_doubled(document: ParsedDocument, units: Sequence[Chunk]) -> None:
    """Units without overlap, headings and drops are together the parsed text, each character once."""
    parsed = layout(document)
    assert Counter(span.element for span in parsed.spans) == Counter(document.elements)
    apart = [(s.start, s.end) for s in parsed.spans if s.element.drop or s.element.kind == "heading"]
    covered = bytearray(len(parsed.text))
    for start, end in [*((unit.start, unit.end) for unit in units), *apart]:
        assert not any(covered[start:end])
        covered[start:end] = b"\1" * (end - start)
    assert not "".join(c for c, seen in zip(parsed.text, covered, strict=True) if not seen).strip()
    for unit in units:
        assert unit.text == parsed.text[unit.start : unit.end] == unit.text.strip() != ""
    assert [unit.start for unit in units] == sorted(unit.start for unit in units)


class Editor:
    """Inserts, deletes or changes one sentence of a document's text at random, and counts what that changes."""

    def __init__(self, document: ParsedDocument, language: Language, settings: ChunkSettings) -> None:
        self._document, self._language, self._settings = document, language, settings
        self._sentences = [
            (number, start, end)
            for number, element in enumerate(document.elements)
            if not element.drop and element.kind != "heading"
            for start, end in sentences(element.text, language)
        ]
        self.units = self._units(document)

    def changes(self, n_edits: int, seed: int) -> list[int]:
        """Return, sorted, how many units each edit changed: those that are new or those that are gone, the more."""
        random = Random(seed)
        return sorted(self._changed(random) for _ in range(n_edits))

    def _changed(self, random: Random) -> int:
        number, start, end = random.choice(self._sentences)
        elements = list(self._document.elements)
        text = elements[number].text
        other, begun, stop = random.choice(self._sentences)
        put = random.choice(
            (
                self._document.elements[other].text[begun:stop].strip() + " " + text[start:end],
                "",
                "Иначе " + text[start:end],
            )
        )
        elements[number] = replace(elements[number], text=text[:start] + put + text[end:], fragments=())
        units = self._units(ParsedDocument("ok", elements=tuple(elements)))
        new, gone = units.keys() - self.units.keys(), self.units.keys() - units.keys()
        chapters = {units[i].headings for i in new} | {self.units[i].headings for i in gone}
        assert len(chapters) <= 1, "an edit is felt beyond its chapter"
        return max(len(new), len(gone))

    def _units(self, document: ParsedDocument) -> dict[str, Chunk]:
        return {unit.text_unit_id: unit for unit in chunk("d", document, self._language, self._settings)}


def paragraphs(*texts: str) -> ParsedDocument:
    return ParsedDocument("ok", elements=tuple(Element("paragraph", text) for text in texts))
