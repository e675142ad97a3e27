"""Joining the Ray cluster that is there, or starting one on this machine for the time of a command."""

import os
from typing import Any

from tgrag.errors import ConfigurationError

# Logical CPUs of a Ray that tgrag starts: with as few as two, actors that hold them all leave none to feed them.
MIN_LOGICAL_CPUS = 4


def connect() -> None:
    """Make sure that this process is connected to Ray.

    ``RAY_ADDRESS`` (set inside a submitted job) names a cluster; without it a private Ray starts on loopback and
    ends with the process. Raises ConfigurationError when the cluster named cannot be reached.
    """
    os.environ.setdefault("RAY_AUTH_MODE", "token")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    import ray

    if ray.is_initialized():
        return
    options: dict[str, Any] = {"logging_level": "ERROR", "log_to_driver": False}
    address = os.environ.get("RAY_ADDRESS")
    if not address:
        options |= {
            "address": "local",
            "num_cpus": max(os.cpu_count() or 1, MIN_LOGICAL_CPUS),
            "include_dashboard": False,
            "_node_ip_address": "127.0.0.1",
        }
    try:
        ray.init(**options)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise ConfigurationError(
            f"cannot reach Ray at {address or 'this machine'}: {error}; check RAY_ADDRESS and RAY_AUTH_MODE"
        ) from error
