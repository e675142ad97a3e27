"""«Что было в третьей главе?»: the sentences that sum up the places a question names, without a model.

Each equal part of the place gives the sentence whose words are the most frequent in the whole place (Nenkova and
Vanderwende's SumBasic), so the quotes follow its course.
"""

from collections import Counter

import numpy as np

from tgrag.language import lemma, words
from tgrag.search.hints import unit_bonus
from tgrag.search.passages import Sentence, split
from tgrag.search.question import Question
from tgrag.search.terms import is_stop_word
from tgrag.search.view import View

MAX_UNITS = 24  # read of a long place, evenly spread
FULL_SENTENCE = 8  # content words; a shorter sentence sums up little


def digest(question: Question, view: View, n: int) -> list[Sentence]:
    """Return up to n sentences of the visible text units that the question's hints name, in story order."""
    rows = np.flatnonzero(view.units & (unit_bonus(question.hints, view) > 0))
    if not len(rows):
        return []
    spread = np.unique(np.linspace(0, len(rows) - 1, min(MAX_UNITS, len(rows))).round().astype(int))
    found = [sentence for unit in view.text_units(rows[spread].tolist()) for sentence in split(unit)]
    content = [_content(sentence) for sentence in found]
    frequency = Counter(word for listed in content for word in listed)
    parts = np.array_split(np.arange(len(found)), min(n, len(found)))

    def weight(place: int) -> tuple[float, int]:
        listed = content[place]
        mean = sum(frequency[word] for word in listed) / max(len(listed), FULL_SENTENCE)
        return round(mean, 6), -place

    return [found[max(part.tolist(), key=weight)] for part in parts]


def _content(sentence: Sentence) -> set[str]:
    language = sentence.unit.language
    return {lemma(word, language) for word in words(sentence.text) if not is_stop_word(word)}
