"""Calls as an OpenAI batch file, and answers from one: for batch APIs, and for ``vllm run-batch``.

A line in: ``{"custom_id": <call key>, "method": "POST", "url": "/v1/chat/completions", "body": {…}}``. A line out:
``{"custom_id": …, "response": {"status_code": 200, "body": {…}}, "error": null}``.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from tgrag.errors import InvalidRequest
from tgrag.index.answers import AnswerMemo, Overlooking
from tgrag.index.memo import Failure
from tgrag.index.progress import Report
from tgrag.index.standing import Method, Task
from tgrag.models.chat import CallFailed, ChatIdentity, ChatReply, ChatRequest
from tgrag.models.chat_wire import read_reply, request_body

NAMED = 10  # lines and ids that are told one by one
PASSING_STATUSES = (408, 409, 425, 429)  # and 500 and above: asking again may help


@dataclass(frozen=True, slots=True)
class Pending:
    """A call to make. owner: the document that pays for it."""

    key: str
    owner: str
    request: ChatRequest


@dataclass(slots=True)
class Taken:
    """What became of the lines of a batch output. known: answered before. unknown: their ids."""

    answers: int = 0
    failures: int = 0
    known: int = 0
    unknown: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)

    def followed_by(self, later: "Taken") -> "Taken":
        """Return what became of a file that was read again for other calls."""
        strange = set(later.unknown)
        return Taken(
            self.answers + later.answers,
            self.failures + later.failures,
            self.known,
            [key for key in self.unknown if key in strange],
            self.unreadable,
        )

    def lines(self, path: str) -> list[str]:
        told = f"{path}: {self.answers} answers taken in, {self.failures} failures, {self.known} known before"
        lines = [told]
        for what, items in (
            ("call this collection does not wait for", self.unknown),
            ("line", self.unreadable),
        ):
            if items:
                more = f" and {len(items) - NAMED} more" if len(items) > NAMED else ""
                lines.append(f"  left out, {len(items)} × {what}: {', '.join(items[:NAMED])}{more}")
        return lines


class Written(BaseModel):
    """A batch file that was written."""

    file: str
    calls: int

    def lines(self) -> list[str]:
        if not self.calls:
            return [f"{self.file}: no call is pending; `tgrag index` publishes"]
        return [
            f"{self.file}: {self.calls:,} calls written; take their answers in with --read-batch FILE",
            "nothing was called and nothing published",
        ]


def pending_calls(tasks: Iterable[Task], memo: AnswerMemo | Overlooking, method: Method) -> Iterator[Pending]:
    """Return the calls that tasks wait for, each once, in the order of the tasks."""
    seen: set[str] = set()
    for task in tasks:
        for ask in method.standing(task, memo.get).next:
            if ask.key not in seen and memo.is_outstanding(ask.key):
                seen.add(ask.key)
                yield Pending(ask.key, task.owner, ask.request)


def accepted(taken: Taken, path: str, report: Report) -> None:
    """Say what became of a batch output. Raises InvalidRequest when it has no line about this collection."""
    for line in taken.lines(path):
        report(line)
    if not (taken.answers or taken.failures or taken.known):
        raise InvalidRequest(
            f"{path} answers no call of this collection: is it the output of a batch that was written for these "
            "documents with these settings?"
        )


def check_readable(path: str) -> None:
    """Raise InvalidRequest when there is no such file."""
    try:
        Path(path).open("rb").close()
    except OSError as error:
        raise InvalidRequest(f"cannot read {path}: {error.strerror}") from None


def check_writable(path: str) -> None:
    """Raise InvalidRequest when no file can be written there."""
    folder = Path(path).parent
    if Path(path).is_dir():
        raise InvalidRequest(f"cannot write {path}: it is a folder")
    if not (folder.is_dir() and os.access(folder, os.W_OK)):
        raise InvalidRequest(f"cannot write {path}: {folder} is no folder that can be written to")


def write_batch(path: str, calls: Iterable[Pending], identity: ChatIdentity) -> int:
    """Write calls as a batch file, which appears as a whole; return how many. Raises InvalidRequest."""
    target = Path(path)
    part = target.with_name(target.name + ".part")
    n_calls = 0
    try:
        with part.open("w", encoding="utf-8") as file:
            for call in calls:
                body = request_body(call.request, identity)
                line = {
                    "custom_id": call.key,
                    "method": "POST",
                    "url": "/v1/chat/completions",
                    "body": body,
                }
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
                n_calls += 1
        part.replace(target)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise InvalidRequest(f"cannot write {path}: {error.strerror}") from None
    return n_calls


def read_batch(path: str, owners: Mapping[str, str], memo: AnswerMemo) -> Taken:
    """Store the answers and failures of a batch output. owners: of the calls that are waited for, by key.

    Raises InvalidRequest when the file cannot be read.
    """
    taken = Taken()
    known = memo.known()
    try:
        with Path(path).open("rb") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    _take(line, number, owners, known, memo, taken)
    except OSError as error:
        raise InvalidRequest(f"cannot read {path}: {error.strerror}") from None
    return taken


def _take(
    line: bytes, number: int, owners: Mapping[str, str], known: set[str], memo: AnswerMemo, taken: Taken
) -> None:
    try:
        row = json.loads(line)
        key = row["custom_id"]
    except (ValueError, KeyError, TypeError):
        taken.unreadable.append(f"{number} (no JSON object with a custom_id)")
        return
    if not (row.get("response") or row.get("error")):
        taken.unreadable.append(f"{number} (neither a response nor an error)")
        return
    if not isinstance(key, str) or key not in owners:
        if key in known:
            taken.known += 1
        else:
            taken.unknown.append(str(key))
        return
    if key in known:
        taken.known += 1
        return
    outcome = _outcome(row)
    if isinstance(outcome, ChatReply):
        memo.put(owners[key], key, outcome)
        known.add(key)
        taken.answers += 1
    else:
        memo.put_failure(owners[key], key, outcome)
        taken.failures += 1


def _outcome(row: Mapping[str, Any]) -> ChatReply | Failure:
    """Return what a line says became of a call."""
    response, error = row.get("response"), row.get("error")
    status = response.get("status_code") if isinstance(response, dict) else None
    if error or status != 200 or not isinstance(response, dict):
        said = error or (response.get("body") if isinstance(response, dict) else response) or "no answer"
        passing = not isinstance(status, int) or status in PASSING_STATUSES or status >= 500
        return Failure(f"batch: {json.dumps(said, ensure_ascii=False)[:300]}", passing)
    try:
        return read_reply(response.get("body") or {})
    except CallFailed as failure:
        return Failure(failure.reason, failure.transient)
