"""Small libraries for tests: text -> text units -> a causal toy graph -> a snapshot, all deterministic."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby

import numpy as np

from tgrag.graph.strength import strength
from tgrag.graph.windows import windows
from tgrag.hashing import stable_hash
from tgrag.language import lemma, lemmas, words
from tgrag.models.protocols import EmbedderIdentity, Vectors
from tgrag.records import (
    Alias,
    Document,
    Entity,
    EntityState,
    Evidence,
    Fragment,
    Language,
    Relationship,
    TextUnit,
)
from tgrag.settings import WindowSettings
from tgrag.store import lexical, names, vectors
from tgrag.store.snapshot import Snapshot
from tgrag.store.tables import ordered, ordered_table

DIMENSION = 64


class ToyEmbedder:
    """A bag of lemmas: each lemma is a fixed random direction."""

    identity = EmbedderIdentity("toy", "1", DIMENSION, True, "", "", 512)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return np.stack([self._embed(text) for text in texts])

    embed_passages = embed_queries

    def _embed(self, text: str) -> Vectors:
        total = np.full(DIMENSION, 1e-3)
        for word in lemmas(text, "ru"):
            total += np.random.default_rng(int(stable_hash(word)[:8], 16)).standard_normal(DIMENSION)
        vector = (total / np.linalg.norm(total)).astype(np.float16)
        return vector.astype(np.float32)


class BrokenEmbedder(ToyEmbedder):
    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        raise RuntimeError("no answer from the model server")


class ToyTokenizer:
    name = "words"

    def count(self, text: str) -> int:
        return len(words(text))


@dataclass(frozen=True)
class BookText:
    """chapters: heading path and the texts of its units."""

    series: str
    number: int
    title: str
    chapters: Sequence[tuple[Sequence[str], Sequence[str]]]
    language: Language = "ru"
    date: str | None = None

    @property
    def document_id(self) -> str:
        return stable_hash(self.series, self.number)


def text_units(books: Iterable[BookText]) -> list[TextUnit]:
    units: list[TextUnit] = []
    ordinals: defaultdict[str, int] = defaultdict(int)
    for book in sorted(books, key=lambda b: (b.series, b.number)):
        siblings: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
        start = index = 0
        for path, texts in book.chapters:
            steps = []
            for depth, heading in enumerate(path):
                known = siblings[tuple(path[:depth])]
                if heading not in known:
                    known.append(heading)
                steps.append(str(known.index(heading) + 1))
            for text in texts:
                units.append(
                    TextUnit(
                        text_unit_id=stable_hash(book.series, book.number, index, text),
                        document_id=book.document_id,
                        series_id=book.series,
                        book_number=book.number,
                        book_title=book.title,
                        chapter_id=".".join(steps) or "0",
                        headings=tuple(path),
                        ordinal=ordinals[book.series],
                        chunk_index=index,
                        relative_position=0.0,
                        page_numbers=(index + 1,),
                        fragments=(Fragment(0, index + 1),),
                        start=start,
                        end=start + len(text),
                        n_tokens=len(words(text)),
                        language=book.language,
                        date=book.date,
                        text=text,
                    )
                )
                start += len(text) + 2
                index += 1
                ordinals[book.series] += 1
    return units


def documents(books: Iterable[BookText]) -> list[Document]:
    return [
        Document(
            document_id=book.document_id,
            source=f"{book.series}/{book.number}.txt",
            content_hash="",
            parse_key="",
            format="txt",
            n_bytes=0,
            status="indexed",
            reason=None,
            title=book.title,
            language=book.language,
            series_id=book.series,
            series_title=f"Серия {book.series}",
            series_origin="collection.yaml",
            book_number=book.number,
            book_title=book.title,
            date=book.date,
            n_pages=None,
            warnings=(),
            n_characters=0,
            n_text_units=0,
        )
        for book in books
    ]


def snapshot_of(units: Sequence[TextUnit], docs: Sequence[Document]) -> Snapshot:
    """Build a version of these text units, as if no other text existed."""
    entities, states, edges = _graph(units)
    settings = WindowSettings(size=4, overlap=1)
    communities = windows(units, ordered("entity_states", states), settings)
    present = {unit.document_id for unit in units}
    tables = {
        "documents": ordered_table("documents", [d for d in docs if d.document_id in present]),
        "text_units": ordered_table("text_units", units),
        "entities": ordered_table("entities", entities),
        "entity_states": ordered_table("entity_states", states),
        "relationships": ordered_table("relationships", edges),
        "merges": ordered_table("merges", ()),
        "communities": ordered_table("communities", communities),
    }
    embedder = ToyEmbedder()
    texts = {
        "text_units": [unit.text for unit in ordered("text_units", units)],
        "entity_states": [f"{s.name}: {s.descriptions[0].text}" for s in ordered("entity_states", states)],
        "communities": [f"{w.title}. {w.summary}" for w in ordered("communities", communities)],
    }
    return Snapshot.from_parts(
        "toy",
        "v1",
        {"embedder": asdict(embedder.identity), "settings": {"chunk": {"tokenizer": ToyTokenizer.name}}},
        tables,
        {
            name: vectors.build(
                embedder.embed_passages(rows) if rows else np.empty((0, DIMENSION), np.float32)
            )
            for name, rows in texts.items()
        },
        lexical.build([lemmas(unit.text, unit.language) for unit in ordered("text_units", units)]),
        names.build(ordered("entities", entities)),
    )


def library(books: Sequence[BookText]) -> Snapshot:
    return snapshot_of(text_units(books), documents(books))


def library_cut(books: Sequence[BookText], series: str, ordinal: int) -> Snapshot:
    """Build a version of one series' text up to an ordinal, inclusive."""
    units = [u for u in text_units(books) if u.series_id == series and u.ordinal <= ordinal]
    return snapshot_of(units, documents(books))


