"""Text recognition: pictures of pages to lines of text, for pages that have no text of their own.

Two engines. Tesseract is a program with language data from the system's packages: it reads Russian, Ukrainian
and English. RapidOCR is a Python package whose wheel carries models: its recognition model knows Latin letters
and no Cyrillic one, so Russian and Ukrainian need another model, found in ``artifacts_path``.
"""

import importlib.util
import io
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import pypdfium2
from PIL import Image

from tgrag.errors import ConfigurationError
from tgrag.ingest.page import Line, Page
from tgrag.ingest.text import squeeze
from tgrag.ingest.xml import parse_xml
from tgrag.records import Language
from tgrag.settings import ParseSettings

DPI = 300  # what Tesseract's manual advises
_POINTS_AN_INCH = 72
_MAX_PIXELS = 40_000_000  # a poster is rendered coarser: A4 at 300 dpi has 8.7 million

_TESSERACT_DATA: dict[Language, str] = {"ru": "rus", "uk": "ukr", "en": "eng"}
_HOCR_LINE = re.compile(r"bbox (\d+) (\d+) (\d+) (\d+);.* x_size ([\d.]+)")  # words have no x_size
_ALPHABETS: dict[Language, str] = {
    "ru": "абвгдеёжзийклмнопрстуфхцчшщъыьэюя",
    "uk": "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя",
    "en": "abcdefghijklmnopqrstuvwxyz",
}


class PageReader(Protocol):
    def read(self, data: bytes, numbers: Sequence[int]) -> Iterator[Page]:
        """Read pages of a PDF by their numbers, from 1, one at a time."""
        ...


def open_reader(settings: ParseSettings) -> PageReader | None:
    """Return what reads pictures of pages, or None when ``settings.ocr`` is "none".

    Raises ConfigurationError when the engine or its data for one of the languages is not installed.
    """
    if settings.ocr == "none":
        return None
    if settings.ocr == "tesseract":
        _check_tesseract(settings.ocr_languages)
        return _Tesseract("+".join(tesseract_languages(settings.ocr_languages)))
    return _RapidOCR(rapidocr_model(settings))


def _pictures(data: bytes, numbers: Sequence[int]) -> Iterator[tuple[int, float, float, Image.Image]]:
    """Yield each page's number, its width and height in points, and its picture in grey."""
    with pypdfium2.PdfDocument(data) as document:
        for number in numbers:
            page = document[number - 1]
            width, height = page.get_size()
            scale = min(DPI / _POINTS_AN_INCH, (_MAX_PIXELS / max(width * height, 1)) ** 0.5)
            bitmap = page.render(scale=scale, grayscale=True)
            picture = bitmap.to_pil()
            yield number, width, height, picture
            bitmap.close()
            page.close()


# --- Tesseract ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Tesseract:
    """languages: as its command line takes them, joined by a plus."""

    languages: str

    def read(self, data: bytes, numbers: Sequence[int]) -> Iterator[Page]:
        for number, width, height, picture in _pictures(data, numbers):
            scale = width / picture.width
            lines = _hocr_lines(self._hocr(picture, round(_POINTS_AN_INCH / scale)), scale)
            yield Page(number, width, height, tuple(lines))

    def _hocr(self, picture: Image.Image, dpi: int) -> bytes:
        encoded = io.BytesIO()
        picture.save(encoded, "PNG", compress_level=1)
        command = ["tesseract", "stdin", "stdout", "-l", self.languages, "--dpi", str(dpi), "hocr"]
        done = subprocess.run(
            command,
            input=encoded.getvalue(),
            capture_output=True,
            check=False,
            env=os.environ | {"OMP_THREAD_LIMIT": "1"},  # one worker, one core
        )
        if done.returncode:
            fault = done.stderr.decode(errors="replace").strip()
            raise RuntimeError(f"tesseract ended with {done.returncode}: {fault}")
        return done.stdout


