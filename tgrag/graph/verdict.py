"""Whether two names are one entity's: what a language model is asked, and what it answers.

A question tells of the two names' own text units up to one place of one document and of nothing else, so no edit of
another unit pays for it again, and the text after that place cannot reach the answer.
"""

from dataclasses import dataclass
from functools import cache
from typing import Annotated, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from tgrag.hashing import stable_hash
from tgrag.json_answers import Schema, answer_schema, choice, most_tokens, read_object, record, text
from tgrag.models.chat import AnswerSchema, ChatRequest, InvalidAnswer
from tgrag.prompts import fingerprint, prompt
from tgrag.records import Language

VERDICT_VERSION = 1  # raised by hand whenever the same answers would become other decisions
REASON_CHARACTERS = 240

Decision = Literal["same", "different", "unclear"]
Text = Annotated[
    str, BeforeValidator(lambda value: " ".join(value.split()) if isinstance(value, str) else value)
]


@dataclass(frozen=True, slots=True)
class Candidate:
    """What is told of a name. names: it and those that are known to be the same; facts, quotes: in reading order."""

    names: tuple[str, ...]
    type: str
    facts: tuple[str, ...]
    quotes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """Whether two names are one entity's."""

    first: Candidate
    second: Candidate
    language: Language


class Verdict(BaseModel):
    """reason: one sentence, in the language of the text."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    reason: Text = Field(min_length=1)
    verdict: Annotated[
        Decision, BeforeValidator(lambda value: value.lower() if isinstance(value, str) else value)
    ]


def verdict_request(question: Question, language: Language) -> ChatRequest:
    """Return the request that puts a question. language: of the prompt."""
    messages = prompt("same_entity", language).messages(first=question.first, second=question.second)
    return ChatRequest(messages, most_tokens(verdict_schema()), _schema())


def read_verdict(answer: str) -> Verdict:
    """Read a model's answer. Raises InvalidAnswer, saying what to mend."""
    try:
        return Verdict.model_validate(read_object(answer))
    except ValidationError as error:
        faults = "; ".join(f"{fault['loc'][0]}: {fault['msg']}" for fault in error.errors())
        raise InvalidAnswer(faults) from None


def recipe() -> str:
    """Return the hash of all but the model that decisions depend on: prompt, schema and the rules here."""
    return stable_hash(VERDICT_VERSION, fingerprint("same_entity"), _schema().json)


def verdict_schema() -> Schema:
    return record(reason=text(REASON_CHARACTERS), verdict=choice(get_args(Decision)))


@cache
def _schema() -> AnswerSchema:
    return answer_schema("same_entity", verdict_schema())
