"""A PDF of 2,000 pages: memory stays bounded, and what is read is the whole."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.ingest.printing import HEIGHT, Piece, printed_pieces

N_PAGES = 2_000
WORDS = (
    "дорога",
    "зима",
    "вечер",
    "карета",
    "станция",
    "смотритель",
    "письмо",
    "капитан",
    "крепость",
    "степь",
    "буран",
    "вожатый",
    "полковник",
)
MAX_GROWTH_MB = 150

PROBE = """
import sys
from pathlib import Path
from tgrag.ingest.pdf import read_pdf
from tgrag.settings import ParseSettings

def peak():
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024

peaks = []
document = read_pdf(Path(sys.argv[1]).read_bytes(), ParseSettings(), lambda: peaks.append(peak()))
words = sum(len(element.text.split()) for element in document.elements if not element.drop)
print(document.n_pages, words, len(peaks), peaks[49], peaks[document.n_pages - 1], peak())
"""


def page(number: int) -> list[Piece]:
    lines = [
        " ".join(WORDS[(number + 3 * row + place) % len(WORDS)] for place in range(6)) for row in range(26)
    ]
    pieces: list[Piece] = [(50.0, HEIGHT - 60 - 13 * row, line) for row, line in enumerate(lines)]
    return [*pieces, (200.0, 30.0, str(number + 1))]


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak of memory from /proc")
def test_memory_of_two_thousand_pages_is_bounded(tmp_path: Path) -> None:
    file = tmp_path / "long.pdf"
    file.write_bytes(printed_pieces([page(number) for number in range(N_PAGES)]))
    probe = subprocess.run(
        [sys.executable, "-c", PROBE, str(file)], capture_output=True, text=True, check=True
    )
    n_pages, n_words, n_calls, early, late, end = map(float, probe.stdout.split())
    print(
        f"peak of memory: {early:.0f} MB after 50 pages, {late:.0f} MB after {N_PAGES}, {end:.0f} MB at the end"
    )
    assert n_pages == N_PAGES <= n_calls / 3  # read, put into rows, cut into blocks
    assert n_words == N_PAGES * 26 * 6
    assert end - early < MAX_GROWTH_MB
