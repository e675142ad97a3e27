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
PORT = 6399
ADDRESS = f"127.0.0.1:{PORT}"
START_SECONDS = 90
RAY = (sys.executable, "-m", "ray.scripts.scripts", "start", "--block", "--node-ip-address", "127.0.0.1")


def allowed() -> bool:
    """Tell whether this machine lets us have such a network."""
    try:
        return subprocess.run([*NAMESPACES, "true"], capture_output=True).returncode == 0
    except OSError:
        return False


def start(log: Path, *command: str) -> subprocess.Popen[bytes]:
    with log.open("wb") as output:
        return subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)


def start_nodes(
    logs: Path, cpus: tuple[int, int] = (2, 2), blind: Path | None = None
) -> subprocess.Popen[bytes]:
    """Start head and worker with so many CPUs; return the worker. blind: a folder that it does not see."""
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    head = ("--head", "--port", str(PORT), "--include-dashboard=false", "--temp-dir", str(logs / "ray"))
    start(logs / "head.log", *RAY, *head, "--num-cpus", str(cpus[0]))
    wait_for_nodes(1)
    worker = (*RAY, "--address", ADDRESS, "--num-cpus", str(cpus[1]), "--dashboard-agent-listen-port", "0")
    if blind:
        hidden = f"mount -t tmpfs none {blind} && exec {' '.join(worker)}"
        worker = ("unshare", "--mount", "sh", "-c", hidden)
    started = start(logs / "worker.log", *worker)
    wait_for_nodes(2)
    return started


def wait_for_nodes(wanted: int) -> None:
    from ray._raylet import GcsClient

    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            if len(GcsClient(address=ADDRESS).get_all_node_info()) >= wanted:
                return
        except Exception as error:  # not up yet: Ray raises several kinds
            if time.monotonic() > deadline:
                raise TimeoutError("Ray did not start") from error
        if time.monotonic() > deadline:
            raise TimeoutError("a node did not join")
        time.sleep(0.5)


def tgrag(*arguments: str, ray: bool = True) -> dict[str, Any]:
    environment = os.environ | ({"RAY_ADDRESS": ADDRESS} if ray else {})
    command = [sys.executable, "-m", "tgrag", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)
    return {"status": done.returncode, "output": done.stdout, "errors": done.stderr}


def main(blind: str, shared: str) -> None:
    start_nodes(Path(shared).parent, blind=Path(blind))
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
