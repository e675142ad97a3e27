"""The dead letters of a published version: listed, looked at, chosen for another try."""

from collections.abc import Sequence

from pydantic import BaseModel

from tgrag.errors import InvalidRequest
from tgrag.index.answers import AnswerMemo
from tgrag.index.catalog import Collection
from tgrag.records import DeadLetter

ID_CHARACTERS = 12  # of a key, as lists show it
ASKED = ("extract", "resolve", "reports")  # stages that call the language model


class Letters(BaseModel):
    collection: str
    version_id: str
    dead_letters: list[DeadLetter]

    def lines(self) -> list[str]:
        if not self.dead_letters:
            return [f"no dead letters in version {self.version_id} of {self.collection!r}"]
        return [
            f"{letter.key[:ID_CHARACTERS]}  {letter.stage}  {letter.source}  {_standing(letter)}: {letter.reason}"
            for letter in self.dead_letters
        ]


class Letter(BaseModel):
    """answer: what the model said, None when it said nothing."""

    letter: DeadLetter
    answer: str | None

    def lines(self) -> list[str]:
        letter = self.letter
        lines = [
            f"{letter.key}",
            f"stage {letter.stage}, {letter.source}",
            f"{_standing(letter)}: {letter.reason}",
        ]
        return lines if self.answer is None else [*lines, "", "the model answered:", self.answer]


def letters_of(collection: Collection) -> Letters:
    """Return all dead letters. Raises NoVersion."""
    version_id = collection.require_current().version_id
    letters = collection.dead_letters(version_id)
    return Letters(collection=collection.name, version_id=version_id, dead_letters=letters)


def letter_of(collection: Collection, beginning: str) -> Letter:
    """Return the one dead letter whose id begins so. Raises InvalidRequest."""
    (letter,) = _chosen(letters_of(collection).dead_letters, [beginning])
    reply = AnswerMemo(collection.root, collection.name).get(letter.key)
    return Letter(letter=letter, answer=reply.text if reply else None)


def retried_keys(collection: Collection, beginnings: Sequence[str] | None) -> set[str]:
    """Return the keys of the language model's dead letters, of all or of those whose ids begin so.

    Raises InvalidRequest when there is none, or one of another stage is named.
    """
    letters = letters_of(collection).dead_letters
    if beginnings is not None:
        letters = _chosen(letters, beginnings)
        parsed = [letter.source for letter in letters if letter.stage == "parse"]
        if parsed:
            raise InvalidRequest(
                f"{', '.join(parsed)}: a file that could not be parsed is not stored; try it again with "
                "`tgrag index PATH --retry-failed`"
            )
    keys = {letter.key for letter in letters if letter.stage in ASKED}
    if not keys:
        raise InvalidRequest("no call of the language model has failed; there is nothing to retry")
    return keys


def _chosen(letters: Sequence[DeadLetter], beginnings: Sequence[str]) -> list[DeadLetter]:
    chosen = []
    for beginning in beginnings:
        matches = [letter for letter in letters if letter.key.startswith(beginning)]
        if len(matches) != 1:
            what = "several dead letters begin" if matches else "no dead letter begins"
            raise InvalidRequest(f"{what} with {beginning!r}; `tgrag dead-letters list` shows them")
        chosen += matches
    return chosen


def _standing(letter: DeadLetter) -> str:
    again = "tried again by the next run" if letter.transient else "tried again only on request"
    return f"{letter.attempts} attempts, {again}"
