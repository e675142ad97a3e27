"""What the prompt ``extract_graph`` is answered with: its model, its bounded schema, and how it is read."""

import math
import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from tgrag.errors import ConfigurationError
from tgrag.json_answers import Schema, array, choice, most_tokens, number, read_object, record, text
from tgrag.models.chat import InvalidAnswer
from tgrag.settings import ExtractSettings

EntityType = Literal["PERSON", "PLACE", "ORGANIZATION", "EVENT", "OBJECT", "CONCEPT", "NAME"]
RelationshipType = Literal["OPERATIONAL", "FACTUAL", "NARRATIVE"]
ENTITY_TYPES = ("PERSON", "PLACE", "ORGANIZATION", "EVENT", "OBJECT", "CONCEPT")  # those that are asked for
RELATIONSHIP_TYPES = ("OPERATIONAL", "FACTUAL", "NARRATIVE")  # the source article's, by priority
UNTYPED = "NAME"  # an entity of unknown kind, as fast extraction calls it

NAME_CHARACTERS = 60
DESCRIPTION_CHARACTERS = 240
REASONING_CHARACTERS = 400
LEAST_NAME_CHARACTERS = 20  # a bound below this cuts names of two words

_SAME_TYPE = {"LOCATION": "PLACE", "ORGANISATION": "ORGANIZATION", "ORG": "ORGANIZATION", "PEOPLE": "PERSON"}
_QUOTES = ("«»", "“”", "„“", "„”", '""', "''", "‘’", "``")
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


def clean(value: Any) -> Any:
    """Return a string with single spaces and nothing unprintable; what is no string as it is."""
    return " ".join(_UNPRINTABLE.sub("", value).split()) if isinstance(value, str) else value


def unquoted(value: Any) -> Any:
    """Return a clean name without the quotes around all of it; quotes that belong to a part of it stay."""
    name = clean(value)
    while isinstance(name, str) and len(name) > 1:
        left, inner, right = name[0], name[1:-1], name[-1]
        if left + right not in _QUOTES or left in inner or right in inner:
            break
        name = inner.strip()
    return name


def _entity_type(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    named = value.strip().upper()
    known = _SAME_TYPE.get(named, named)
    return known if known in ENTITY_TYPES else UNTYPED


def _upper(value: Any) -> Any:
    return value.strip().upper() if isinstance(value, str) else value


def _strength(value: Any) -> int:
    try:
        given = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        given = math.nan
    if not math.isfinite(given):
        raise ValueError("no number")
    return min(10, max(1, round(given)))


Name = Annotated[str, BeforeValidator(unquoted), Field(min_length=1)]
Text = Annotated[str, BeforeValidator(clean), Field(min_length=1)]


class _Answer(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", coerce_numbers_to_str=True)


class GraphEntity(_Answer):
    """type: NAME where the model named a kind that was not asked for."""

    name: Name
    type: Annotated[EntityType, BeforeValidator(_entity_type)]
    description: Text


class GraphRelationship(_Answer):
    """strength: 1 to 10, a number beyond it brought to the nearer end."""

    source: Name
    target: Name
    description: Text
    type: Annotated[RelationshipType, BeforeValidator(_upper)]
    strength: Annotated[int, BeforeValidator(_strength)]


Item = TypeVar("Item", GraphEntity, GraphRelationship)


class GraphAnswer(_Answer):
    """dropped: of every item that was left out its reason; no part of what is asked for."""

    reasoning: str = ""
    entities: tuple[GraphEntity, ...]
    relationships: tuple[GraphRelationship, ...]
    dropped: tuple[str, ...] = Field((), exclude=True)


def read_graph(answer: str) -> GraphAnswer:
    """Read a model's answer item by item: a bad entity or relationship is left out alone, with its reason.

    Raises InvalidAnswer, saying what to mend, when there is no JSON object with at least one of the two lists,
    or when the lists hold items and not one is good.
    """
    found = read_object(answer)
    if not any(isinstance(found.get(name), list) for name in ("entities", "relationships")):
        raise InvalidAnswer('the lists "entities" and "relationships" are missing from the JSON object')
    dropped: list[str] = []
    entities = tuple(_good(GraphEntity, "entity", found.get("entities"), dropped))
    relationships = tuple(_good(GraphRelationship, "relationship", found.get("relationships"), dropped))
    if dropped and not entities and not relationships:
        raise InvalidAnswer(f"no item is as asked: {'; '.join(sorted(set(dropped)))}")
    reasoning = clean(found.get("reasoning"))
    return GraphAnswer(
        reasoning=reasoning if isinstance(reasoning, str) else "",
        entities=entities,
        relationships=relationships,
        dropped=tuple(dropped),
    )


def _good(model: type[Item], kind: str, items: Any, dropped: list[str]) -> Iterator[Item]:
    if not isinstance(items, list):
        if items is not None:
            dropped.append(f"{kind}: the list is no list")
        return
    for item in items:
        try:
            yield model.model_validate(item)
        except ValidationError as error:
            dropped.append(f"{kind}: {_fault(error)}")


def _fault(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    return ": ".join((*map(str, first["loc"]), first["msg"]))


def graph_schema(settings: ExtractSettings) -> Schema:
    """Return the JSON schema of an answer, its strings so bounded that the longest fits ``max_answer_tokens``.

    Raises ConfigurationError when that leaves no room for names.
    """
    n_entities, n_relationships = settings.max_entities, settings.max_relationships
    reasoning = min(REASONING_CHARACTERS, settings.max_answer_tokens // 8) if settings.reasoning else 0
    structure = most_tokens(_schema(settings, 0, 0, 0))
    room = settings.max_answer_tokens - structure - reasoning
    name = min(NAME_CHARACTERS, room // (3 * n_entities + 4 * n_relationships))
    if name < LEAST_NAME_CHARACTERS:
        raise ConfigurationError(
            f"extract.max_answer_tokens is {settings.max_answer_tokens}, too few for {n_entities} entities and "
            f"{n_relationships} relationships: raise it, or lower extract.max_entities and max_relationships"
        )
    left = room - name * (n_entities + 2 * n_relationships)
    description = min(DESCRIPTION_CHARACTERS, left // (n_entities + n_relationships))
    return _schema(settings, name, description, reasoning)


def _schema(settings: ExtractSettings, name: int, description: int, reasoning: int) -> Schema:
    entity = record(name=text(name), type=choice(ENTITY_TYPES), description=text(description))
    relationship = record(
        source=text(name),
        target=text(name),
        description=text(description),
        type=choice(RELATIONSHIP_TYPES),
        strength=number(1, 10),
    )
    graph = {
        "entities": array(entity, settings.max_entities),
        "relationships": array(relationship, settings.max_relationships),
    }
    return record(reasoning=text(reasoning), **graph) if settings.reasoning else record(**graph)
