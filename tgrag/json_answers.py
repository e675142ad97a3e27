"""JSON that a chat model writes: schemas whose longest instance is known, and reading what came back."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import json_repair

from tgrag.models.chat import AnswerSchema, InvalidAnswer

Schema = Mapping[str, Any]

# One token a letter is the most that prose in Latin or Cyrillic costs a vocabulary that knows these letters.
TOKENS_A_CHARACTER = 1.0
# Braces, quotes, property names: measured 0.50 with XLM-RoBERTa's vocabulary, which knows little JSON.
TOKENS_A_STRUCTURE_CHARACTER = 0.6
MOST_MENDED_CHARACTERS = 50_000  # mending takes up to a second for so many
MOST_CHARACTERS = 200_000  # of an answer that is looked at; no answer within its max_tokens is longer

_HELD_BY = re.compile(r"""[\s,:'"{}\[\]\\]+""")
_DOUBTFUL = re.compile(r"""['"]\s*[,:}\]]""")  # in a string: where it may have ended
_THINKING = "<think"
_THOUGHT = re.compile(r"\A.*</think(?:ing)?>", re.DOTALL)


# --- schemas: only what grammars of every structured output know (no $ref, no pattern, no format) ---------


def text(most: int) -> Schema:
    return {"type": "string", "minLength": 1, "maxLength": most}


def choice(values: Sequence[str]) -> Schema:
    return {"type": "string", "enum": list(values)}


def number(least: int, most: int) -> Schema:
    return {"type": "integer", "minimum": least, "maximum": most}


def array(items: Schema, most: int) -> Schema:
    return {"type": "array", "items": items, "maxItems": most}


def record(**properties: Schema) -> Schema:
    """An object with exactly these properties, written in this order: what comes first is thought of first."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def answer_schema(name: str, schema: Schema) -> AnswerSchema:
    return AnswerSchema(name, compact(schema))


def compact(value: Any) -> str:
    """Return JSON without spaces, properties in their given order."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def longest(schema: Schema, letter: str = "ж") -> Any:
    """Return the instance of a schema made by the functions above whose JSON is longest; strings of one letter."""
    match schema:
        case {"enum": values}:
            return max(values, key=len)
        case {"type": "string", "maxLength": most}:
            return letter * most
        case {"type": "integer", "minimum": least, "maximum": most}:
            return max(least, most, key=lambda value: len(str(value)))
        case {"type": "array", "items": items, "maxItems": most}:
            return [longest(items, letter)] * most
        case {"type": "object", "properties": properties}:
            return {name: longest(value, letter) for name, value in properties.items()}
    raise ValueError(f"no bound is known for {schema}")


def most_tokens(schema: Schema) -> int:
    """Return how many tokens the longest instance of a schema takes, as compact JSON in Latin or Cyrillic letters."""
    structure = len(compact(longest(schema, letter="")))
    letters = len(compact(longest(schema))) - structure
    return round(letters * TOKENS_A_CHARACTER + structure * TOKENS_A_STRUCTURE_CHARACTER + 0.5)


# --- reading ------------------------------------------------------------------------------------------


def read_object(answer: str) -> dict[str, Any]:
    """Return the JSON object in an answer, whatever stands around it (prose, a code fence, a train of thought).

    Slips that leave no doubt are mended: trailing or missing commas, single quotes, line breaks in strings.
    An object that does not close is no slip, nor is one of which mending would lose or add a letter.
    Raises InvalidAnswer.
    """
    if len(answer) > MOST_CHARACTERS:
        raise InvalidAnswer(f"the answer is longer than {MOST_CHARACTERS:,} characters: repeat nothing")
    said = without_thought(answer)
    start, end = said.find("{"), said.rfind("}") + 1
    if start < 0:
        raise InvalidAnswer("the answer holds no JSON object: begin with { and write nothing else")
    if end <= start:
        raise InvalidAnswer("the JSON object breaks off: close it with }")
    found = _loads(said[start:end])
    if not isinstance(found, dict):
        raise InvalidAnswer("the answer is not one JSON object")
    return found


def without_thought(answer: str) -> str:
    """Return an answer, or its beginning, without the train of thought that some models write first."""
    said = _THOUGHT.sub("", answer)
    begun = said.lstrip()[: len(_THINKING)]
    return "" if begun and _THINKING.startswith(begun) else said


def _loads(body: str) -> Any:
    try:
        return json.loads(body, strict=False)
    except RecursionError:
        raise InvalidAnswer("the JSON is nested too deeply") from None
    except ValueError as error:  # malformed, or a number of thousands of digits
        fault = str(error)
    if not _closes(body):
        raise InvalidAnswer(f"the JSON is malformed or breaks off ({fault}): write it whole")
    if len(body) <= MOST_MENDED_CHARACTERS:
        with suppress(RecursionError, ValueError):
            mended = json_repair.loads(body, skip_json_loads=True)
            if _said(body) == _said(compact(mended)) and not any(map(_DOUBTFUL.search, _strings(mended))):
                return mended
    raise InvalidAnswer(f"the JSON is malformed ({fault}): write it anew")


def _said(body: str) -> str:
    """Return a text without what JSON is held together by: what a repair may neither lose nor add."""
    return _HELD_BY.sub("", body)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


def _closes(body: str) -> bool:
    """Tell whether every bracket outside of double quotes is closed by its own kind, the first by the last one."""
    open_brackets: list[str] = []
    quoted = escaped = False
    last = len(body) - 1
    for place, character in enumerate(body):
        if escaped:
            escaped = False
        elif character == "\\":
            escaped = quoted
        elif character == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif character in "{[":
            open_brackets.append("}" if character == "{" else "]")
        elif character in "}]":
            if not open_brackets or open_brackets.pop() != character:
                return False
            if not open_brackets and place != last:
                return False
    return not open_brackets and not quoted
