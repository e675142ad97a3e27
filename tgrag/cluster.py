"""Joining the Ray cluster that is there, or starting a private one for the time of a process."""

import os
import secrets
from typing import Any

from tgrag import logs
from tgrag.errors import ConfigurationError

# Logical CPUs of a private Ray: with as few as two, actors that hold them all leave none to feed them.
MIN_LOGICAL_CPUS = 4
LOOPBACK = "127.0.0.1"
# Ray replaces a loopback node address with the machine's own, and then listens on every interface, unless this
# variable (named after the systems where that is its default) tells it that there will be one node only.
LOOPBACK_ONLY = ("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")

SLOW_START = "timed out during startup"  # Ray says so after 30 s, which cannot be set


def connect(address: str | None = None) -> None:
    """Make sure that this process is connected to Ray.

    address: of a running Ray; else ``RAY_ADDRESS`` (set inside a submitted job) names one. Without either a
    private Ray starts on loopback and ends with the process. Serve's replicas listen on every interface all the
    same, and other users of the machine reach loopback too, so it asks for a token that only this process and its
    children know (unless RAY_AUTH_MODE says otherwise).
    Raises ConfigurationError when the cluster named cannot be reached or a private one does not start.
    """
    address = address or os.environ.get("RAY_ADDRESS")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")  # else warnings meant for Ray's own developers
    options: dict[str, Any] = {"logging_level": "ERROR", "log_to_driver": logs.level() in ("debug", "info")}
    if address:
        options["address"] = address
    else:
        if os.environ.setdefault("RAY_AUTH_MODE", "token") == "token":
            os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
        os.environ.setdefault(*LOOPBACK_ONLY)
        options |= {
            "address": "local",
            "num_cpus": max(os.cpu_count() or 1, MIN_LOGICAL_CPUS),
            "include_dashboard": False,
            "_node_ip_address": LOOPBACK,
        }
    import ray

    if ray.is_initialized():
        return
    try:
        _start(options)
    except Exception as error:
        raise ConfigurationError(
            f"cannot reach Ray at {address}: {error}; check RAY_ADDRESS and RAY_AUTH_MODE"
            if address
            else f"Ray did not start: {error} Is the machine short of CPU or memory? Then run the command again later."
        ) from error


def _start(options: dict[str, Any]) -> None:
    """Start or join Ray; a private one that a busy machine starts too slowly is started once more."""
    import ray

    try:
        ray.init(**options)
    except Exception as error:  # a plain one
        if options["address"] != "local" or SLOW_START not in str(error):
            raise
        ray.shutdown()
        ray.init(**options)


def gpus_by_node() -> list[int]:
    """Return the number of GPUs of each node of the Ray that this process is connected to, as Ray counts them."""
    import ray

    return [int(node["Resources"].get("GPU", 0)) for node in ray.nodes() if node["Alive"]]
