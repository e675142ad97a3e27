"""What a language model wrote as an answer: its quotes looked up, and what of it can be shown while it is written."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import count

from tgrag.json_answers import without_thought
from tgrag.models.chat import InvalidAnswer
from tgrag.records import TextUnit
from tgrag.search.citations import verify
from tgrag.search.requests import ContextItem

_QUOTED = re.compile(r"(?:«([^«»]+)»|“([^“”]+)”|„([^„“”]+)[“”]|\"([^\"]+)\")\s*\[(\d+)\]")
_UNFINISHED = re.compile(r"\s*(?:\[\d*)?\Z")  # may yet become the number of a quote, or end the answer
_NOT_THERE = re.compile(
    r"passages do not answer|в приведённых отрывках ответа нет|у наведених уривках відповіді немає",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Quoted:
    """A quote as it stands in the text of a unit."""

    text: str
    unit: TextUnit


@dataclass(frozen=True, slots=True)
class Written:
    """A readable answer. quotes: in order, every one of them found; empty when the context has no answer."""

    text: str
    quotes: tuple[Quoted, ...]


def readable(text: str) -> str:
    """Return what can be shown of the beginning of an answer: the beginning of ``Written.text``, if it is readable."""
    numbers = count(1)
    numbered = _QUOTED.sub(lambda quote: _numbered(quote, next(numbers)), without_thought(text))
    return _UNFINISHED.sub("", numbered.lstrip(), count=1)


def read_answer(
    text: str, items: Sequence[ContextItem], units_of: Callable[[ContextItem], Iterable[TextUnit]]
) -> Written:
    """Return the answer with its quotes numbered from 1. units_of: the text units that an item shows or stems from.

    Raises InvalidAnswer that names each quote not found.
    """
    quotes: list[Quoted] = []
    missing: list[str] = []

    def look_up(match: re.Match[str]) -> str:
        said = next(group for group in match.groups()[:4] if group)
        number = int(match[5])
        item = items[number - 1] if 1 <= number <= len(items) else None
        found = (as_it_stands(said, unit) for unit in units_of(item)) if item else ()
        quote = next((quoted for quoted in found if quoted), None)
        if quote is None:
            missing.append(f"«{said}» [{number}]")
            return match[0]
        quotes.append(quote)
        return _numbered(match, len(quotes))

    answer = _QUOTED.sub(look_up, without_thought(text)).strip()
    if missing:
        raise InvalidAnswer(
            f"not word for word in the text passage that is named: {'; '.join(missing)}. Quote the passages of text"
        )
    if not quotes and not _NOT_THERE.search(answer):
        raise InvalidAnswer("no statement has a quotation with the number of its passage, such as «…» [1]")
    return Written(answer, tuple(quotes))


def as_it_stands(quote: str, unit: TextUnit) -> Quoted | None:
    """Return a quote with the white space of the text unit, letter for letter otherwise; None when it is not there."""
    words = quote.split()
    found = re.search(r"\s+".join(map(re.escape, words)), unit.text) if words else None
    return Quoted(found[0], unit) if found and verify(found[0], unit) is not None else None


def _numbered(quote: re.Match[str], number: int) -> str:
    return quote[0][: quote.start(5) - quote.start()] + f"{number}]"
