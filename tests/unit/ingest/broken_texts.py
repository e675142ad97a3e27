"""Good texts broken as real ones are: read in a wrong encoding, with a wrong glyph map, with look-alike letters."""

import random
from collections.abc import Callable

CYRILLIC = "абвгґдеёєжзиіїйклмнопрстуфхцчшщъыьэюя"
LATIN = "abcdefghijklmnopqrstuvwxyz"
_LOOKALIKES = str.maketrans("аеорсухікупАВЕКМНОРСТХ", "aeopcyxikynABEKMHOPCTX")

Break = Callable[[str], str]

# Written in the first encoding, read in the second one.
MISREADINGS = [
    ("utf-8", "cp1251"), ("utf-8", "latin-1"), ("utf-8", "cp1252"), ("utf-8", "cp866"), ("utf-8", "koi8-r"),
    ("cp1251", "latin-1"), ("cp1251", "cp1252"), ("cp1251", "cp1250"), ("cp1251", "koi8-u"), ("cp1251", "cp866"),
    ("cp1251", "iso8859-5"), ("cp1251", "mac-roman"), ("cp1251", "cp1253"), ("cp1251", "utf-8"),
    ("koi8-u", "cp1251"), ("koi8-u", "latin-1"), ("koi8-u", "cp866"), ("koi8-u", "iso8859-5"),
    ("cp1125", "cp1251"), ("cp1125", "latin-1"), ("cp1125", "cp1252"), ("cp1125", "koi8-r"), ("cp1125", "cp437"),
    ("iso8859-5", "cp1251"), ("iso8859-5", "koi8-r"),
]  # fmt: skip


def misread(written: str, read: str) -> Break:
    return lambda text: text.encode(written, "ignore").decode(read, "replace")


def permuted(seed: int) -> Break:
    """A wrong glyph map within the alphabet."""
    maps = {}
    for alphabet in (CYRILLIC, LATIN):
        letters = list(alphabet)
        random.Random(seed).shuffle(letters)
        maps |= dict(zip(alphabet, letters, strict=True))
    maps |= {before.upper(): after.upper() for before, after in maps.items()}
    return lambda text: text.translate(str.maketrans(maps))


def shifted(by: int) -> Break:
    """A wrong glyph map from Cyrillic letters to ASCII characters, as fonts without a Unicode table have it."""
    return lambda text: "".join(
        chr(33 + (ord(letter) - 0x410 + by) % 94) if "\u0400" <= letter <= "\u04ff" else letter
        for letter in text
    )


def with_lookalikes(text: str) -> str:
    return text.translate(_LOOKALIKES)


CYRILLIC_BREAKS: dict[str, Break] = {
    **{f"{written} as {read}": misread(written, read) for written, read in MISREADINGS},
    **{f"permuted {seed}": permuted(seed) for seed in range(4)},
    "look-alikes": with_lookalikes,
}
LATIN_BREAKS: dict[str, Break] = {f"permuted {seed}": permuted(seed) for seed in (0, 1, 3)}


def breaks(language: str) -> dict[str, Break]:
    return LATIN_BREAKS if language == "en" else CYRILLIC_BREAKS
