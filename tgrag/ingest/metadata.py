"""What files state about themselves, brought to the forms of the records."""

import re

from tgrag.records import LANGUAGES, Language

_CODES = {"rus": "ru", "ukr": "uk", "eng": "en"}


def declared_language(code: str | None) -> Language | None:
    """Return a language by its code (en, en-US, eng, ukr), or None when it is not one that tgrag knows."""
    name = re.split(r"[-_]", (code or "").strip().lower())[0]
    name = _CODES.get(name, name)
    return next((language for language in LANGUAGES if language == name), None)


def declared_number(text: str | None) -> int | None:
    """Return a place in a series («2», «2.0»), or None when it is not a whole positive number."""
    match = re.fullmatch(r"\s*0*([1-9]\d{0,5})(?:[.,]0+)?\s*", text or "")
    return int(match[1]) if match else None


def declared_date(text: str | None) -> str | None:
    """Return the ISO 8601 date (year, month or day) that a text begins with, or a lone year in it."""
    match = re.match(r"\s*(\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?)(?!\d)", text or "")
    lone = re.findall(r"(?<!\d)1\d{3}(?!\d)|(?<!\d)20\d{2}(?!\d)", text or "")
    return match[1] if match else lone[0] if len(lone) == 1 else None
