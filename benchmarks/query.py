"""scripts/bench query: what tgrag itself adds to a question, models excluded, on made-up versions of several sizes."""

import argparse
import ctypes
import gc
import json
import multiprocessing
import os
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import faiss
import numpy as np
import pyarrow as pa

from benchmarks.measure import on_one_core, say, table
from benchmarks.synthetic import DIMENSION, NOISE, VERSION, VOCABULARY, Synthetic, centres, manifest, words
from tgrag.hashing import bytes_hash
from tgrag.index.catalog import Catalog
from tgrag.language import lemma
from tgrag.models.protocols import EmbedderIdentity, Vectors
from tgrag.records import LANGUAGES
from tgrag.search.engine import Engine
from tgrag.search.requests import AsOf, QueryRequest
from tgrag.search.terms import question_terms
from tgrag.settings import Settings
from tgrag.store.root import LocalRoot
from tgrag.store.snapshot import Snapshot

SIZES = (10_000, 100_000, 1_000_000)
QUESTIONS = 60
WARM_UP = 5


class NoEmbedder:
    """An embedder that costs nothing: its vectors are drawn ahead."""

    identity = EmbedderIdentity("none", "1", DIMENSION, True, "", "", 512)

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self._vectors[: len(texts)]

    embed_passages = embed_queries


class NoTokenizer:
    """Four letters a token."""

    name = "letters"

    def count(self, text: str) -> int:
        return len(text) // 4 + 1


def add_command(commands: Any) -> None:
    parser = commands.add_parser("query", help="query overhead, opening time and memory at several sizes")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="numbers of entities")
    parser.add_argument("--folder", type=Path, help="where to keep the made-up versions for another run")
    parser.add_argument("--json", action="store_true")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    sizes = [int(size) for size in arguments.sizes.split(",")]
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        results = [measure(folder / str(size), size) for size in sizes]
    print(json.dumps(results, indent=1) if arguments.json else report(results))


def measure(folder: Path, n_entities: int) -> dict[str, Any]:
    """Make a version, if it is not there, and measure it, each in a process of its own, on one core and thread."""
    os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        if not (folder / "synthetic" / "versions" / VERSION / "manifest.json").exists():
            say(f"making {n_entities:,} entities")
            pool.apply(make, (folder, n_entities))
        say(f"asking {n_entities:,} entities")
        return pool.apply(ask, (folder, n_entities))


def make(folder: Path, n_entities: int) -> None:
    settings = Settings().recipe()
    settings["chunk"]["tokenizer"] = NoTokenizer.name
    collection = Catalog(LocalRoot(folder)).create("synthetic")
    digests = {}
    for path, data in Synthetic(n_entities).files():
        collection.write_files(VERSION, {path: data})
        digests[path] = bytes_hash(data)
    collection.finish(manifest(digests, settings, asdict(NoEmbedder.identity)))


def ask(folder: Path, n_entities: int) -> dict[str, Any]:
    on_one_core()
    faiss.omp_set_num_threads(1)
    question_terms("dictionaries are read before anything is measured", LANGUAGES)
    for word in words(VOCABULARY).to_pylist():
        lemma(word, "en")  # a replica that has answered for a while knows the words of its books
    pa.array(np.zeros(1))  # Arrow looks for pandas once
    before, begun = _resident(), time.process_time()
    snapshot = Catalog(LocalRoot(folder)).collection("synthetic").open(VERSION)
    opening = time.process_time() - begun
    questions, vectors = _questions(snapshot)
    engine = Engine(snapshot, NoEmbedder(vectors), NoTokenizer(), Settings().search)
    modes = {
        (mode, name): _timed(
            engine, [_request(snapshot, q, mode, name, i) for i, q in enumerate(questions)], vectors
        )
        for mode in ("classic", "temporal")
        for name in ("everything", "as_of", "one book")
    }
    vector_bytes = sum(len(index) * index.row_bytes for index in _indexes(snapshot))
    return {
        "entities": n_entities,
        "states": len(snapshot.entity_states),
        "text_units": len(snapshot.text_units),
        "relationships": len(snapshot.relationships),
        "opening_seconds": opening,
        "bytes_an_entity": (_resident() - before - vector_bytes) / n_entities,
        "queries": [{"mode": mode, "within": name, **times} for (mode, name), times in modes.items()],
    }


