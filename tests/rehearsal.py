"""The services of docker/compose.yaml without Docker: their own commands, environments and health checks.

``python -m tests.rehearsal BOOK`` runs them in a network of their own (``two_nodes.NAMESPACES``), where each name leads
to one address that is not loopback. moto stands in for the S3 server. Prints what was seen, as JSON.
"""

import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import yaml

REPOSITORY = Path(__file__).parents[1]
ADDRESS = "10.99.0.2"
KEY = "a-random-key-of-the-rehearsal-012345"
SECRETS = {
    "RAY_AUTH_TOKEN": "0123456789abcdef" * 4,
    "S3_USER": "tgrag",
    "S3_PASSWORD": "password-of-the-rehearsal",
    "TGRAG_SERVE__API_KEYS": json.dumps([{"key": KEY, "collections": ["library"]}]),
}
PATIENCE_SECONDS = 300
STARTS = 4
DASHBOARD = ("--address", "http://127.0.0.1:8265")
QUESTION = {"question": "Что рассказал Томский о графине?", "collection": "library"}


def network() -> None:
    names = f"127.0.0.1 localhost\n{ADDRESS} {socket.gethostname()} head worker s3\n"
    Path("hosts").write_text(names)
    Path("no_servers").write_text("")  # gRPC would wait for a name server that cannot be reached
    for command in (
        "ip link set lo up",
        f"ip addr add {ADDRESS}/24 dev lo",
        f"ip route add default dev lo src {ADDRESS}",
        "mount --bind hosts /etc/hosts",
        "mount --bind no_servers /etc/resolv.conf",
    ):
        subprocess.run(command.split(), check=True)
    Path("/tmp/ray").mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "none", "/tmp/ray"], check=True)


def services() -> Any:
    """Return the services with their variables filled in, as compose does."""
    text = (REPOSITORY / "docker" / "compose.yaml").read_text(encoding="utf-8")
    filled = re.sub(
        r"\$\{(\w+)(:[-?][^}]*)?\}", lambda found: SECRETS.get(found[1], "").replace('"', '\\"'), text
    )
    quoted = re.sub(r"(TGRAG_SERVE__API_KEYS: )(.*)", r'\1"\2"', filled)
    return yaml.safe_load(quoted)["services"]


class Service:
    """agent_port: of the node's agent, where it is not the usual one: here both nodes have one address."""

    def __init__(self, name: str, stated: Any, agent_port: str = "") -> None:
        self.name, self._stated, self._agent_port = name, stated, agent_port
        bin_folder = Path(sys.executable).parent
        self._environment = {
            "PATH": f"{Path.cwd()}:{bin_folder}:{os.environ['PATH']}",
            "HOME": str(Path.cwd()),
            "PYTHONPATH": str(REPOSITORY),
        } | stated["environment"]

    def start(self) -> None:
        """Start it, and again when it ends before it is healthy, as ``restart: unless-stopped`` does."""
        for _ in range(STARTS):
            node = self._started()
            wait_until(lambda node=node: node.poll() is not None or self.is_healthy(), self.name)  # type: ignore[misc]
            if node.poll() is None:
                return
        raise RuntimeError(f"{self.name} ended {STARTS} times")

    def _started(self) -> "subprocess.Popen[bytes]":
        with Path(f"{self.name}.log").open("ab") as log:
            port = [f"--dashboard-agent-listen-port={self._agent_port}"] if self._agent_port else []
            command = [*self._stated["command"], *port]
            return subprocess.Popen(command, env=self._environment, stdout=log, stderr=subprocess.STDOUT)

    def is_healthy(self) -> bool:
        kind, *command = self._stated["healthcheck"]["test"]
        assert kind == "CMD"
        port = [self._agent_port] if self._agent_port else []
        return subprocess.run([*command, *port], env=self._environment).returncode == 0

    def run(self, *command: str, **variables: str) -> dict[str, Any]:
        done = subprocess.run(
            command or self._stated["command"],
            env=self._environment | variables,
            capture_output=True,
            text=True,
            timeout=300,
        )
        return {"status": done.returncode, "output": done.stdout, "errors": done.stderr}


def wait_until(is_so: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not is_so():
        if time.monotonic() > deadline:
            raise TimeoutError(what)
        time.sleep(1)


def is_ready() -> bool:
    try:
        return httpx.get("http://127.0.0.1:8000/readyz", timeout=5).status_code == 200
    except httpx.HTTPError:
        return False


def object_store() -> None:
    command = [sys.executable, "-m", "moto.server", "-H", "0.0.0.0", "-p", "9000"]
    subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def made() -> bool:
        try:
            return httpx.put("http://s3:9000/tgrag", timeout=5).is_success
        except httpx.HTTPError:
            return False

    wait_until(made, "s3")


def ask(key: str | None, host: str = ADDRESS) -> Any:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    response = httpx.post(f"http://{host}:8000/v1/query", json=QUESTION, headers=headers, timeout=120)
    return [response.status_code, response.json()]


def main(book: str) -> None:
    network()
    Path("tgrag-node").symlink_to(REPOSITORY / "scripts" / "node")
    stated = services()
    head, deploy = (Service(name, stated[name]) for name in ("head", "deploy"))
    worker = Service("worker", stated["worker"], "52366")
    object_store()
    told: dict[str, Any] = {"healthy_before": head.is_healthy()}
    head.start()
    worker.start()
    told["doctor"] = head.run("tgrag", "doctor", "--address", f"{ADDRESS}:6379", "--json")
    told["without_key"] = deploy.run(TGRAG_SERVE__API_KEYS="[]")
    told["deploy"] = deploy.run()
    wait_until(is_ready, "deploy")
    told["index"] = head.run(
        "ray", "job", "submit", *DASHBOARD, "--", "tgrag", "index", book, "-c", "library"
    )
    told["answers"] = [ask(KEY), ask(KEY, "127.0.0.1"), ask(None), ask(KEY + "x")]
    told["stranger"] = head.run("ray", "job", "list", *DASHBOARD, RAY_AUTH_TOKEN="another")
    told["config"] = Path("serve.yaml").read_text()
    print(json.dumps(told))


if __name__ == "__main__":
    main(*sys.argv[1:])
