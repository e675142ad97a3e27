"""Checks of the cluster: Ray itself, its nodes, what each sees of the root, their clocks and GPUs."""

import os
import platform
import shutil
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version

from tgrag import __version__
from tgrag.cluster import connect, gpus_by_node
from tgrag.doctor.clock import apart, clock
from tgrag.doctor.engines import shares
from tgrag.doctor.findings import Finding, failed, ok, warning
from tgrag.doctor.gpus import Gpu, gpus, read_gpus
from tgrag.doctor.hosts import of_engines
from tgrag.doctor.machine import disk
from tgrag.errors import ConfigurationError, StorageError
from tgrag.nodes import Node, Said, alive_nodes, ask_each
from tgrag.serve.config import served_engines
from tgrag.settings import Settings
from tgrag.shared_root import who_sees


@dataclass(frozen=True, slots=True)
class Facts:
    """What a node says of itself. disk_size, disk_free: bytes where Ray keeps what does not fit its memory."""

    python: str
    ray: str
    tgrag: str
    disk_size: int
    disk_free: int
    gpus: tuple[Gpu, ...]


def facts() -> Facts:
    """Return what this process's node says of itself."""
    usage = shutil.disk_usage(os.environ.get("RAY_TMPDIR") or tempfile.gettempdir())
    return Facts(
        platform.python_version(), version("ray"), __version__, usage.total, usage.free, tuple(read_gpus())
    )


def cluster(settings: Settings, address: str) -> list[Finding]:
    """Check a running Ray, as its driver."""
    try:
        connect(address)
    except ConfigurationError as error:
        return [failed("ray", error.message, "start it, or correct --address, RAY_AUTH_MODE and the token")]
    from ray._private.authentication.authentication_utils import is_token_auth_enabled

    nodes = alive_nodes()
    findings = [
        ok("ray", f"{version('ray')} at {address}, {len(nodes)} nodes"),
        token(is_token_auth_enabled()),
    ]
    answers = ask_each(nodes, facts)
    findings += [finding for said in answers for finding in node(said, facts())]
    awake = [said.node for said in answers if said.value]
    engines = served_engines(settings)
    gpus_there = [gpu for said in answers if said.value for gpu in said.value.gpus]
    findings += shares(engines, gpus_by_node(), gpus_there)
    if engines:
        hosting = [node for node in awake if node.gpus] or awake
        findings += [f for said in ask_each(hosting, of_engines, settings) for f in host(said)]
    findings += [root_seen(settings.root, awake)] if "://" not in settings.root else []
    return findings + clocks(awake, settings.index.lease_seconds)


def token(is_asked: bool) -> Finding:
    if is_asked:
        return ok("ray token", "Ray asks for a token")
    return warning(
        "ray token",
        "whoever reaches Ray's ports can run code",
        "start Ray with RAY_AUTH_MODE=token, or keep its ports where nobody else comes",
    )


def node(said: Said[Facts], here: Facts) -> list[Finding]:
    """here: what this machine says of itself, which a node has to agree with."""
    name, there = said.node.name, said.value
    if there is None:
        return [
            failed(
                f"node: {name}",
                said.fault,
                "install tgrag in the Python that runs Ray there, or give the node time to start",
            )
        ]
    return [
        versions(name, there, here),
        disk(f"{name}, Ray", "its folder", there.disk_size, there.disk_free),
        gpus(name, there.gpus, said.node.gpus),
    ]


def host(said: Said[list[Finding]]) -> list[Finding]:
    """Return what a node that may host engines found of itself, with its name."""
    if said.value is None:
        return [failed(f"models: {said.node.name}", said.fault, "see to the node first")]
    return [found.model_copy(update={"check": f"{found.check}, {said.node.name}"}) for found in said.value]


def versions(name: str, there: Facts, here: Facts) -> Finding:
    told = f"Python {there.python}, Ray {there.ray}, tgrag {there.tgrag}"
    if (there.python, there.ray, there.tgrag) == (here.python, here.ray, here.tgrag):
        return ok(f"node: {name}", told)
    return failed(
        f"node: {name}",
        f"{told}; here Python {here.python}, Ray {here.ray}, tgrag {here.tgrag}",
        "install the same on every node: what one writes another has to read",
    )


def root_seen(root: str, nodes: Sequence[Node]) -> Finding:
    """Check that a folder is the same one on every node."""
    check = "root on all nodes"
    try:
        answers = who_sees(root, nodes)
    except StorageError as error:
        return failed(check, error.message, "mend access to the root, or name another with --root")
    blind = [f"{said.node.name} {said.fault or 'does not see it'}" for said in answers if not said.value]
    if blind:
        return failed(
            check,
            f"{root}: {'; '.join(blind)}",
            "use an s3:// address, or a folder that is mounted on every node",
        )
    return ok(check, f"{root} is seen by {len(answers)}")


def its_time() -> float:
    return time.time()


def clocks(nodes: Sequence[Node], lease_seconds: float) -> list[Finding]:
    """Read each node's clock; its process has run before, so that little time passes meanwhile."""
    before = time.time()
    answers = ask_each(nodes, its_time)
    after = time.time()
    return [
        clock(
            said.node.name,
            apart(before, said.value, after),
            lease_seconds * 2 / 3,  # a living holder renews each third
            "a run there takes the lease of one that lives",
        )
        for said in answers
        if said.value is not None
    ]
