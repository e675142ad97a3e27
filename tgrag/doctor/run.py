"""All checks in order: this machine, the root, the models, the cluster."""

import os
import sys
import tempfile
from pathlib import Path

import httpx

from tgrag.doctor import cluster, engines, findings, gpus, hosts, machine, storage
from tgrag.doctor.findings import Diagnosis, Finding, failed, ok
from tgrag.errors import ConfigurationError
from tgrag.serve.access import require_safe
from tgrag.serve.config import served_engines
from tgrag.settings import ServeSettings, Settings
from tgrag.store.root import open_root


def diagnose(settings: Settings, address: str | None) -> Diagnosis:
    """address: of a running Ray, which is checked too; None leaves it out."""
    found = [
        machine.python(sys.version_info[:3]),
        *hosts.here(settings),
        machine.readers(settings),
        machine.prompts(),
        machine.disk_of("temporary files", Path(os.environ.get("RAY_TMPDIR") or tempfile.gettempdir())),
        *_root(settings),
        *_serving(settings.serve),
    ]
    if address:
        found += cluster.cluster(settings, address)
    else:
        found += [ok("ray", "none named: a command starts one when it needs it")]
        found += [*hosts.of_engines(settings), *_gpus_here(settings)]
    return findings.diagnosis(found)


def _root(settings: Settings) -> list[Finding]:
    try:
        root = open_root(settings.root)
    except ConfigurationError as error:
        return [failed("object store", error.message, "name another root with --root")]
    local = [] if "://" in settings.root else [machine.disk_of("root", Path(settings.root))]
    return [*local, *storage.store(root)]


def _gpus_here(settings: Settings) -> list[Finding]:
    found = gpus.read_gpus()
    fitting = engines.shares(served_engines(settings), [len(found)], found)
    return [gpus.gpus("this machine", found), *fitting]


def _serving(serve: ServeSettings) -> list[Finding]:
    try:
        require_safe(serve.host, bool(serve.api_keys))
        who = ok("api keys", f"{len(serve.api_keys)} set, serve.host {serve.host}")
    except ConfigurationError as error:
        who = failed("api keys", error.message, "set serve.api_keys, or leave serve.host at 127.0.0.1")
    return [who, machine.port(serve.host, serve.port, lambda: _answers(serve.port))]


def _answers(port: int) -> bool:
    """Tell whether a tgrag answers on this machine."""
    try:
        told = httpx.get(f"http://127.0.0.1:{port}/openapi.json", timeout=5).json()
    except (httpx.HTTPError, ValueError):
        return False
    return isinstance(told, dict) and told.get("info", {}).get("title") == "tgrag"
