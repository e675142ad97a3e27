"""What several parts of the tests share."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.roots import root_address, s3_endpoint  # noqa: F401  (fixtures for all)
from tgrag.cluster import connect

os.environ["RAY_AUTH_MODE"] = "disabled"  # before anything imports Ray, which reads it then
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"  # loopback only, see tgrag/cluster.py
for name in [name for name in os.environ if name.startswith("TGRAG_")] + ["RAY_ADDRESS"]:
    os.environ.pop(name, None)  # the settings of whoever runs the tests are not the tests'

settings.register_profile("tgrag", deadline=None)  # how long an example takes says nothing of its truth
settings.load_profile("tgrag")


@pytest.fixture(scope="session")
def ray_cluster() -> Iterator[None]:
    """One local Ray on loopback for the whole run; its workers write their log as JSON."""
    import ray

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TGRAG_LOG_LEVEL", "info")
        patch.setenv("TGRAG_LOG_FORMAT", "json")
        patch.setattr("tgrag.logs.level", lambda: "warning")  # this process shows none of it
        connect()
    yield
    ray.shutdown()
