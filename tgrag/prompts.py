"""The prompts: Markdown files, one a language and name, rendered to the messages of a chat request.

A file has a YAML front matter (``name``; ``max_tokens``: the largest size of the prompt rendered with its samples;
``variables``: what each one means and a sample) and a body of sections headed ``# system`` and ``# user``, each
a Jinja template. A variable that is not given is an error. What comes from documents is never read as template
nor as mark-up: a tag in it that could end its place in the prompt, or a model's turn, loses its bracket.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal, get_args

import jinja2
import yaml
from jinja2 import meta

from tgrag.hashing import stable_hash
from tgrag.models.chat import ChatMessage
from tgrag.records import LANGUAGES, Language

PromptName = Literal[
    "extract_graph",
    "community_report",
    "same_entity",
    "answer_strict",
    "repair",
    "judge_support",
    "judge_rubric",
    "judge_pair",
]
NAMES: tuple[PromptName, ...] = get_args(PromptName)

_PACKAGED = Path(__file__).parent / "prompt_texts"  # in a wheel; a checkout has them beside the package
FOLDER = _PACKAGED if _PACKAGED.is_dir() else Path(__file__).parents[1] / "prompts"

_FILE = re.compile(r"\A---\n(?P<front>.*?)\n---\n(?P<body>.*)\Z", re.DOTALL)
_SECTION = re.compile(r"^# (system|user)\n", re.MULTILINE)
_TAG = re.compile(
    r"<(?=\s*/?\s*(?:text|before|context|entities|relationships|question|reference|answer|first|second|s|bos|eos|(?:start|end)_of_turn)\s*>|\|)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Variable:
    means: str
    sample: Any


@dataclass(frozen=True, slots=True)
class Prompt:
    """sections: role and template, in order. max_tokens: of the messages rendered with the samples."""

    name: PromptName
    language: Language
    max_tokens: int
    variables: Mapping[str, Variable]
    sections: tuple[tuple[Literal["system", "user"], str], ...]

    def messages(self, **values: Any) -> tuple[ChatMessage, ...]:
        """Render. Raises jinja2.UndefinedError when a variable that is used is not given."""
        return tuple(
            ChatMessage(role, _template(template).render(values).strip()) for role, template in self.sections
        )

    def sample(self) -> tuple[ChatMessage, ...]:
        return self.messages(**{name: variable.sample for name, variable in self.variables.items()})

    def used(self) -> set[str]:
        """Return the names of the variables that the templates read."""
        return {
            name
            for _, template in self.sections
            for name in meta.find_undeclared_variables(_ENVIRONMENT.parse(template))
        }


class MalformedPrompt(ValueError):
    """A prompt file that is not as it has to be; the text says where and why."""


@cache
def prompt(name: PromptName, language: Language) -> Prompt:
    """Return a prompt, read once a process. Raises MalformedPrompt."""
    return parse(path(name, language).read_text(encoding="utf-8"), name, language)


def path(name: PromptName, language: Language) -> Path:
    return FOLDER / language / f"{name}.md"


def parse(text: str, name: PromptName, language: Language) -> Prompt:
    """Read the text of a prompt file. Raises MalformedPrompt."""
    file = _FILE.match(text)
    if not file:
        raise MalformedPrompt("no front matter between two lines of ---")
    try:
        front = yaml.safe_load(file["front"])
        if front["name"] != name:
            raise MalformedPrompt(f"the front matter names it {front['name']!r}")
        variables = {key: Variable(str(v["means"]), v["sample"]) for key, v in front["variables"].items()}
        max_tokens = int(front["max_tokens"])
    except (yaml.YAMLError, KeyError, TypeError, AttributeError) as error:
        raise MalformedPrompt(f"front matter: {type(error).__name__}: {error}") from None
    before, *parts = _SECTION.split(file["body"])
    roles: list[Any] = parts[::2]
    if before.strip() or roles not in (["system", "user"], ["user"]):
        raise MalformedPrompt("the body has to be a section `# system` (or none) and a section `# user`")
    for template in parts[1::2]:
        try:
            _ENVIRONMENT.parse(template)
        except jinja2.TemplateSyntaxError as error:
            raise MalformedPrompt(f"not a template: {error.message}") from None
    return Prompt(name, language, max_tokens, variables, tuple(zip(roles, parts[1::2], strict=True)))


def fingerprint(name: PromptName) -> str:
    """Return the hash of a prompt in all its languages: a part of the recipe of what is made with it."""
    return stable_hash([path(name, language).read_text(encoding="utf-8") for language in LANGUAGES])


def repair_message(fault: str, language: Language) -> str:
    """Return the message that asks a model to mend its last answer. fault: what is wrong with it."""
    (message,) = prompt("repair", language).messages(fault=fault)
    return message.content


def _inert(value: Any) -> Any:
    return _TAG.sub("&lt;", value) if isinstance(value, str) else value


_ENVIRONMENT = jinja2.Environment(
    undefined=jinja2.StrictUndefined,
    finalize=_inert,
    autoescape=False,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)


@lru_cache(maxsize=64)
def _template(source: str) -> jinja2.Template:
    return _ENVIRONMENT.from_string(source)
