"""Standard output is for facts: what libraries print there by themselves goes to standard error."""

import json
import sys

import pytest

from tgrag import console
from tgrag.index.batch import Written


def test_only_facts_are_printed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", sys.stdout)  # put back at the end
    console.keep_output_for_facts()
    print("a library says that a worker has died")
    console.show(Written(file="calls.jsonl", calls=3), [], as_json=True)
    console.keep_output_for_facts()
    console.show(Written(file="calls.jsonl", calls=3), ["3 calls"], as_json=False)
    out, errors = capsys.readouterr()
    facts, line = out[: out.rindex("}") + 1], out[out.rindex("}") + 1 :]
    assert json.loads(facts)["calls"] == 3 and line.split("\n") == ["", "3 calls", ""]
    assert errors == "a library says that a worker has died\n"
