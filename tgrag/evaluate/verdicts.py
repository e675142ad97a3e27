"""What a judge is asked and what it answers: statements supported by a context, a grade, the better of two answers."""

from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tgrag.json_answers import (
    Schema,
    answer_schema,
    array,
    choice,
    most_tokens,
    number,
    read_object,
    record,
    text,
)
from tgrag.language import detect
from tgrag.models.chat import ChatRequest, InvalidAnswer
from tgrag.prompts import PromptName, prompt

STATEMENTS = 20
STATEMENT_CHARACTERS = 300
REASON_CHARACTERS = 300
BEST_SCORE = 5

V = TypeVar("V", bound="Verdict")


class Verdict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Statement(Verdict):
    statement: str
    supported: Literal["yes", "no"]


class Support(Verdict):
    """The statements of a text, each with whether the context supports it."""

    statements: list[Statement] = Field(max_length=STATEMENTS)

    @property
    def share(self) -> float | None:
        """Return the share of the statements that are supported; None without a statement."""
        if not self.statements:
            return None
        return sum(each.supported == "yes" for each in self.statements) / len(self.statements)


class Rubric(Verdict):
    reason: str
    score: int = Field(ge=1, le=BEST_SCORE)

    @property
    def share(self) -> float:
        """Return the grade as a number from 0 to 1."""
        return (self.score - 1) / (BEST_SCORE - 1)


class Pair(Verdict):
    """Of two answers shown one after the other."""

    reason: str
    better: Literal["first", "second", "tie"]


def support_schema() -> Schema:
    statement = record(statement=text(STATEMENT_CHARACTERS), supported=choice(("yes", "no")))
    return record(statements=array(statement, STATEMENTS))


def rubric_schema() -> Schema:
    return record(reason=text(REASON_CHARACTERS), score=number(1, BEST_SCORE))


def pair_schema() -> Schema:
    return record(reason=text(REASON_CHARACTERS), better=choice(("first", "second", "tie")))


def support_request(statements_of: str, context: str) -> ChatRequest:
    """Ask which statements of a text a context supports."""
    return _request("judge_support", support_schema(), statements_of, text=statements_of, context=context)


def rubric_request(question: str, reference: str, answer: str) -> ChatRequest:
    """Ask for a grade of an answer."""
    return _request(
        "judge_rubric", rubric_schema(), question, question=question, reference=reference, answer=answer
    )


def pair_request(question: str, reference: str, first: str, second: str) -> ChatRequest:
    """Ask which of two answers is better."""
    values = {"question": question, "reference": reference, "first": first, "second": second}
    return _request("judge_pair", pair_schema(), question, **values)


def _request(name: PromptName, schema: Schema, speaks: str, **values: Any) -> ChatRequest:
    messages = prompt(name, detect(speaks)).messages(**values)
    return ChatRequest(messages, most_tokens(schema), answer_schema(name, schema))


def read_verdict(kind: type[V], answer: str) -> V:
    """Read a judge's answer. Raises InvalidAnswer, saying what to mend."""
    try:
        return kind.model_validate(read_object(answer))
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, f['loc']))}: {f['msg']}" for f in error.errors())
        raise InvalidAnswer(faults) from None
