"""A root that only one node can see does not serve a cluster of several: told by a probe that every node reads."""

import os
import secrets
from collections.abc import Sequence

from tgrag.cluster import connect
from tgrag.errors import ConfigurationError
from tgrag.nodes import Node, Said, alive_nodes, ask_each
from tgrag.store.root import open_root

PROBE = ".probe-"  # begins a folder below the root; no collection has such a name

_seen: dict[str, set[str]] = {}  # root -> ids of the nodes that are known to see it


def require_shared_on_cluster(address: str) -> None:
    """Do as ``require_shared``, on the Ray that ``RAY_ADDRESS`` names; without one there is but this machine."""
    if "://" not in address and os.environ.get("RAY_ADDRESS"):
        connect()
        require_shared(address)


def require_shared(address: str) -> None:
    """Return when every node sees the root, an s3:// address or a folder that all of them share.

    This process is connected to Ray. Raises ConfigurationError that names the nodes which do not, StorageError when
    the root cannot be written.
    """
    nodes = alive_nodes()
    if "://" in address or len(nodes) < 2:
        return
    seen = _seen.setdefault(address, set())
    unasked = [node for node in nodes if node.node_id not in seen]
    if not unasked:
        return
    answers = who_sees(address, unasked)
    alive = {node.node_id for node in alive_nodes()}  # one that has died meanwhile does no harm
    blind = [
        f"{said.node.name} {said.fault or 'does not see it'}"
        for said in answers
        if not said.value and said.node.node_id in alive
    ]
    if blind:
        raise ConfigurationError(
            f"root {address} is not shared by all {len(nodes)} nodes: {'; '.join(blind)}; "
            "use an s3:// address, or a folder that is mounted on every node"
        )
    seen.update(said.node.node_id for said in answers if said.value)


def who_sees(address: str, nodes: Sequence[Node]) -> list[Said[bool]]:
    """Write a probe from here and let each node read it. Raises StorageError when it cannot be written."""
    root = open_root(address)
    folder, content = f"{PROBE}{secrets.token_hex(8)}", secrets.token_bytes(16)
    root.write(f"{folder}/probe", content)
    try:
        return ask_each(nodes, sees, address, f"{folder}/probe", content)
    finally:
        root.delete_folder(folder)


def sees(address: str, path: str, content: bytes) -> bool:
    """Tell whether an object of these bytes is there."""
    try:
        return open_root(address).read(path) == content
    except FileNotFoundError:
        return False
