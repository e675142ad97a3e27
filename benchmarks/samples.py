"""What is measured: files of each format, from the development data where it is, made from the sample where not."""

import io
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import openpyxl

from tests.data import SHARED
from tests.unit.ingest.makers import MAKERS, Block
from tests.unit.ingest.samples import pdf
from tgrag.ingest.parse import parse

SAMPLE = Path(__file__).resolve().parents[1] / "samples" / "pikovaya_dama.txt"
_REAL: dict[str, tuple[str, ...]] = {
    "pdf": ("unlp2026_uk/pdf/*.pdf",),
    "docx": ("parser_dedoc/docx/without_numbering.docx", "parser_dedoc/tz/tz-10ea-2020.docx"),
    "epub": ("books_en/*.epub",),
    "html": ("parser_dedoc/htmls/53.html",),
    "md": ("fastapi_docs_en_uk_ru/**/*.md",),
    "xlsx": ("parser_docling/xlsx/*.xlsx",),
    "csv": ("parser_docling/csv/csv-comma.csv",),
    "txt": ("ruslit_ru/**/*.txt",),
    "xml": ("nt_uk/*.xml",),
}
_ENGLISH = (
    "It was a bright cold day in the old town, and the clocks on the tower were striking nine.",
    "He walked along the river without a word, and nobody asked him where he had been all night.",
    "She had read the letter twice before her brother came into the room and closed the door.",
    "The road to the north was long, but the horses were fresh and the snow had not begun.",
)
_LINES_A_PAGE = 40


@dataclass(frozen=True)
class Group:
    """Files of one format that are measured together. origin: where they come from."""

    format: str
    origin: str
    files: tuple[tuple[str, bytes], ...]

    @property
    def n_bytes(self) -> int:
        return sum(len(data) for _, data in self.files)


def groups() -> Iterator[Group]:
    """Yield the real files of each format that are at hand, then made ones."""
    for format, patterns in _REAL.items():
        paths = sorted(path for pattern in patterns for path in SHARED.glob(pattern) if path.is_file())
        if paths:
            files = tuple((path.name, path.read_bytes()) for path in paths)
            yield Group(format, f"{patterns[0].split('/')[0]}, {len(paths)} files", files)
    blocks = sample_blocks()
    for format, make in MAKERS.items():
        yield Group(format, "made from the sample", ((f"sample.{format}", make(blocks)),))
    yield Group("txt", "the sample", (("sample.txt", SAMPLE.read_bytes()),))
    yield Group("xlsx", "made, 2,000 rows", (("sample.xlsx", _workbook(blocks)),))
    yield Group("pdf", "made, 100 pages", (("sample.pdf", printed(100)),))


def sample_blocks() -> list[Block]:
    elements = parse(SAMPLE.name, SAMPLE.read_bytes()).elements
    return [
        Block("heading" if element.kind == "heading" else "paragraph", element.text) for element in elements
    ]


def text_of(n_megabytes: float) -> bytes:
    """Return plain text of about so many megabytes: whole books, one after another, again and again."""
    paths = [
        path
        for pattern in ("ruslit_ru/**/*.txt", "graphragbench_en/books/*")
        for path in sorted(SHARED.glob(pattern))
    ]
    books = [path.read_text("utf-8") for path in paths] or [SAMPLE.read_text("utf-8")]
    parts: list[bytes] = []
    size = 0
    for number in itertools.count():
        if size >= n_megabytes * 1e6:
            return b"".join(parts)[: int(n_megabytes * 1e6)]
        parts.append((books[number % len(books)] + "\n\n").encode())
        size += len(parts[-1])
    raise AssertionError("unreachable")


def printed(n_pages: int) -> bytes:
    """Return a PDF of English prose with a running head, 40 lines a page."""
    sentences = itertools.cycle(_ENGLISH)
    pages = []
    for number in range(1, n_pages + 1):
        lines = [(72, 760 - 16 * place, next(sentences)) for place in range(_LINES_A_PAGE)]
        pages.append([(240, 800, "A made book"), *lines, (290, 40, str(number))])
    return pdf(pages)


def _workbook(blocks: list[Block]) -> bytes:

    workbook = openpyxl.Workbook(write_only=True)
    sheet = workbook.create_sheet("Rows")
    texts = itertools.cycle(block.text[:60] for block in blocks)
    for number in range(2000):
        sheet.append([number, next(texts), number * 1.5, next(texts)])
    buffer = io.BytesIO()
    workbook.save(buffer)
    return buffer.getvalue()