def _graph(units: Sequence[TextUnit]) -> tuple[list[Entity], list[EntityState], list[Relationship]]:
    """Take capitalised words for entities, and those of one sentence for related; only earlier text counts."""
    mentions: defaultdict[tuple[str, str], list[tuple[TextUnit, str, str]]] = defaultdict(list)
    pairs: defaultdict[tuple[str, str, str, int, str], list[tuple[TextUnit, str]]] = defaultdict(list)
    for unit in units:
        for sentence in (part.strip() + "." for part in unit.text.split(".") if part.strip()):
            names = dict.fromkeys(w for w in words(sentence)[1:] if w[0].isupper())
            keys = sorted({lemma(name, unit.language) for name in names})
            for name in names:
                mentions[unit.series_id, lemma(name, unit.language)].append((unit, name, sentence))
            for place, source in enumerate(keys):
                for target in keys[place + 1 :]:
                    pairs[unit.series_id, source, target, unit.book_number, unit.chapter_id].append(
                        (unit, sentence)
                    )

    entities, states = {}, {}
    for (series, key), found in mentions.items():
        first = found[0][0]
        aliases: dict[str, int] = {}
        for unit, name, _ in found:
            aliases.setdefault(name, unit.ordinal)
        entity = Entity(
            entity_id=stable_hash(series, key),
            series_id=series,
            name=found[0][1],
            type="PERSON",
            lemma_key=key,
            language=first.language,
            aliases=tuple(Alias(name, known) for name, known in aliases.items()),
            known_from=first.ordinal,
            first_ordinal=first.ordinal,
            last_ordinal=found[-1][0].ordinal,
            n_mentions=len(found),
            degree=0,
        )
        entities[series, key] = entity
        for place, in_chapter in groupby(found, key=lambda m: (m[0].book_number, m[0].chapter_id)):
            states[(series, key, *place)] = _state(entity, list(in_chapter))
    edges = [_edge(key, found, entities, states) for key, found in pairs.items()]
    return list(entities.values()), list(states.values()), edges


