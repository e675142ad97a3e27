"""Who asks, and who counts what is spent."""

from pathlib import Path

import pytest

from tests.extraction import Stage, units
from tests.mock_llm import running
from tgrag.index import ask_units
from tgrag.index.budget import Budget
from tgrag.index.plan import Plan


def test_a_limited_budget_is_with_the_driver_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that is killed and started anew would count anew."""

    def no_workers(*arguments: object) -> None:
        raise AssertionError("a worker was asked")

    monkeypatch.setattr(ask_units, "_on_workers", no_workers)
    assert ask_units.IN_PROCESS < 70
    with running() as mock:
        found, cost = Stage(tmp_path, mock).run(units(81), Plan(Budget(calls=70)))
        assert cost.calls == cost.attempts == mock.stats()["requests"] == 70
    assert (found.counts.llm, found.counts.waiting) == (70, 11)
