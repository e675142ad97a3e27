"""Sentences against places labelled by hand (``sentences/README.md`` says how)."""

import json
from pathlib import Path
from typing import NamedTuple

import pytest

from tgrag.chunk.sentences import sentences

LABELS = Path(__file__).parent / "sentences"
LEAST_F1 = {"ru": 0.99, "uk": 0.985, "en": 0.99}


class Score(NamedTuple):
    """right: boundaries found. false: cuts that are none. missed: boundaries that were not found."""

    right: int
    false: int
    missed: int

    @property
    def f1(self):
        return 2 * self.right / (2 * self.right + self.false + self.missed)


def places(language, part=None):
    """Return the labelled places of a language, or those of one part of them."""
    lines = (LABELS / f"{language}.jsonl").read_text("utf-8").splitlines()
    return [place for place in map(json.loads, lines) if part in (None, place["part"])]


def score(labelled, language, starts):
    """Score a function that gives the starts of the sentences of a text."""
    found = [(is_cut(place, language, starts), place["boundary"]) for place in labelled]
    return Score(found.count((True, True)), found.count((True, False)), found.count((False, True)))


def is_cut(place, language, starts):
    start, end = len(place["before"].rstrip()), len(place["before"])
    return any(start <= cut <= end for cut in starts(place["before"] + place["after"], language))


def ours(text, language):
    return [start for start, _ in sentences(text, language)]


@pytest.mark.parametrize("language", LEAST_F1)
def test_boundaries_labelled_by_hand(language):
    labelled = places(language)
    assert len(labelled) >= 300
    assert score(labelled, language, ours).f1 >= LEAST_F1[language]


@pytest.mark.parametrize("language", LEAST_F1)
def test_boundaries_that_the_rules_were_not_tuned_on(language):
    assert score(places(language, "held out"), language, ours).f1 >= LEAST_F1[language]
