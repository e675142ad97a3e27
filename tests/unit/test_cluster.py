"""Starting a private Ray, on a machine that is too busy for it at first."""

from typing import Any

import pytest
import ray

from tgrag.cluster import connect
from tgrag.errors import ConfigurationError

SLOW = "The current node timed out during startup. This could happen because …"


def starts(monkeypatch: pytest.MonkeyPatch, *outcomes: str | None) -> list[dict[str, Any]]:
    """Let Ray start as told, in turn; return what each start was asked for."""
    begun: list[dict[str, Any]] = []

    def init(**options: Any) -> None:
        begun.append(options)
        said = outcomes[len(begun) - 1]
        if said:
            raise Exception(said)

    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "init", init)
    return begun


def test_a_slow_start_is_tried_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = starts(monkeypatch, SLOW, None)
    connect()
    assert len(begun) == 2 and begun[0] == begun[1]


def test_what_does_not_start_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = starts(monkeypatch, SLOW, SLOW)
    with pytest.raises(ConfigurationError, match=r"did not start.*run the command again"):
        connect()
    assert len(begun) == 2


def test_another_fault_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = starts(monkeypatch, "no space left")
    with pytest.raises(ConfigurationError, match="no space left"):
        connect()
    assert len(begun) == 1


def test_a_cluster_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    starts(monkeypatch, SLOW)
    with pytest.raises(ConfigurationError, match=r"cannot reach Ray at 127\.0\.0\.1:1"):
        connect("127.0.0.1:1")
