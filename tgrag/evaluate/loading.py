"""Folders of questions in the forms that ``tgrag evaluate`` knows, read into evaluation sets.

Texts are one of: ``corpus.jsonl`` of passages (a passage with ``book`` and ``position`` is part of one document,
any other is a document of its own); files in ``books/`` or ``pdf/``; files elsewhere beside the folder that the
questions name by ``book`` or ``evidence[].page``. Questions are lines of ``questions.jsonl`` or ``dev.jsonl`` with

- ``gold``: ids of passages;
- ``evidence``: quotes with ``start`` and ``end`` in the file, by characters;
- ``document`` and ``page``;
- ``evidence_triples``: «(subject, relation, object); …»;

and ``noisy`` or ``question_en``: the same question worded otherwise, run as a variant. ``order_pairs.jsonl`` holds
pairs of events.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any

from tgrag.errors import InvalidRequest
from tgrag.evaluate.fictionbook import fictionbook
from tgrag.evaluate.sets import (
    EvaluationSet,
    Event,
    Gold,
    Limit,
    OrderPair,
    Page,
    SetDocument,
    SetQuestion,
)
from tgrag.hashing import bytes_hash
from tgrag.ingest.markup import read_markdown

QUESTIONS = ("questions.jsonl", "dev.jsonl", "test.jsonl")
FOLDERS = ("books", "pdf", "documents", "texts")
VARIANTS = ("noisy", "question_en")
UNANSWERABLE = ("unanswerable", "null_query")
MARKUP = (".md", ".markdown", ".html", ".htm")
LIMIT_CHARACTERS = 200  # before a limit, by which it is found in the parsed text

Line = Mapping[str, Any]


def load_set(folder: Path) -> EvaluationSet:
    """Read a folder. Raises InvalidRequest when it holds no questions or their texts cannot be found."""
    lines = [line for name in QUESTIONS for line in _lines(folder / name)]
    if not lines:
        raise InvalidRequest(f"{folder} holds no questions: there is none of {', '.join(QUESTIONS)}")
    corpus = [*_lines(folder / "corpus.jsonl")]
    documents = _passage_documents(corpus) if corpus else _files(folder, lines)
    reader = _Reader(corpus, documents)
    try:
        questions = tuple(reader.question(place, line) for place, line in enumerate(lines))
    except (KeyError, TypeError) as error:
        raise InvalidRequest(f"{folder}: a question is not in the form expected: {error!r}") from error
    return EvaluationSet(
        name=re.sub(r"[^\w.\-]+", "_", folder.resolve().name),
        documents=documents,
        questions={"": questions} | _variants(lines, questions),
        pairs=tuple(_pair(line) for line in _lines(folder / "order_pairs.jsonl")),
        content_hash=bytes_hash(
            b"".join(f"{d.name}\0".encode() + (d.content or Path(d.path).read_bytes()) for d in documents)
        ),
    )


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    if not path.is_file():
        return
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            if line.strip():
                yield json.loads(line)
        except ValueError as error:
            raise InvalidRequest(f"{path}, line {number} is no JSON: {error}") from None


# --- documents ----------------------------------------------------------------------------------------


def _passage_documents(corpus: Sequence[Line]) -> tuple[SetDocument, ...]:
    """Return the documents that the passages make up, each a file to write."""
    parts: dict[str, list[Line]] = defaultdict(list)
    for passage in corpus:
        parts[passage.get("book", passage["id"])].append(passage)
    return tuple(_passage_document(name, passages) for name, passages in parts.items())


def _passage_document(name: str, passages: Sequence[Line]) -> SetDocument:
    in_order = sorted(passages, key=lambda passage: passage.get("position", 0))
    title = _readable(in_order[0].get("title") or name)
    date = (in_order[0].get("published_at") or in_order[0].get("date") or "")[:10] or None
    content = fictionbook(title, [passage["text"] for passage in in_order], date)
    return SetDocument(name, re.sub(r"[^\w.\-]+", "_", name) + ".fb2", content)


def _readable(title: str) -> str:
    """Return «Newton_D._Baker_House» and «why-dog-and-cat-are-enemies» as words."""
    if " " in title:
        return title
    return title.replace("_", " ") if "_" in title else title.replace("-", " ")


def _files(folder: Path, questions: Sequence[Line]) -> tuple[SetDocument, ...]:
    for name in FOLDERS:
        if (folder / name).is_dir():
            return _tree(folder / name)
    return _tree(_folder_beside(folder, questions))


def _tree(root: Path) -> tuple[SetDocument, ...]:
    paths = sorted(path for path in root.rglob("*") if path.is_file())
    return tuple(SetDocument(path.relative_to(root).as_posix(), str(path)) for path in paths)


def _folder_beside(folder: Path, questions: Sequence[Line]) -> Path:
    """Return the folder, beside that of the questions, that has the files they name and holds their quotes in place.

    Translations of one page have the same name: the quotes tell which is meant.
    """
    quotes = [(_file_named(line, quote), quote) for line in questions for quote in line.get("evidence") or ()]
    named = sorted({name for name, _ in quotes})
    roots: dict[Path, int] = defaultdict(int)
    beside = sorted(path for path in folder.resolve().parent.glob("*/**/*") if path.is_file())
    by_end: dict[str, list[Path]] = defaultdict(list)
    for path in beside:
        by_end[path.name].append(path)
        by_end[path.stem].append(path)
    for name in named:
        for path in by_end[name.rpartition("/")[2]]:
            if path.as_posix().endswith("/" + name) or path.with_suffix("").as_posix().endswith("/" + name):
                text = _text(path)
                root = path.parents[name.count("/")]
                roots[root] += sum(text[q["start"] : q["end"]] == q["quote"] for n, q in quotes if n == name)
    best = max(roots, key=lambda root: (roots[root], root.as_posix()), default=None)
    if best is None or not roots[best]:
        raise InvalidRequest(
            f"{folder} has no texts: there is neither corpus.jsonl nor {'/ nor '.join(FOLDERS)}/ in it, and no file "
            f"beside it that is called {named[0] if named else 'as its questions say'} holds the quotes"
        )
    return best


def _as_read(quote: str, name: str) -> str:
    """Return a quote from a file as its text is read: without markup, and without headings, which no unit holds."""
    if PurePath(name).suffix.lower() not in MARKUP:
        return quote
    elements = read_markdown(quote).elements
    return "\n".join(element.text for element in elements if element.kind != "heading")


def _file_named(line: Line, quote: Line) -> str:
    return str(quote.get("page") or quote.get("book") or line["book"])


def _text(path: Path) -> str:
    with path.open(encoding="utf-8", errors="replace", newline="") as file:
        return file.read()


# --- questions ----------------------------------------------------------------------------------------


class _Reader:
    """Reads questions against the texts they are about."""

    def __init__(self, corpus: Sequence[Line], documents: Sequence[SetDocument]) -> None:
        self._documents = {document.name: document for document in documents}
        self._stems = {name.rpartition(".")[0]: name for name in self._documents}
        self._texts: dict[str, str] = {}
        self._passages: dict[str, Gold] = {}
        lengths: dict[str, int] = defaultdict(int)
        for passage in sorted(corpus, key=lambda p: p.get("position", 0)):
            name = passage.get("book", passage["id"])
            self._passages[passage["id"]] = Gold("passage", name, passage["text"], lengths[name])
            lengths[name] += len(passage["text"])
        for key, gold in self._passages.items():
            share = gold.at / max(1, lengths[gold.document])
            self._passages[key] = Gold("passage", gold.document, gold.text, share)

    def question(self, place: int, line: Line) -> SetQuestion:
        kind = str(line.get("type", "all"))
        quotes = [quote for quote in line.get("evidence") or () if isinstance(quote, dict)]
        passages = tuple(self._passages[key] for key in line.get("gold") or ())
        page = Page(line["document"], line["page"]) if "page" in line else None
        book = line.get("book") or line.get("document")
        return SetQuestion(
            question_id=str(line.get("id", place)),
            text=line["question"],
            answers=() if kind in UNANSWERABLE else tuple(dict.fromkeys(line.get("answers") or ())),
            type=kind,
            document=self._name(book) if book else None,
            gold=passages + tuple(self._quote(line, quote) for quote in quotes),
            page=page,
            triples=tuple(_triples(line.get("evidence_triples") or "")),
            limit=self._limit(line) if line.get("as_of") else None,
        )

    def _name(self, named: str) -> str:
        return named if named in self._documents else self._stems[named]

    def _read(self, name: str) -> str:
        if name not in self._texts:
            self._texts[name] = _text(Path(self._documents[name].path))
        return self._texts[name]

    def _quote(self, line: Line, quote: Line) -> Gold:
        name = self._name(_file_named(line, quote))
        at = quote.get("start", 0) / max(1, len(self._read(name)))
        return Gold("quote", name, _as_read(quote["quote"], name), at)

    def _limit(self, line: Line) -> Limit:
        name, end = self._name(line["book"]), int(line["as_of"]["end"])
        text = self._read(name)
        return Limit(name, text[max(0, end - LIMIT_CHARACTERS) : end], end / max(1, len(text)))


_TRIPLE = re.compile(r"\(([^()]*(?:\([^()]*\)[^()]*)*)\)")


def _triples(text: str) -> Iterator[tuple[str, str, str]]:
    """Read «(subject, relation, object); …»; a comma too many belongs to the object."""
    for found in _TRIPLE.findall(text):
        parts = [part.strip() for part in found.split(",")]
        if len(parts) >= 3:
            yield parts[0], parts[1], ", ".join(parts[2:])


def _variants(lines: Sequence[Line], questions: Sequence[SetQuestion]) -> dict[str, tuple[SetQuestion, ...]]:
    return {
        variant: tuple(
            replace(question, text=line[variant])
            for line, question in zip(lines, questions, strict=True)
            if line.get(variant)
        )
        for variant in VARIANTS
        if any(line.get(variant) for line in lines)
    }


def _pair(line: Line) -> OrderPair:
    earlier, later = (Event(line[end]["question"], line[end]["answer"]) for end in ("earlier", "later"))
    return OrderPair(line["story"], earlier, later)
