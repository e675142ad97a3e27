"""Sentences against places labelled by hand (``sentences/README.md`` says how)."""

import json
from pathlib import Path

import pytest

from tgrag.chunk.sentences import sentences

LABELS = Path(__file__).parent / "sentences"
LEAST_F1 = {"ru": 0.99, "uk": 0.985, "en": 0.99}


def places(language, part=None):
    lines = (LABELS / f"{language}.jsonl").read_text("utf-8").splitlines()
    return [place for place in map(json.loads, lines) if part in (None, place["part"])]


def is_cut(place, language):
    start, end = len(place["before"].rstrip()), len(place["before"])
    return any(start <= cut <= end for cut, _ in sentences(place["before"] + place["after"], language))


def f1(labelled, language):
    found = [(is_cut(place, language), place["boundary"]) for place in labelled]
    right = found.count((True, True))
    return 2 * right / (2 * right + found.count((True, False)) + found.count((False, True)))


@pytest.mark.parametrize("language", LEAST_F1)
def test_boundaries_labelled_by_hand(language):
    labelled = places(language)
    assert len(labelled) >= 300
    assert f1(labelled, language) >= LEAST_F1[language]


@pytest.mark.parametrize("language", LEAST_F1)
def test_boundaries_that_the_rules_were_not_tuned_on(language):
    assert f1(places(language, "held out"), language) >= LEAST_F1[language]
