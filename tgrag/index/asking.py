"""One round of asking, whatever it is about: the calls are made, the progress is told and the cost is summed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tgrag.index.answers import AnswerMemo
from tgrag.index.ask_units import Asked, ask_all
from tgrag.index.budget import Budget
from tgrag.index.manifest import StageCost
from tgrag.index.progress import CallProgress, Report
from tgrag.index.read_units import Fault
from tgrag.index.standing import Method, Task
from tgrag.models.chats import open_chat
from tgrag.records import DeadLetter
from tgrag.settings import Settings
from tgrag.store.root import Root


@dataclass(frozen=True, slots=True)
class Asking:
    """What every stage that asks a language model goes by. sources: document_id -> source, for dead letters."""

    root: Root
    collection: str
    settings: Settings
    sources: Mapping[str, str]
    report: Report

    def memo(self) -> AnswerMemo:
        """Return the stored answers as they are now."""
        return AnswerMemo(self.root, self.collection)

    def ask(
        self,
        stage: str,
        tasks: Sequence[Task],
        n_calls: int,
        method: Method,
        budget: Budget,
        cost: StageCost,
    ) -> None:
        """Make the calls that tasks are known to need, n_calls in all, and those that follow; add them to the cost."""
        if tasks:
            open_chat(self.settings.chat)  # what its settings lack is told here and not by a worker
        progress = CallProgress(stage, n_calls, cost.saved, self.report)
        total = Asked()

        def tell(last: bool = False) -> None:
            tokens = total.tokens_in + total.tokens_out
            progress.tell(total.calls, total.failed, total.followed, tokens, last=last)

        def told(asked: Asked) -> None:
            total.add(asked)
            tell()

        ask_all(tasks, method, self.root.address, self.collection, self.settings, budget, told)
        if tasks:
            tell(last=True)
        cost.calls, cost.attempts = total.calls, total.attempts
        cost.tokens_in, cost.tokens_out = total.tokens_in, total.tokens_out
        cost.repaired, cost.halved = total.repaired, total.halved

    def dead_letter(self, stage: str, document_id: str, fault: Fault) -> DeadLetter:
        source = self.sources[document_id]
        return DeadLetter(
            stage, document_id, source, fault.key, fault.reason, fault.transient, fault.attempts
        )
