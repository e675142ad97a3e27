"""How often the encoding of a text is told, on stretches of real books: the figures of docs/parsing.md."""

import random
import re

import pytest

from tests.data import shared
from tgrag.ingest.encoding import decode
from tgrag.ingest.refusal import Refused

PAGES = {
    "ru": ("cp1251", "koi8-r", "koi8-u", "cp866", "mac-cyrillic", "iso8859-5"),
    "uk": ("cp1251", "koi8-u", "cp1125", "mac-cyrillic", "iso8859-5"),
    "en": ("cp1252",),
}
EVERYWHERE = ("utf-16-le", "utf-16-be", "utf-8")
N_TRIALS = 30


def book(language: str) -> str:
    if language == "ru":
        return "".join(path.read_text("utf-8") for path in sorted(shared("ruslit_ru").rglob("*.txt")))
    if language == "uk":
        text = re.sub("<[^>]+>", "", next(shared("nt_uk").glob("*.xml")).read_text("utf-8"))
        return re.sub(r"\s+", " ", text[5000:])
    folder = shared("graphragbench_en", "books")
    return "".join(path.read_text("utf-8") for path in sorted(folder.iterdir()))


def is_told(data: bytes, text: str) -> bool:
    try:
        return decode(data) == text
    except Refused:
        return False


@pytest.mark.parametrize(
    ("size", "least"), [(50, 0.85), (200, 0.95), (2000, 1.0)], ids=lambda value: f"{value}"
)
@pytest.mark.parametrize("language", PAGES)
def test_encodings_are_told(language: str, size: int, least: float) -> None:
    text = book(language)
    chance = random.Random(size)
    for encoding in (*PAGES[language], *EVERYWHERE):
        n_told = 0
        for _ in range(N_TRIALS):
            start = chance.randrange(len(text) - size)
            data = text[start : start + size // (2 if encoding in EVERYWHERE else 1)].encode(
                encoding, "ignore"
            )
            n_told += is_told(data, data.decode(encoding))
        assert n_told >= least * N_TRIALS, f"{encoding}: {n_told} of {N_TRIALS}"


@pytest.mark.parametrize("language", ["ru", "uk"])
def test_damaged_utf8_is_still_utf8(language: str) -> None:
    text = book(language)
    chance = random.Random(1)
    for _ in range(N_TRIALS):
        start = chance.randrange(len(text) - 2000)
        data = bytearray(text[start : start + 1000].encode())
        data[chance.randrange(len(data))] = 0xFF
        assert is_told(bytes(data), data.decode("utf-8", errors="replace"))
