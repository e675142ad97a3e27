"""Extraction without a language model: names, noun phrases and their co-occurrence in a sentence.

It looks at one text unit alone, never at others or at statistics of the corpus, so that the graph of a text
cut anywhere is the graph of the whole as far as the cut.
"""

from collections.abc import Iterator
from itertools import combinations

from tgrag.chunk.sentences import sentences
from tgrag.extract import cyrillic, english
from tgrag.extract.mention import Mention
from tgrag.records import ExtractedEntity, ExtractedRelationship, Extraction, Language
from tgrag.settings import ExtractSettings

EXTRACT_VERSION = 2  # raised by hand whenever a text would be extracted otherwise; a golden test guards it
DESCRIPTION_CHARACTERS = 600


def extract(unit_id: str, text: str, language: Language, settings: ExtractSettings) -> Extraction:
    """Return the entities of a text unit, one a name and sentence, and their co-occurrences in a sentence.

    Types: PERSON, PLACE, ORGANIZATION, NAME (a name of unknown kind), CONCEPT. A description is the
    sentence as it stands in the text, or a part of it around the name when it is very long.
    """
    entities: list[ExtractedEntity] = []
    relationships: list[ExtractedRelationship] = []
    for start, end in sentences(text, language):
        sentence = text[start:end].strip()
        found = list(_distinct(mentions(sentence, language)))
        for mention in found:
            description = _around(sentence, mention, mention)
            entities.append(ExtractedEntity(mention.name, mention.type, description, mention.certain))
        linked = sorted(found[: settings.max_entities_per_sentence], key=lambda mention: mention.start)
        for source, target in combinations(linked, 2):
            relationships.append(
                ExtractedRelationship(
                    source.name, target.name, "CO_OCCURS", _around(sentence, source, target)
                )
            )
    return Extraction(unit_id, tuple(entities), tuple(relationships))


def mentions(sentence: str, language: Language) -> list[Mention]:
    """Return the names of a sentence and then its concepts, each in order of appearance."""
    return english.mentions(sentence) if language == "en" else cyrillic.mentions(sentence, language)


def _distinct(found: list[Mention]) -> Iterator[Mention]:
    seen: set[str] = set()
    for mention in found:
        if mention.name not in seen:
            seen.add(mention.name)
            yield mention


def _around(sentence: str, first: Mention, last: Mention) -> str:
    """Return the sentence, or of a very long one the words about the mentions."""
    if len(sentence) <= DESCRIPTION_CHARACTERS:
        return sentence
    room = max(0, DESCRIPTION_CHARACTERS - (last.end - first.start)) // 2
    start, end = max(0, first.start - room), min(len(sentence), first.start + DESCRIPTION_CHARACTERS - room)
    if start:
        start = sentence.find(" ", start, first.start) + 1 or first.start
    if end < len(sentence):
        end = max(sentence.rfind(" ", first.end, end), first.end)
    return sentence[start:end].strip()
