"""How long chunking takes: ``python -m tests.corpus.chunk_speed [MEGABYTES …]`` prints CPU seconds a megabyte.

The texts are the bundled sample, repeated with changes, and shapes that would find out anything quadratic.
"""

import re
import resource
import sys
import time
from collections.abc import Iterator
from itertools import chain, count, cycle, islice

from tests.books import SAMPLE
from tgrag.chunk import chunk
from tgrag.records import Box, Drop, Element, Fragment, ParsedDocument
from tgrag.settings import ChunkSettings

BYTES_A_PAGE = 2500
LINES = [line for line in SAMPLE.read_text(encoding="utf-8").splitlines() if line.strip()]
WORDS = re.sub(r"[^\w ]", "", " ".join(LINES)).lower()
NUMBER = Drop("page_furniture", "a page number")


def novel(megabytes: float, lines_a_chapter: int | None) -> Iterator[Element]:
    n_bytes = 0
    for number, line in zip(count(), cycle(LINES), strict=False):
        if lines_a_chapter and number % lines_a_chapter == 0:
            yield Element("heading", f"Глава {number // lines_a_chapter + 1}", 1)
        text = f"{line} Так было в {number}-й раз."
        yield Element("paragraph", text)
        n_bytes += len(text.encode())
        if n_bytes > megabytes * 1e6:
            return


def line(text: str, megabytes: float) -> Iterator[Element]:
    n_characters = int(megabytes * 1e6 * len(text) / len(text.encode()))
    yield Element("paragraph", (text * (n_characters // len(text) + 1))[:n_characters])


def printed(n: int) -> Element:
    """One paragraph of n printed lines."""
    lines = [f"Это строка номер {number}." for number in range(n)]
    fragments, start = [], 0
    for number, text in enumerate(lines):
        fragments.append(Fragment(start, number // 40 + 1, Box(0, 0, 100, 10)))
        start += len(text) + 1
    return Element("paragraph", " ".join(lines), fragments=tuple(fragments))


def shapes(n: int) -> Iterator[tuple[str, list[Element]]]:
    """Yield documents of n small parts."""
    tiny = [Element("paragraph", f"Да, {number}.") for number in range(n)]
    heads = (Element("heading", f"Глава {number}", 1) for number in range(n))
    numbers = (Element("paragraph", str(number), drop=NUMBER) for number in range(n))
    yield "paragraphs", tiny
    yield "equal paragraphs", [Element("paragraph", "Да.")] * n
    yield "paragraphs without end marks", [Element("paragraph", "и да и нет")] * n
    yield "headings", list(chain.from_iterable(zip(heads, tiny, strict=True)))
    yield "drops", list(chain.from_iterable(zip(tiny, numbers, strict=True)))
    yield "rows", [Element("table", "\n".join(f"{number} | строка | {number**2}" for number in range(n)))]
    yield "printed lines", [printed(n)]


def measure(name: str, elements: list[Element]) -> None:
    document = ParsedDocument("ok", elements=tuple(elements))
    megabytes = sum(len(element.text.encode()) for element in elements) / 1e6
    begun = time.process_time()
    units = chunk("d", document, "ru", ChunkSettings())
    seconds = time.process_time() - begun
    page = seconds / megabytes * BYTES_A_PAGE / 1000
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(
        f"{name:<42} {megabytes:6.2f} MB {seconds:7.2f} s {seconds / megabytes:6.2f} s/MB {page:6.2f} ms/page"
        f" {len(units):>7} units, peak memory so far {memory} MB",
        flush=True,
    )


def main(sizes: list[float]) -> None:
    measure("warm-up", list(islice(novel(1, None), 1000)))
    for size in sizes:
        measure(f"novel of one chapter, {size:g} MB", list(novel(size, None)))
        measure(f"novel of many chapters, {size:g} MB", list(novel(size, 40)))
        measure(f"one line of sentences, {size:g} MB", list(line(" ".join(LINES) + " ", size)))
        measure(f"one line without punctuation, {size:g} MB", list(line(WORDS, size)))
        measure(f"one line without spaces, {size:g} MB", list(line("ы", size)))
    for n in (10_000, 100_000):
        for name, elements in shapes(n):
            measure(f"{n} {name}", elements)


if __name__ == "__main__":
    main([float(size) for size in sys.argv[1:]] or [1, 4, 16])
