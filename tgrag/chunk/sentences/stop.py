"""A place where a sentence may end, with what is known of it."""

from dataclasses import dataclass

LEFT = 60  # characters of the sentence that are looked at, on either side
_EDGES = "«»“”„\"'’‘()[]{}*_`—–-,;:"


@dataclass(frozen=True, slots=True)
class Stop:
    """A mark that may end a sentence.

    before: the last characters of the sentence, without the mark. mark: «.», «?!», «…» and the like; closing: quotes
    and brackets after it. opening: what stands before the next word; word: that word; after: what follows it.
    """

    before: str
    mark: str
    closing: str
    opening: str
    word: str
    after: str

    def last_words(self) -> tuple[str, str]:
        """Return the last word but one and the last word of the sentence, each with its inner and final stops."""
        parts = self.before.split()
        last = parts[-1] if parts and not self.before[-1].isspace() else ""
        return (parts[-2] if len(parts) > 1 else ""), last.lstrip(_EDGES)

    @property
    def is_before_initial(self) -> bool:
        """Whether the next word is one capital letter with a full stop."""
        return len(self.word) == 1 and self.word.isupper() and self.after.startswith(".")
