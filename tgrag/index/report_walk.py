"""The calls of the report of a window.

A report is one call. An answer that was cut off is asked for again from half as many facts; one that cannot be read
sends a repair.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal

from tgrag.graph.report_answer import CommunityReport, read_report
from tgrag.graph.reports import WindowFacts, report_request, within
from tgrag.index.standing import Ask, Broken, Find, Standing, stand
from tgrag.models.chat import ChatIdentity, call_key
from tgrag.models.tokenizer import tokenizer
from tgrag.prompts import repair_message
from tgrag.records import Language
from tgrag.settings import ReportSettings

MOST_SHRINKINGS = 2  # a report of a quarter of the facts that is still too long will not become shorter


@dataclass(frozen=True, slots=True)
class ReportTask:
    community_id: str
    document_id: str
    facts: WindowFacts

    @property
    def owner(self) -> str:
        return self.document_id


@dataclass(frozen=True, slots=True)
class ReportMethod:
    """Who is asked about windows, and how. prompt_language: the document's without it. tokenizer: counts facts."""

    identity: ChatIdentity
    settings: ReportSettings
    prompt_language: Language | None
    tokenizer: str
    purpose: ClassVar[str] = "report"
    task_class: ClassVar[type[ReportTask]] = ReportTask

    def standing(self, task: ReportTask, find: Find) -> Standing[CommunityReport]:
        """Return how far the report of a window is."""
        return self._of(task.facts, "first", find, self.settings.max_input_tokens, MOST_SHRINKINGS)

    def _of(
        self, facts: WindowFacts, kind: Literal["first", "smaller"], find: Find, budget: int, shrinkings: int
    ) -> Standing[CommunityReport]:
        """Return how far a report is that is made from what fits a budget of tokens."""
        language = self.prompt_language or facts.language
        shown, used = within(facts, budget, tokenizer(self.tokenizer).count)
        request = report_request(shown, self.settings, language)

        def smaller(keys: tuple[str, ...]) -> Standing[CommunityReport]:
            if shrinkings:
                return self._of(shown, "smaller", find, used // 2, shrinkings - 1)
            reason = (
                f"the report is cut off at {self.settings.max_answer_tokens} tokens even where it is made from a "
                "part of the window; raise report.max_answer_tokens"
            )
            return Standing(broken=(Broken(reason, keys),))

        return stand(
            Ask(call_key(self.identity, request), request, kind),
            self.identity,
            find,
            read_report,
            lambda fault: repair_message(fault, language),
            smaller,
        )
