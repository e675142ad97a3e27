"""``as_of`` as a person writes it: on the command line and in an address."""

import re
from typing import Any

from pydantic import ValidationError

from tgrag.errors import InvalidRequest
from tgrag.search.requests import AsOf

AS_OF_KEYS = ("series", "book", "chapter", "ordinal", "date")
_PAIR = re.compile(rf"\s*({'|'.join(AS_OF_KEYS)})\s*=")
_BETWEEN_PAIRS = re.compile(rf",(?=\s*(?:{'|'.join(AS_OF_KEYS)})\s*=)")


def parse_as_of(text: str | None) -> AsOf | None:
    """Read «3», «Глава III», «book=2,chapter=5», «date=1834-01». Raises InvalidRequest."""
    if text is None:
        return None
    value: Any = _number_or_text(text)
    if _PAIR.match(text):
        pairs = (pair.partition("=") for pair in _BETWEEN_PAIRS.split(text))
        value = {key.strip(): _value(key.strip(), given.strip()) for key, _, given in pairs}
    try:
        return AsOf.model_validate(value)
    except ValidationError as error:
        raise InvalidRequest(faults(error, "as_of")) from None


def faults(error: ValidationError, *above: str) -> str:
    """Return one line that names each field and what is wrong with it."""
    return "; ".join(
        ".".join([*above, *map(str, fault["loc"])]) + ": " + fault["msg"].removeprefix("Value error, ")
        for fault in error.errors()
    )


def _value(key: str, given: str) -> int | str:
    return given if key in ("series", "date") else _number_or_text(given)


def _number_or_text(text: str) -> int | str:
    return int(text) if text.strip().isdecimal() else text.strip()
