"""What the tests of LLM extraction share: small units, and the stage over them with a mock server."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.mock_llm import Running, probe
from tgrag.index.asking import Asking
from tgrag.index.extraction import Extracted, LlmExtraction, extract_units
from tgrag.index.manifest import StageCost
from tgrag.index.plan import Plan
from tgrag.records import Language, TextUnit
from tgrag.settings import Settings, load_settings
from tgrag.store.root import open_root

TEXTS: dict[Language, str] = {
    "ru": "Однажды Нарумов собрал гостей номер {n}. Томский рассказал о графине. Германн слушал и молчал.",
    "uk": "Одного разу Наталка зібрала гостей номер {n}. Петро розповів про Миколу. Возний слухав і мовчав.",
    "en": "One evening Nemo gathered his guests, number {n}. Conseil told of Aronnax. Ned listened in silence.",
}


def unit(n: int, document: str = "d0", language: Language = "ru", text: str | None = None) -> TextUnit:
    body = text or TEXTS[language].format(n=f"{n}/{document}")
    return TextUnit(
        text_unit_id=f"{document}-{n}",
        document_id=document,
        series_id=document,
        book_number=1,
        book_title="Повесть",
        chapter_id="1",
        headings=("Глава I",),
        ordinal=n,
        chunk_index=n,
        relative_position=0.0,
        page_numbers=(),
        fragments=(),
        start=0,
        end=len(body),
        n_tokens=30,
        language=language,
        date=None,
        text=body,
    )


def units(n: int, documents: int = 3) -> list[TextUnit]:
    """Units of several documents, one document after the other."""
    return [unit(i, f"d{d}") for d in range(documents) for i in range(n // documents)]


class Stage:
    """The extraction stage on a root of its own."""

    def __init__(self, root: Path | str, mock: Running, **settings: Any) -> None:
        chat = {"model": "mock", "base_url": mock.base_url, "timeout_seconds": 5} | settings.pop("chat", {})
        self.settings: Settings = load_settings(root=str(root), profile="openai", chat=chat, **settings)
        self.root = open_root(self.settings.root)
        self.lines: list[str] = []

    def run(self, units: Sequence[TextUnit], plan: Plan | None = None) -> tuple[Extracted, StageCost]:
        cost = StageCost(seconds=0)
        return extract_units(units, self.asking(units), plan or Plan(), cost), cost

    def opened(self, units: Sequence[TextUnit]) -> LlmExtraction:
        return LlmExtraction(units, self.asking(units))

    def asking(self, units: Sequence[TextUnit]) -> Asking:
        sources = {unit.document_id: f"{unit.document_id}.txt" for unit in units}
        return Asking(self.root, "c", self.settings, sources, self.lines.append)


def by_llm(found: Extracted) -> set[str]:
    """The units whose extraction has a probe: an entity that only the mock model gives."""
    return {
        text_unit_id
        for text_unit_id, extraction in found.extractions.items()
        if any(entity.name.startswith("Probe ") for entity in extraction.entities)
    }


def has_own_probe(found: Extracted, unit: TextUnit) -> bool:
    return any(e.name == probe(unit.text) for e in found.extractions[unit.text_unit_id].entities)
