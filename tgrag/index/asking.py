"""One round of asking, whatever it is about: the calls are made, the progress is told and the cost is summed."""

from collections.abc import Sequence

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


def ask_missing(
    stage: str,
    tasks: Sequence[Task],
    n_calls: int,
    method: Method,
    root: Root,
    collection: str,
    settings: Settings,
    budget: Budget,
    report: Report,
    cost: StageCost,
) -> None:
    """Make the calls that tasks are known to need, n_calls in all, and those that follow; add them to the cost."""
    if tasks:
        open_chat(settings.chat)  # what its settings lack is told here and not by a worker
    progress = CallProgress(stage, n_calls, cost.saved, report)
    total = Asked()

    def tell(last: bool = False) -> None:
        tokens = total.tokens_in + total.tokens_out
        progress.tell(total.calls, total.failed, total.followed, tokens, last=last)

    def told(asked: Asked) -> None:
        total.add(asked)
        tell()

    ask_all(tasks, method, root.address, collection, settings, budget, told)
    if tasks:
        tell(last=True)
    cost.calls, cost.attempts = total.calls, total.attempts
    cost.tokens_in, cost.tokens_out = total.tokens_in, total.tokens_out
    cost.repaired, cost.halved = total.repaired, total.halved


def dead_letter(stage: str, document_id: str, source: str, fault: Fault) -> DeadLetter:
    return DeadLetter(stage, document_id, source, fault.key, fault.reason, fault.transient, fault.attempts)