def _hocr_lines(hocr: bytes, scale: float) -> Iterator[Line]:
    """Yield the printed lines of Tesseract's HTML, each with the size of its letters. scale: points a pixel."""
    for line in parse_xml(hocr).iter("{*}span"):
        stated = _HOCR_LINE.search(line.get("title", ""))
        text = squeeze("".join(line.itertext()))
        if stated and text:
            left, top, right, bottom, size = (float(number) * scale for number in stated.groups())
            yield Line(text, left, top, right, bottom, size)


def tesseract_languages(languages: Sequence[Language]) -> list[str]:
    """Return Tesseract's names of languages."""
    return [_TESSERACT_DATA[language] for language in languages]


def _check_tesseract(languages: Sequence[Language]) -> None:
    if shutil.which("tesseract") is None:
        raise ConfigurationError(
            "parse.ocr is tesseract, and there is no such program; install it with its language data, on Debian with"
            f" `apt-get install tesseract-ocr {_packages(languages)}`"
        )
    listed = subprocess.run(["tesseract", "--list-langs"], capture_output=True, check=True, text=True)
    missing = [language for language in languages if _TESSERACT_DATA[language] not in listed.stdout.split()]
    if missing:
        raise ConfigurationError(
            f"tesseract has no data for {', '.join(missing)}; install it, on Debian with"
            f" `apt-get install {_packages(missing)}`, or leave it out of parse.ocr_languages"
        )


def _packages(languages: Sequence[Language]) -> str:
    return " ".join(f"tesseract-ocr-{name}" for name in tesseract_languages(languages))


# --- RapidOCR -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _RapidOCR:
    """model: the recognition model."""

    model: Path

    def read(self, data: bytes, numbers: Sequence[int]) -> Iterator[Page]:
        import numpy as np

        for number, width, height, picture in _pictures(data, numbers):
            scale = width / picture.width
            found = self._engine(np.asarray(picture.convert("RGB")))
            boxes = () if found.boxes is None else found.boxes
            lines = []
            for corners, text in zip(boxes, found.txts or (), strict=True):
                left, top, right, bottom = (
                    float(number) * scale for number in (*corners.min(axis=0), *corners.max(axis=0))
                )
                lines.append(Line(text, left, top, right, bottom, size=bottom - top))
            yield Page(number, width, height, tuple(lines))

    @cached_property
    def _engine(self) -> Any:
        from rapidocr import RapidOCR

        threads = {"EngineConfig.onnxruntime.intra_op_num_threads": 1}  # one worker, one core
        return RapidOCR(params={"Global.log_level": "error", "Rec.model_path": str(self.model), **threads})


def rapidocr_model(settings: ParseSettings) -> Path:
    """Return the first recognition model that knows the alphabets of all languages: the user's, then the wheel's."""
    missing = [name for name in ("rapidocr", "onnxruntime") if importlib.util.find_spec(name) is None]
    if missing:
        raise ConfigurationError(
            f"parse.ocr is rapidocr, and {' and '.join(missing)} is not installed; `pip install tgrag[ocr]`"
        )
    import rapidocr

    folders = [Path(folder) for folder in (settings.artifacts_path, Path(rapidocr.__file__).parent) if folder]
    models = [model for folder in folders for model in sorted(folder.rglob("*_rec_*.onnx"))]
    wanted = set("".join(_ALPHABETS[language] for language in settings.ocr_languages))
    for model in models:
        if wanted <= _known_characters(model):
            return model
    languages = ", ".join(settings.ocr_languages)
    raise ConfigurationError(
        f"no recognition model of RapidOCR knows all letters of {languages} (looked at"
        f" {', '.join(model.name for model in models) or 'none'}): the one in its wheel has no Cyrillic. Put"
        " eslav_PP-OCRv5_rec_mobile.onnx of RapidOCR's model list into parse.artifacts_path, or set parse.ocr to tesseract"
    )


def _known_characters(model: Path) -> frozenset[str]:
    """Return the characters that a model can write, as its own metadata lists them."""
    import onnxruntime

    stated = onnxruntime.InferenceSession(str(model)).get_modelmeta().custom_metadata_map
    return frozenset(stated.get("character", "").splitlines())
