import difflib
import importlib.util
import io
import shutil
import subprocess
import textwrap
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFont

from tgrag.errors import ConfigurationError
from tgrag.ingest import ocr
from tgrag.ingest.ocr import open_reader
from tgrag.ingest.parse import check, parse
from tgrag.records import LANGUAGES, Language
from tgrag.settings import ParseSettings

PASSAGES = Path(__file__).parents[2] / "fixtures" / "passages"
DPI = 200
WIDTH, HEIGHT = 1654, 2339  # A4 at 200 dpi
MARGIN, LINE = 180, 46

HAS_RAPIDOCR = importlib.util.find_spec("rapidocr") and importlib.util.find_spec("onnxruntime")


def needs_tesseract() -> None:
    if shutil.which("tesseract") is None:
        pytest.skip("needs tesseract: apt-get install tesseract-ocr tesseract-ocr-rus tesseract-ocr-ukr")
    listed = subprocess.run(["tesseract", "--list-langs"], capture_output=True, check=True, text=True).stdout
    if not {"eng", "rus", "ukr"} <= set(listed.split()):
        pytest.skip("needs tesseract's data: apt-get install tesseract-ocr-rus tesseract-ocr-ukr")


def font(size: int) -> ImageFont.FreeTypeFont:
    try:
        return ImageFont.truetype("DejaVuSerif.ttf", size)
    except OSError:
        pytest.skip("needs a font with Cyrillic letters: apt-get install fonts-dejavu")


def scan(*pages: list[str]) -> bytes:
    """Make a PDF whose pages are pictures of lines."""
    pictures = []
    for lines in pages:
        picture = Image.new("L", (WIDTH, HEIGHT), 255)
        draw = ImageDraw.Draw(picture)
        for number, line in enumerate(lines):
            draw.text((MARGIN, MARGIN + number * LINE), line, font=font(28), fill=0)
        pictures.append(picture)
    file = io.BytesIO()
    pictures[0].save(file, "PDF", resolution=DPI, save_all=True, append_images=pictures[1:])
    return file.getvalue()


def passage(language: Language) -> list[str]:
    text = (PASSAGES / f"{language}.txt").read_text(encoding="utf-8")
    return textwrap.wrap(" ".join(text.split()), 72, break_on_hyphens=False)[:30]


def likeness(expected: str, found: str) -> tuple[float, float]:
    """Return the shares of characters and of words that were read as they are printed."""
    characters = difflib.SequenceMatcher(None, expected, found, autojunk=False)
    words = difflib.SequenceMatcher(None, expected.split(), found.split(), autojunk=False)
    n_characters, n_words = (
        sum(block.size for block in match.get_matching_blocks()) for match in (characters, words)
    )
    return n_characters / len(expected), n_words / len(expected.split())


@pytest.mark.parametrize("language", LANGUAGES)
def test_tesseract_reads_a_page_back(language: Language) -> None:
    needs_tesseract()
    lines = passage(language)
    reader = open_reader(ParseSettings(ocr="tesseract", ocr_languages=(language,)))
    assert reader
    (page,) = reader.read(scan(lines), [1])
    characters, words = likeness("\n".join(lines), "\n".join(line.text for line in page.lines))
    print(f"tesseract, {language}: {characters:.2%} of the characters, {words:.2%} of the words")
    assert characters > 0.98 and words > 0.93


def test_lines_stand_where_they_are_printed() -> None:
    needs_tesseract()
    reader = open_reader(ParseSettings(ocr="tesseract", ocr_languages=("en",)))
    assert reader
    pages = list(reader.read(scan(["A first page"], ["Another page", "of two lines"]), [2, 1]))
    assert [page.number for page in pages] == [2, 1]
    first, second = pages[0].lines
    assert (first.text, second.text) == ("Another page", "of two lines")
    assert (round(pages[0].width), round(pages[0].height)) == (595, 842)
    points = 72 / DPI
    assert first.left == pytest.approx(MARGIN * points, abs=3)
    assert second.top - first.top == pytest.approx(LINE * points, abs=5)
    assert MARGIN * points < first.top < first.bottom < (MARGIN + LINE) * points
    assert first.size == pytest.approx(28 * points, rel=0.35)


def test_a_scanned_book_is_read_where_recognition_is_set_up() -> None:
    needs_tesseract()
    data = scan(passage("uk"), passage("uk"))
    document = parse("скан.pdf", data, ParseSettings(ocr="tesseract", ocr_languages=("uk",)))
    assert document.status == "ok" and document.n_pages == 2
    assert "OCR" in (parse("скан.pdf", data).reason or "")


def test_an_empty_page_has_no_lines() -> None:
    needs_tesseract()
    reader = open_reader(ParseSettings(ocr="tesseract", ocr_languages=("en",)))
    assert reader
    assert [page.lines for page in reader.read(scan([]), [1])] == [()]


@pytest.mark.skipif(not HAS_RAPIDOCR, reason="needs rapidocr and onnxruntime: pip install tgrag[ocr]")
def test_rapidocr_reads_an_english_page_back() -> None:
    lines = passage("en")[:10]
    reader = open_reader(ParseSettings(ocr="rapidocr", ocr_languages=("en",)))
    assert reader
    (page,) = reader.read(scan(lines), [1])
    characters, words = likeness("\n".join(lines), "\n".join(line.text for line in page.lines))
    print(f"rapidocr, en: {characters:.2%} of the characters, {words:.2%} of the words")
    assert characters > 0.97 and words > 0.85


@pytest.mark.skipif(not HAS_RAPIDOCR, reason="needs rapidocr and onnxruntime: pip install tgrag[ocr]")
@pytest.mark.parametrize("language", ["ru", "uk"])
def test_rapidocr_says_that_its_model_has_no_cyrillic(language: Language) -> None:
    with pytest.raises(ConfigurationError, match=f"letters of {language} .*no Cyrillic.*tesseract"):
        check(ParseSettings(ocr="rapidocr", ocr_languages=(language,)))


def test_no_recognition_is_the_default() -> None:
    assert open_reader(ParseSettings()) is None


def test_a_missing_program_is_told_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(ConfigurationError, match="apt-get install tesseract-ocr tesseract-ocr-ukr"):
        check(ParseSettings(ocr="tesseract", ocr_languages=("uk",)))


def test_missing_language_data_is_told_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: name)
    listed = subprocess.CompletedProcess([], 0, stdout="List of available languages (2):\neng\nosd\n")
    monkeypatch.setattr(ocr.subprocess, "run", lambda *args, **kwargs: listed)
    with pytest.raises(
        ConfigurationError, match=r"no data for ru, uk; .*tesseract-ocr-rus tesseract-ocr-ukr"
    ):
        open_reader(ParseSettings(ocr="tesseract"))


def test_a_missing_package_is_told_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ConfigurationError, match=r"pip install tgrag\[ocr\]"):
        open_reader(ParseSettings(ocr="rapidocr"))
