"""Parsing and chunking: how fast each format is, how time grows with length, and how much memory a long PDF takes.

Seconds are CPU seconds of all threads, bound to one core: they say the same on a busy machine. Beside ours, on the
same files in the same run: what Docling alone needs (its own back end, none of our rules), and for PDF what
pypdfium2 needs to give the text.
"""

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from io import BytesIO
from typing import Any

import pypdfium2
from docling.backend.csv_backend import CsvDocumentBackend
from docling.backend.docling_parse_backend import ThreadedDoclingParseDocumentBackend
from docling.backend.epub_backend import EpubDocumentBackend
from docling.backend.html_backend import HTMLDocumentBackend
from docling.backend.md_backend import MarkdownDocumentBackend
from docling.backend.msexcel_backend import MsExcelDocumentBackend
from docling.backend.mspowerpoint_backend import MsPowerpointDocumentBackend
from docling.backend.msword_backend import MsWordDocumentBackend
from docling.backend.opendocument_backend import OdtDocumentBackend
from docling.datamodel.backend_options import ThreadedDoclingParseBackendOptions
from docling.datamodel.base_models import InputFormat
from docling.datamodel.document import InputDocument
from docling.datamodel.pipeline_options import ConvertPipelineOptions, NativePdfPipelineOptions
from docling.pipeline.native_pdf_pipeline import NativePdfPipeline
from docling.pipeline.simple_pipeline import SimplePipeline

from benchmarks.measure import Peak, cpu_seconds, on_one_core, peak_of, say, table, timed
from benchmarks.samples import Group, groups, printed, text_of
from tgrag.chunk import chunk
from tgrag.ingest.parse import parse
from tgrag.records import ParsedDocument
from tgrag.settings import ChunkSettings

_BACKENDS: dict[str, tuple[InputFormat, Any]] = {
    "csv": (InputFormat.CSV, CsvDocumentBackend),
    "docx": (InputFormat.DOCX, MsWordDocumentBackend),
    "epub": (InputFormat.EPUB, EpubDocumentBackend),
    "html": (InputFormat.HTML, HTMLDocumentBackend),
    "md": (InputFormat.MD, MarkdownDocumentBackend),
    "odt": (InputFormat.ODT, OdtDocumentBackend),
    "pptx": (InputFormat.PPTX, MsPowerpointDocumentBackend),
    "xlsx": (InputFormat.XLSX, MsExcelDocumentBackend),
}
_PAGES_OF_MEMORY = (1, 10)  # a tenth of the pages beside all of them: the difference is what a page costs


@dataclass(frozen=True)
class Speed:
    """One format. Seconds are CPU seconds for all its files; pages where the format has any."""

    format: str
    files: str
    mb: float
    pages: int | None
    characters: int
    parse_seconds: float
    docling_seconds: float | None
    pypdfium2_seconds: float | None
    chunk_seconds: float


@dataclass(frozen=True)
class Length:
    """Plain text of some length."""

    mb: float
    parse_seconds: float
    chunk_seconds: float
    units: int


@dataclass(frozen=True)
class Memory:
    pages: int
    mb: float
    peak: Peak


