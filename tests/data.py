"""Where tests find the public data sets, which a user's clone does not have."""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


def shared(*parts: str) -> Path:
    """Return a path inside the shared data; the calling test is skipped where it is absent."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"needs the development data set {'/'.join(parts)}, which is not part of a clone")
    return path
