"""Two real Ray nodes in a network of their own, of which the second does not see a folder of the first.

``python -m tests.two_nodes BLIND_FOLDER FOLDER`` starts them, runs tgrag over both folders and prints what it said, as
JSON. Run it inside ``NAMESPACES``: there is nothing but loopback, and all processes end with it.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

NAMESPACES = ("unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc")
HERE, PORT = "127.0.0.1", 6399
ADDRESS = f"{HERE}:{PORT}"
STARTS, START_SECONDS = 4, 120  # Ray gives a start up after 30 s, which a busy machine may need
CPUS = ("--num-cpus", "2")
RAY = (sys.executable, "-m", "ray.scripts.scripts", "start", "--block", "--node-ip-address")


def allowed() -> bool:
    """Tell whether this machine lets us have such a network."""
    try:
        return subprocess.run([*NAMESPACES, "true"], capture_output=True).returncode == 0
    except OSError:
        return False


def start(log: Path, *command: str) -> subprocess.Popen[bytes]:
    with log.open("wb") as output:
        return subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)


def start_nodes(blind: Path, logs: Path) -> None:
    """Start head and worker. blind: a folder that the worker does not see."""
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    head = ("--head", "--port", str(PORT), "--include-dashboard=false", "--temp-dir", str(logs / "ray"))
    start_node(logs / "head.log", 1, ADDRESS, *RAY, HERE, *head, *CPUS)
    worker = (*RAY, HERE, "--address", ADDRESS, *CPUS, "--dashboard-agent-listen-port", "0")
    hidden = f"mount -t tmpfs none {blind} && exec {' '.join(worker)}"
    start_node(logs / "worker.log", 2, ADDRESS, "unshare", "--mount", "sh", "-c", hidden)


def start_node(log: Path, n_alive: int, address: str, *command: str) -> subprocess.Popen[bytes]:
    """Start a node and wait until so many are alive; one that gives up is started again."""
    for _ in range(STARTS):
        process = start(log, *command)
        if wait_for_nodes(n_alive, address, process):
            return process
    raise TimeoutError("Ray did not start")


def wait_for_nodes(wanted: int, address: str, starting: subprocess.Popen[bytes] | None = None) -> bool:
    """Wait until so many nodes are alive, as the head knows; tell whether they are, when one that starts has ended."""
    from ray._raylet import GcsClient
    from ray.core.generated.gcs_pb2 import GcsNodeInfo
    from ray.exceptions import RpcError

    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and (starting is None or starting.poll() is None):
        try:
            nodes = GcsClient(address=address).get_all_node_info().values()
            if sum(node.state == GcsNodeInfo.ALIVE for node in nodes) == wanted:
                return True
        except RpcError:  # the head is not up yet
            pass
        time.sleep(0.5)
    return False


def tgrag(*arguments: str, ray: bool = True) -> dict[str, Any]:
    environment = os.environ | ({"RAY_ADDRESS": ADDRESS} if ray else {})
    command = [sys.executable, "-m", "tgrag", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)
    return {"status": done.returncode, "output": done.stdout, "errors": done.stderr}


def main(blind: str, shared: str) -> None:
    start_nodes(Path(blind), Path(shared).parent)
    book = str(Path(shared).parent / "book.txt")
    told = {
        "doctor_blind": tgrag("--root", blind, "doctor", "--json"),
        "index_blind": tgrag("--root", blind, "index", book, "-c", "shelf", "--json"),
        "serve_blind": tgrag("--root", blind, "serve"),
        "doctor_shared": tgrag("--root", shared, "doctor", "--json"),
        "index_shared": tgrag("--root", shared, "index", book, "-c", "shelf", "--workers", "3", "--json"),
    }
    print(json.dumps(told))


if __name__ == "__main__":
    main(*sys.argv[1:])