def _indexes(snapshot: Snapshot) -> tuple[Any, ...]:
    return snapshot.unit_vectors, snapshot.state_vectors, snapshot.community_vectors


def _questions(snapshot: Snapshot) -> tuple[list[str], Vectors]:
    """Return questions of a few words, some rare, that name an entity, and vectors that lie near its chapter's."""
    rng = np.random.default_rng(7)
    rows = rng.integers(len(snapshot.entity_states), size=QUESTIONS)
    states = snapshot.entity_states.take(rows)
    units = snapshot.text_units.take(snapshot.evidence.targets[snapshot.evidence.offsets[rows]])
    texts = [
        f"What did {state.name} do with {' '.join(rng.choice(unit.text.split(), 4))}?"
        for state, unit in zip(states, units, strict=True)
    ]
    series = np.array([int(state.series_id.split()[1]) for state in states])
    chapter = np.array([int(s.chapter_id) - 1 + (s.book_number - 1) * 20 for s in states])
    noise = rng.standard_normal((QUESTIONS, DIMENSION)) * NOISE / np.sqrt(DIMENSION)
    vectors = (centres(series, chapter) + noise).astype(np.float32)
    return texts, vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def _request(snapshot: Snapshot, question: str, mode: str, within: str, number: int) -> QueryRequest:
    """Ask in everything, as of a place of one series, a new one each time, or in one book, a new one each time."""
    book = snapshot.books[(number * 7) % len(snapshot.books)]
    as_of = AsOf(series=book.series_id, ordinal=book.last_ordinal - number) if within == "as_of" else None
    return QueryRequest(
        question=question, mode=mode, as_of=as_of, books=[book.title] if within == "one book" else []
    )


def _timed(engine: Engine, requests: Sequence[QueryRequest], vectors: Vectors) -> dict[str, Any]:
    """Return the milliseconds of the requests on the processor: p50, p95; and of each step by the clock, the median."""
    seconds: list[float] = []
    steps: defaultdict[str, list[float]] = defaultdict(list)
    for number, (request, vector) in enumerate(zip(requests, vectors, strict=True)):
        begun = time.process_time()
        found = engine.retrieve(request, vector)
        if number >= WARM_UP:
            seconds.append(time.process_time() - begun)
            for step, value in found.timings.items():
                steps[step].append(value)
    return {
        "p50_ms": 1e3 * float(np.median(seconds)),
        "p95_ms": 1e3 * float(np.percentile(seconds, 95)),
        "steps_ms": {step: round(1e3 * float(np.median(values)), 2) for step, values in steps.items()},
    }


def _resident() -> int:
    """Return the bytes of memory in use, after what is free was given back."""
    gc.collect()
    pa.default_memory_pool().release_unused()
    if sys.platform == "linux":
        ctypes.CDLL(None).malloc_trim(0)
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def report(results: Sequence[dict[str, Any]]) -> str:
    sizes = table(
        ("entities", "states", "text units", "relationships", "opening, s", "bytes an entity beyond vectors"),
        [
            (
                f"{r['entities']:,}",
                f"{r['states']:,}",
                f"{r['text_units']:,}",
                f"{r['relationships']:,}",
                float(r["opening_seconds"]),
                round(r["bytes_an_entity"]),
            )
            for r in results
        ],
    )
    times = table(
        ("entities", "mode", "within", "p50, ms", "p95, ms", "median of each step, ms"),
        [
            (
                f"{r['entities']:,}",
                q["mode"],
                q["within"],
                float(q["p50_ms"]),
                float(q["p95_ms"]),
                ", ".join(f"{step} {value:g}" for step, value in q["steps_ms"].items() if value >= 0.05),
            )
            for r in results
            for q in r["queries"]
        ],
    )
    return f"{sizes}\n\n{times}"