def _state(entity: Entity, mentions: Sequence[tuple[TextUnit, str, str]]) -> EntityState:
    first = mentions[0][0]
    return EntityState(
        state_id=stable_hash(entity.entity_id, first.book_number, first.chapter_id),
        entity_id=entity.entity_id,
        series_id=first.series_id,
        name=entity.name,
        type=entity.type,
        document_id=first.document_id,
        book_number=first.book_number,
        book_title=first.book_title,
        chapter_id=first.chapter_id,
        headings=first.headings,
        descriptions=tuple(Evidence(text, unit.ordinal, unit.text_unit_id) for unit, _, text in mentions),
        known_from=first.ordinal,
        first_ordinal=first.ordinal,
        last_ordinal=mentions[-1][0].ordinal,
    )


def _edge(
    key: tuple[str, str, str, int, str],
    found: Sequence[tuple[TextUnit, str]],
    entities: dict[tuple[str, str], Entity],
    states: dict[tuple[str, str, int, str], EntityState],
) -> Relationship:
    series, source, target, number, chapter_id = key
    first = found[0][0]
    evidence = tuple(Evidence(text, unit.ordinal, unit.text_unit_id) for unit, text in found)
    return Relationship(
        relationship_id=stable_hash(*key),
        series_id=series,
        source_id=entities[series, source].entity_id,
        target_id=entities[series, target].entity_id,
        source_name=entities[series, source].name,
        target_name=entities[series, target].name,
        source_state_id=states[series, source, number, chapter_id].state_id,
        target_state_id=states[series, target, number, chapter_id].state_id,
        type="CO_OCCURS",
        strength=strength(evidence),
        weight=strength(evidence) / 10,
        evidence=evidence,
        book_number=number,
        book_title=first.book_title,
        chapter_id=chapter_id,
        headings=first.headings,
        known_from=first.ordinal,
        first_ordinal=first.ordinal,
        last_ordinal=found[-1][0].ordinal,
    )


# --- a library to search in ---------------------------------------------------------------------------

LIGHTHOUSE = BookText(
    "lighthouse",
    1,
    "Маяк на скале",
    (
        ((), ["Сию повесть записал старый лодочник Пётр."]),
        (
            ("Часть первая", "Глава 1. Приезд"),
            [
                "На остров приехала Марфа Ильина. Смотритель Никита встретил её у причала.",
                "Вечером Никита показал Марфе маяк. Над дверью висел медный ключ.",
            ],
        ),
        (
            ("Часть первая", "Глава 2. Шторм"),
            [
                "Ночью начался шторм, и Никита зажёг фонарь. Корабль «Надежда» шёл к скалам.",
                "Утром Марфа нашла на берегу капитана Одинцова. Капитан Одинцов молчал.",
            ],
        ),
        (
            ("Часть вторая", "Глава 1. Тайна старого ключа"),
            [
                "Капитан Одинцов узнал медный ключ. Он сказал, что ключ потерял брат Никиты.",
                "Марфа спросила, где теперь брат. Тогда Никита назвал имя Гаврила.",
                "Все знали, что Гаврила утонул. Однако Одинцов видел, как Гаврила сошёл в Риге.",
            ],
        ),
        (
            ("Часть вторая", "Глава 2. Отъезд"),
            [
                "Весной Марфа уехала с капитаном. А Никита остался на маяке один.",
            ],
        ),
    ),
    date="1850",
)
RIGA = BookText(
    "lighthouse",
    2,
    "Рижский гость",
    (
        (
            ("I",),
            [
                "В городе Риге Гаврила держал трактир. Однажды вошёл Одинцов.",
                "Сам Гаврила признался, что украл ключ. Его сын Фёдор слышал всё.",
            ],
        ),
        (("II",), ["Ночью Фёдор бежал на остров. Старый Никита обнял племянника."]),
    ),
    date="1852-05",
)
MILL = BookText(
    "mill",
    1,
    "Млин над річкою",
    (
        (("Розділ 1",), ["Біля річки стояв млин, і жила там Оксана. Мірошник Тарас молов жито."]),
        (("Розділ 2",), ["Якось Тарас посварився з паном. Тоді Оксана сховала гроші під жорном."]),
        (("Розділ 3",), ["Пан забрав млин. Проте Оксана викупила його за сховані гроші."]),
    ),
    language="uk",
)
BOOKS = (LIGHTHOUSE, RIGA, MILL)
