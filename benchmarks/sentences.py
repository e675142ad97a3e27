"""Sentences: our split beside those of libraries, against the places labelled by hand, and how fast each is.

A library that is not installed is left out (``pip install razdel sentencex pysbd blingfire syntok nupunkt tokenize-uk``).
"""

import argparse
import importlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from benchmarks.measure import cpu_seconds, on_one_core, table
from tests.corpus.test_sentences import places, score
from tgrag.chunk.sentences import sentences
from tgrag.records import LANGUAGES, Language

Starts = Callable[[str, Language], Iterable[int]]
_MEGABYTE = 1_000_000
_CHARACTERS = 50_000  # of the text for speed: some libraries take minutes for a megabyte


def _tgrag(_: Any) -> Starts:
    return lambda text, language: (start for start, _ in sentences(text, language))


def _razdel(library: Any) -> Starts:
    return lambda text, _: (sentence.start for sentence in library.sentenize(text))


def _sentencex(library: Any) -> Starts:
    return lambda text, language: (
        found["start_index"] for found in library.get_sentence_boundaries(language, text)
    )


def _syntok(library: Any) -> Starts:
    return lambda text, _: (sentence[0].offset for part in library.process(text) for sentence in part)


def _pysbd(library: Any) -> Starts:
    known = {language: library.Segmenter(language.replace("uk", "ru"), clean=False) for language in LANGUAGES}
    return lambda text, language: _starts(text, known[language].segment(text))


def _blingfire(library: Any) -> Starts:
    return lambda text, _: _starts(text, library.text_to_sentences(text).split("\n"))


def _nupunkt(library: Any) -> Starts:
    return lambda text, _: _starts(text, library.sent_tokenize(text))


def _tokenize_uk(library: Any) -> Starts:
    return lambda text, _: _starts(text, library.tokenize_sents(text))


_SPLITTERS: dict[str, Callable[[Any], Starts]] = {
    "tgrag.chunk.sentences": _tgrag,
    "razdel": _razdel,
    "sentencex": _sentencex,
    "pysbd": _pysbd,
    "blingfire": _blingfire,
    "syntok.segmenter": _syntok,
    "nupunkt": _nupunkt,
    "tokenize_uk": _tokenize_uk,
}


def add_command(commands: Any) -> None:
    """Add ``sentences`` to the benchmarks' command line."""
    command = commands.add_parser("sentences", help="quality and speed of splitting into sentences")
    command.set_defaults(run=_run)


def _run(_: argparse.Namespace) -> None:
    on_one_core()
    print(table(["language", "splitter", "F1", "F1 held out", "false", "missed", "MB/s"], _rows()))


def _rows() -> Iterator[tuple[object, ...]]:
    for name, adapt in _SPLITTERS.items():
        try:
            library = importlib.import_module(name)
        except ImportError:
            continue
        starts = adapt(library)
        for language in LANGUAGES:
            every, held_out = (score(places(language, part), language, starts) for part in (None, "held out"))
            text = _text(language)
            seconds = cpu_seconds(lambda: list(starts(text, language)))  # noqa: B023 (called at once)
            speed = len(text.encode()) / _MEGABYTE / seconds
            yield language, name, every.f1, held_out.f1, every.false, every.missed, speed


def _text(language: Language) -> str:
    """Return the labelled texts as paragraphs, as often as it takes to be long enough."""
    once = "\n\n".join(place["before"] + place["after"] for place in places(language)) + "\n\n"
    return once * (_CHARACTERS // len(once) + 1)


def _starts(text: str, found: Iterable[str]) -> Iterator[int]:
    """Find sentences again in their text."""
    at = 0
    for sentence in map(str.strip, found):
        start = text.find(sentence, at)
        if start >= 0:
            yield start
            at = start + len(sentence)
