"""Whether the prompts are fit to be sent: variables, size, the schema of the answer, in every language."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import jinja2
from pydantic import BaseModel

from tgrag import prompts
from tgrag.errors import ConfigurationError
from tgrag.evaluate.verdicts import Pair, Rubric, Support, pair_schema, rubric_schema, support_schema
from tgrag.extract.graph_answer import GraphAnswer, graph_schema
from tgrag.graph.report_answer import CommunityReport, report_schema
from tgrag.graph.verdict import Verdict, verdict_schema
from tgrag.json_answers import Schema
from tgrag.models.protocols import Tokenizer
from tgrag.models.tokenizer import tokenizer as open_tokenizer
from tgrag.prompts import MalformedPrompt, Prompt, PromptName, parse
from tgrag.records import LANGUAGES, Language
from tgrag.settings import ChunkSettings, ExtractSettings, ReportSettings


@dataclass(frozen=True, slots=True)
class Answer:
    """What a prompt asks for as JSON: the model that reads it and the schema that a server holds it to."""

    model: type[BaseModel]
    schema: Callable[[], Schema]


ANSWERS: Mapping[PromptName, Answer | None] = {
    "extract_graph": Answer(GraphAnswer, lambda: graph_schema(ExtractSettings(reasoning=True))),
    "community_report": Answer(CommunityReport, lambda: report_schema(ReportSettings())),
    "same_entity": Answer(Verdict, verdict_schema),
    "answer_strict": None,  # prose
    "judge_support": Answer(Support, support_schema),
    "judge_rubric": Answer(Rubric, rubric_schema),
    "judge_pair": Answer(Pair, pair_schema),
    "repair": None,  # whatever the request that it mends has asked for
}


@dataclass(frozen=True, slots=True)
class Checked:
    """tokens: of the prompt with its samples; None where it cannot be rendered. faults: for a person."""

    name: PromptName
    language: Language
    tokens: int | None
    max_tokens: int | None
    faults: tuple[str, ...]


def check_files() -> tuple[Checked, ...]:
    """Check every prompt in every language. Raises ConfigurationError when a file cannot be read."""
    files = {
        (name, language): prompts.path(name, language) for name in prompts.NAMES for language in LANGUAGES
    }
    try:
        texts = {
            key: file.read_text(encoding="utf-8") if file.is_file() else None for key, file in files.items()
        }
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"a prompt cannot be read: {error}") from None
    return check(texts, open_tokenizer(ChunkSettings().tokenizer))


def check(
    texts: Mapping[tuple[PromptName, Language], str | None], tokenizer: Tokenizer
) -> tuple[Checked, ...]:
    """Check the texts of prompt files (None: there is no file), in their order."""
    parsed: dict[tuple[PromptName, Language], Prompt] = {}
    faults: dict[tuple[PromptName, Language], list[str]] = {key: [] for key in texts}
    for (name, language), text in texts.items():
        try:
            if text is None:
                raise MalformedPrompt("there is no such file")
            parsed[name, language] = parse(text, name, language)
        except MalformedPrompt as error:
            faults[name, language].append(str(error))
    known: dict[PromptName, set[str]] = {}
    for (name, _), found in parsed.items():
        known[name] = known.get(name, set()) | set(found.variables)
    tokens: dict[tuple[PromptName, Language], int] = {}
    for key, found in parsed.items():
        faults[key] += _variable_faults(found, known[found.name])
        faults[key] += _answer_faults(found)
        try:
            tokens[key] = sum(tokenizer.count(message.content) for message in found.sample())
        except jinja2.TemplateError as error:
            faults[key].append(f"cannot be rendered: {error}")
            continue
        if tokens[key] > found.max_tokens:
            faults[key].append(
                f"{tokens[key]} tokens with its samples, over its max_tokens {found.max_tokens}"
            )
    return tuple(
        Checked(*key, tokens.get(key), parsed[key].max_tokens if key in parsed else None, tuple(faults[key]))
        for key in texts
    )


def _variable_faults(found: Prompt, known: set[str]) -> Iterator[str]:
    used, described = found.used(), set(found.variables)
    for name in sorted(used - described):
        yield f"uses the variable {name}, which its front matter does not describe"
    for name in sorted(described - used):
        yield f"describes the variable {name} and does not use it"
    for name in sorted(known - described):
        yield f"lacks the variable {name}, which it has in another language"


def _answer_faults(found: Prompt) -> Iterator[str]:
    answer = ANSWERS[found.name]
    if answer is None:
        return
    asked = set(answer.schema()["properties"])
    read = {name for name, field in answer.model.model_fields.items() if not field.exclude}
    if asked != read:
        yield f"its schema asks for {', '.join(sorted(asked ^ read))} otherwise than {answer.model.__name__} reads"
    prompt_text = "".join(template for _, template in found.sections)
    for name in sorted(asked):
        if name not in prompt_text:
            yield f"does not name the key {name} of its answer"
