"""The calls of a decision on who is who: one a question; an answer that cannot be read sends a repair."""

from dataclasses import dataclass
from typing import ClassVar

from tgrag.graph.verdict import Question, Verdict, read_verdict, verdict_request
from tgrag.index.standing import Ask, Broken, Find, Standing, stand
from tgrag.models.chat import ChatIdentity, call_key
from tgrag.prompts import repair_message
from tgrag.records import Language


@dataclass(frozen=True, slots=True)
class DecisionTask:
    doubt_id: str
    document_id: str
    question: Question

    @property
    def owner(self) -> str:
        return self.document_id


@dataclass(frozen=True, slots=True)
class DecisionMethod:
    """Who is asked, and how. prompt_language: the text's without it."""

    identity: ChatIdentity
    prompt_language: Language | None
    purpose: ClassVar[str] = "resolve"
    task_class: ClassVar[type[DecisionTask]] = DecisionTask

    def standing(self, task: DecisionTask, find: Find) -> Standing[Verdict]:
        """Return how far a decision is."""
        language = self.prompt_language or task.question.language
        request = verdict_request(task.question, language)
        return stand(
            Ask(call_key(self.identity, request), request, "first"),
            self.identity,
            find,
            read_verdict,
            lambda fault: repair_message(fault, language),
            lambda keys: Standing(broken=(Broken("the decision is cut off", keys),)),
        )
