"""From a parsed document to text units: structure, sentences, units."""

from tgrag.chunk.structure import ParsedText, layout
from tgrag.chunk.units import Chunk, text_units
from tgrag.models.tokenizer import tokenizer
from tgrag.records import Language, ParsedDocument
from tgrag.settings import ChunkSettings

__all__ = ["CHUNK_VERSION", "Chunk", "ParsedText", "chunk", "layout"]

CHUNK_VERSION = 2  # raised by hand whenever the same document would be cut otherwise; a golden test guards it


def chunk(
    document_id: str, document: ParsedDocument, language: Language, settings: ChunkSettings
) -> list[Chunk]:
    """Return the text units of a document in reading order."""
    return text_units(document_id, layout(document), language, tokenizer(settings.tokenizer), settings)
