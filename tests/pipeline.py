"""The real pipeline from parsed documents to a snapshot, as pure functions in one process: no Ray, a toy embedder."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from tests.unit.search.graphs import ToyEmbedder
from tgrag.chunk import Chunk, chunk
from tgrag.extract.fast import extract
from tgrag.graph.build import build
from tgrag.graph.order import PlacedChunks, text_units
from tgrag.hashing import stable_hash
from tgrag.index.assemble import (
    Outcome,
    document_row,
    passages_of,
    table_files,
    vector_file,
)
from tgrag.index.listing import Listed
from tgrag.ingest.collection import ParsedSource, place
from tgrag.ingest.parse import parse
from tgrag.models.tokenizer import tokenizer
from tgrag.records import Extraction, ParsedDocument, TextUnit
from tgrag.settings import Settings, load_settings
from tgrag.store.snapshot import Snapshot
from tgrag.store.tables import TABLES, read_table


class Pipeline:
    """Remembers chunks, extractions and vectors by content, as the memo store would."""

    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = settings or load_settings()
        self.embedder = ToyEmbedder()
        self.tokenizer = tokenizer(self.settings.chunk.tokenizer)
        self._extractions: dict[str, Extraction] = {}
        self._vectors: dict[str, np.ndarray] = {}

    def snapshot(self, sources: Sequence[tuple[str, ParsedDocument]]) -> Snapshot:
        """Index parsed documents, given with their source names."""
        listed = [Listed(stable_hash("document", s), s, None, "txt", 0, s, s) for s, _ in sources]
        places = place([ParsedSource(s, parsed) for s, parsed in sources], None)
        chunks: dict[str, list[Chunk]] = {
            d.document_id: chunk(d.document_id, parsed, p.language, self.settings.chunk)
            for d, (_, parsed), p in zip(listed, sources, places, strict=True)
        }
        units = text_units(
            PlacedChunks(d.document_id, p, chunks[d.document_id]) for d, p in zip(listed, places, strict=True)
        )
        graph = build(units, {u.text_unit_id: self._extract(u) for u in units}, self.settings.windows)
        documents = [
            document_row(d, Outcome(None, p, None, (), 0), len(chunks[d.document_id]))
            for d, p in zip(listed, places, strict=True)
        ]
        identity = self.embedder.identity
        passages = passages_of(units, graph, identity, self.tokenizer, self.settings.embed)
        for passage in (part for rows in passages.values() for p in rows for part in p.parts):
            if passage.key not in self._vectors:
                self._vectors[passage.key] = self.embedder.embed_passages([passage.text])[0]
        files = table_files(documents, units, graph)
        tables: dict[str, pa.Table] = {
            name: read_table(files[f"data/{name}.parquet"]) for name in (*TABLES, "lexical", "names")
        }
        return Snapshot.from_parts(
            collection="c",
            version_id="0" * 32,
            manifest={"embedder": asdict(identity), "settings": self.settings.recipe()},
            tables={name: tables[name] for name in TABLES},
            vectors={
                name: vector_file(rows, self._vectors, identity, self.settings.embed.title_weight)
                for name, rows in passages.items()
            },
            lexical=tables["lexical"],
            names=tables["names"],
        )

    def _extract(self, unit: TextUnit) -> Extraction:
        if unit.text_unit_id not in self._extractions:
            self._extractions[unit.text_unit_id] = extract(
                unit.text_unit_id, unit.text, unit.language, self.settings.extract
            )
        return self._extractions[unit.text_unit_id]


def parsed(path: Path) -> tuple[str, ParsedDocument]:
    document = parse(path.name, path.read_bytes())
    assert document.status == "ok", document.reason
    return path.name, document


def cuts(document: ParsedDocument) -> list[ParsedDocument]:
    """The document cut before each heading that follows some text: shorter and shorter books."""
    result = []
    elements = document.elements
    for index, element in enumerate(elements):
        if element.kind == "heading" and index and elements[index - 1].kind != "heading":
            result.append(replace(document, elements=elements[:index]))
    return result
