"""The benchmarks' own parts; what they measure is not asserted anywhere."""

import json
from argparse import ArgumentParser

import pytest

from benchmarks import parse
from benchmarks.measure import table
from benchmarks.samples import Group, text_of
from tests.unit.ingest.samples import RUSSIAN


def test_tables_are_markdown() -> None:
    assert table(("a", "bb"), [(1.23456, None), ("x", 12345.6)]).split("\n") == [
        "| a    | bb    |",
        "| ---- | ----- |",
        "| 1.23 |       |",
        "| x    | 12346 |",
    ]


def test_texts_have_the_size_asked_for() -> None:
    assert len(text_of(0.2)) == 200_000


def test_parse_prints_what_it_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(parse, "groups", lambda: [Group("txt", "made", (("a.txt", RUSSIAN.encode()),))])
    monkeypatch.setattr(parse, "on_one_core", lambda: None)
    parser = ArgumentParser()
    parse.add_command(parser.add_subparsers())
    arguments = parser.parse_args(["parse", "--json", "--sizes", "0.05", "--pages", "0"])
    arguments.run(arguments)
    measured = json.loads(capsys.readouterr().out)
    assert [row["format"] for row in measured["formats"]] == ["txt"]
    assert measured["lengths"][0]["units"] > 0
    assert measured["memory"] == []