def add_command(commands: Any) -> None:
    """Add ``parse`` to the benchmarks' command line."""
    command = commands.add_parser(
        "parse", help="parsing and chunking, by format and by length", description=__doc__
    )
    command.add_argument("--json", action="store_true", help="print JSON instead of tables")
    command.add_argument(
        "--sizes", default="1,2,4,8,16", help="megabytes of plain text, up to 100 (default %(default)s)"
    )
    command.add_argument("--pages", type=int, default=2000, help="of the PDF for memory; 0 leaves it out")
    command.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> None:
    on_one_core()
    speeds = list(_speeds())
    lengths = [_length(float(size)) for size in arguments.sizes.split(",") if size]
    memory = [_memory(arguments.pages // share) for share in reversed(_PAGES_OF_MEMORY) if arguments.pages]
    if arguments.json:
        rows = {"formats": speeds, "lengths": lengths, "memory": memory}
        print(json.dumps({name: [asdict(row) for row in found] for name, found in rows.items()}, indent=1))
    else:
        print("\n\n".join((_speed_table(speeds), _length_table(lengths), _memory_table(memory))))


def _speeds() -> Iterator[Speed]:
    for group in groups():
        say(f"{group.format}: {group.origin}, {group.n_bytes / 1e6:.2f} MB")
        smallest = min(group.files, key=lambda file: len(file[1]))
        parse(*smallest)  # imports and caches
        parse_seconds, documents = timed(partial(_parse_all, group))
        docling = _docling_reader(group.format)
        if docling:
            docling(smallest[1])
        yield Speed(
            format=group.format,
            files=group.origin,
            mb=group.n_bytes / 1e6,
            pages=sum(document.n_pages or 0 for document in documents) or None,
            characters=sum(len(element.text) for document in documents for element in document.elements),
            parse_seconds=parse_seconds,
            docling_seconds=_all(docling, group) if docling else None,
            pypdfium2_seconds=_all(_pypdfium2_text, group) if group.format == "pdf" else None,
            chunk_seconds=cpu_seconds(partial(_chunk, documents)),
        )


def _parse_all(group: Group) -> list[ParsedDocument]:
    return [parse(name, data) for name, data in group.files]


def _all(reader: Callable[[bytes], object], group: Group) -> float:
    return cpu_seconds(lambda: [reader(data) for _, data in group.files])


def _chunk(documents: list[ParsedDocument]) -> int:
    read = (document for document in documents if document.status == "ok")
    return sum(len(chunk("d", document, document.language or "ru", ChunkSettings())) for document in read)


def _docling_reader(format: str) -> Callable[[bytes], object] | None:
    if format == "pdf":
        return _docling_pdf
    if format not in _BACKENDS:
        return None
    input_format, backend = _BACKENDS[format]

    def read(data: bytes) -> object:
        source = InputDocument(
            path_or_stream=BytesIO(data), format=input_format, backend=backend, filename=f"file.{format}"
        )
        return SimplePipeline(ConvertPipelineOptions()).execute(source, raises_on_error=True).document

    return read


def _docling_pdf(data: bytes) -> object:
    source = InputDocument(
        path_or_stream=BytesIO(data),
        format=InputFormat.PDF,
        backend=ThreadedDoclingParseDocumentBackend,
        backend_options=ThreadedDoclingParseBackendOptions(
            parser_threads=1, include_bitmap_images=False, render_pages=False
        ),
        filename="file.pdf",
    )
    options = NativePdfPipelineOptions(
        generate_page_images=False, generate_picture_images=False, parser_threads=1
    )
    return NativePdfPipeline(options).execute(source, raises_on_error=True).document


def _pypdfium2_text(data: bytes) -> int:
    document = pypdfium2.PdfDocument(data)
    try:
        pages = (document[number] for number in range(len(document)))
        return sum(len(page.get_textpage().get_text_range()) for page in pages)
    finally:
        document.close()


def _length(n_megabytes: float) -> Length:
    say(f"plain text of {n_megabytes:g} MB")
    data = text_of(n_megabytes)
    parse_seconds, document = timed(lambda: parse("long.txt", data))
    chunk_seconds, n_units = timed(lambda: _chunk([document]))
    return Length(len(data) / 1e6, parse_seconds, chunk_seconds, n_units)


def _memory(n_pages: int) -> Memory:
    say(f"memory of a PDF of {n_pages} pages")
    data = printed(n_pages)
    return Memory(n_pages, len(data) / 1e6, peak_of(_parse_pdf, data))


def _parse_pdf(data: bytes) -> None:
    parse("long.pdf", data)


def _speed_table(speeds: list[Speed]) -> str:
    heads = (
        "format",
        "files",
        "MB",
        "pages",
        "MB/s",
        "pages/s",
        "Docling MB/s",
        "pypdfium2 MB/s",
        "chunking / parsing",
    )
    return table(
        heads,
        (
            (
                row.format,
                row.files,
                row.mb,
                row.pages,
                row.mb / row.parse_seconds,
                row.pages / row.parse_seconds if row.pages else None,
                row.mb / row.docling_seconds if row.docling_seconds else None,
                row.mb / row.pypdfium2_seconds if row.pypdfium2_seconds else None,
                f"{row.chunk_seconds / row.parse_seconds:.0%}",
            )
            for row in speeds
        ),
    )


def _length_table(lengths: list[Length]) -> str:
    heads = ("plain text, MB", "parse, s", "chunk, s", "parse, s/MB", "chunk, s/MB", "units")
    rows = (
        (
            row.mb,
            row.parse_seconds,
            row.chunk_seconds,
            row.parse_seconds / row.mb,
            row.chunk_seconds / row.mb,
            row.units,
        )
        for row in lengths
    )
    return table(heads, rows)


def _memory_table(memory: list[Memory]) -> str:
    heads = ("PDF, pages", "MB", "parse, s", "peak memory, MB", "before parsing, MB")
    return table(
        heads, ((row.pages, row.mb, row.peak.seconds, row.peak.mb, row.peak.mb_before) for row in memory)
    )
