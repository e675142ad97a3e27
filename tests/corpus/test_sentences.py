"""Sentences against places labelled by hand (``sentences/README.md`` says how)."""

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.data import SHARED
from tgrag.chunk.sentences import sentences
from tgrag.ingest.parse import parse

LABELS = Path(__file__).parent / "sentences"
CONTEXT, WIDE = 40, 200  # characters on each side: that the digest is of, that are judged by
LEAST_F1 = {"ru": 0.99, "uk": 0.985, "en": 0.99}


class Score(NamedTuple):
    """right: boundaries found. false: cuts that are none. missed: boundaries that were not found."""

    right: int
    false: int
    missed: int

    @property
    def f1(self):
        return 2 * self.right / (2 * self.right + self.false + self.missed)


def labels(language):
    lines = (LABELS / f"{language}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def places(language, part=None):
    """Return the labelled places of a language that can be read here, or those of one part of them."""
    chosen = [label for label in labels(language) if part in (None, label["part"])]
    files = {label["file"] for label in chosen if "file" in label and (SHARED / label["file"]).exists()}
    wanted = {label["digest"] for label in chosen if "file" in label}
    found = {digest: place for file in files for digest, place in _located(file, frozenset(wanted)).items()}
    lost = [label for label in chosen if label.get("file") in files and label["digest"] not in found]
    assert not lost, "these texts are read otherwise than when they were labelled"
    return [
        label | found.get(label.get("digest"), {})
        for label in chosen
        if "file" not in label or label["file"] in files
    ]


@cache
def _located(file, digests):
    """Return the text around the labelled places of a file, by digest."""
    found = {}
    for text in map(" ".join, map(str.split, _texts(SHARED / file))):
        for place in range(1, len(text)):
            if text[place - 1].isalnum():
                continue
            before, after = text[max(0, place - CONTEXT) : place].rstrip(), text[place : place + CONTEXT]
            digest = hashlib.sha256(f"{before}|{after}".encode()).hexdigest()[:16]
            if digest in digests:
                wide = {"before": text[max(0, place - WIDE) : place], "after": text[place : place + WIDE]}
                found.setdefault(digest, wide)
    return found


def _texts(path):
    if path.suffix == ".jsonl":
        for line in path.read_text("utf-8").splitlines():
            yield from (value for value in json.loads(line).values() if isinstance(value, str))
    else:
        yield from (element.text for element in parse(path.name, path.read_bytes()).elements)


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
    assert len(labels(language)) >= 300
    assert score(labelled, language, ours).f1 >= LEAST_F1[language]


@pytest.mark.parametrize("language", LEAST_F1)
def test_boundaries_that_the_rules_were_not_tuned_on(language):
    assert score(places(language, "held out"), language, ours).f1 >= LEAST_F1[language]
