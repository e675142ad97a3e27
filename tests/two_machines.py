"""Two Ray nodes as on two machines: each has a network and processes of its own, a cable between them, and one disk.

``python -m tests.two_machines FOLDER`` indexes books over both, once undisturbed and once for each fate of the second
machine in the middle of the language model's calls. Prints what it saw, as JSON. Run it inside ``NAMESPACES``.
"""

import json
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.index_runs import SLOTS, UNITS, Run, finished
from tests.mock_llm import Config, Running, running
from tests.two_nodes import RAY, start_node, wait_for_nodes

HEAD, SECOND = "10.77.0.1", "10.77.0.2"
ADDRESS = f"{HEAD}:6399"
SECONDS = 1.5  # of an answer: a worker of one machine may start seconds after those of the other
BOOKS = 4
WORKERS = 3
CPUS = {HEAD: 1, SECOND: 3}  # when the second is gone, not all workers of a stage have a place
FATES = ("killed", "unplugged")


def network() -> None:
    for command in (
        "mount -t tmpfs none /run",  # where names of networks are kept
        "ip link set lo up",
        "ip netns add second",
        "ip link add cable type veth peer name cable netns second",
        f"ip addr add {HEAD}/24 dev cable",
        "ip link set cable up",
        "ip -n second link set lo up",
        f"ip -n second addr add {SECOND}/24 dev cable",
        "ip -n second link set cable up",
    ):
        subprocess.run(command.split(), check=True)


def cpus(machine: str) -> tuple[str, str]:
    return "--num-cpus", str(CPUS[machine])


def start_head(folder: Path) -> None:
    head = ("--head", "--port", ADDRESS.split(":")[1], "--include-dashboard=false")
    place = ("--temp-dir", str(folder / "ray"))
    start_node(folder / "head.log", 1, ADDRESS, *RAY, HEAD, *head, *place, *cpus(HEAD))


class Machine:
    """The second one. All of its processes end with the first of them."""

    def __init__(self, log: Path) -> None:
        subprocess.run(["ip", "link", "set", "cable", "up"], check=True)
        there = (
            "ip",
            "netns",
            "exec",
            "second",
            "unshare",
            "--pid",
            "--fork",
            "--kill-child",
            "--mount-proc",
        )
        command = (*there, *RAY, SECOND, "--address", ADDRESS, *cpus(SECOND))
        self._first = start_node(log, 2, ADDRESS, *command)

    def killed(self) -> None:
        """SIGKILL all of its processes."""
        self._first.kill()

    def unplugged(self) -> None:
        """Cut the cable: nobody is told that a connection has ended."""
        subprocess.run(["ip", "link", "set", "cable", "down"], check=True)

    def end(self) -> None:
        self._first.kill()
        self._first.wait()


def write_books(folder: Path) -> Path:
    """Write books with as many short chapters as units in all."""
    names = ("Нарумов", "Томский", "Германн", "Чекалинский", "Сурин")
    books = folder / "books"
    books.mkdir()
    for book in range(BOOKS):
        numbers = range(book * UNITS // BOOKS, (book + 1) * UNITS // BOOKS)
        chapters = [f"Глава {n + 1}\n\nОднажды {names[n % 5]} потерял {n} рублей." for n in numbers]
        (books / f"book{book}.txt").write_text("\n\n".join(chapters), encoding="utf-8")
    return books


def places() -> dict[str, list[str]]:
    """Return where the actors of each class run or ran last, by the class."""
    import ray
    from ray._private import state

    ray.init(ADDRESS, logging_level="ERROR", log_to_driver=False)
    found = defaultdict(set)
    for actor in state.actors().values():
        found[actor["ActorClassName"]].add(actor["Address"]["IPAddress"])
    ray.shutdown()
    return {name: sorted(addresses) for name, addresses in found.items()}


def index(run: Run, disturb: Callable[[], None] | None = None) -> dict[str, Any]:
    """Index; disturb once the second machine has calls in flight."""
    run.mock.reset()
    before: dict[str, Any] = {}

    def strike() -> None:
        stats = run.mock.counted()
        before.update(peers=dict(stats.peers), answered=stats.answered.total())
        if disturb:
            disturb()

    run.mock.plan(UNITS // 2, SECONDS / 2, strike)
    begun = time.monotonic()
    process = run.start(RAY_ADDRESS=ADDRESS, TGRAG_INDEX__WORKERS=str(WORKERS))
    summary = finished(process)
    print(f"{Path(run.root).name}: {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)
    stats = run.mock.stats()
    names = ("requests", "repeats", "max_busy", "peers")
    return {
        "summary": summary,
        "struck": before,
        "calls": {name: stats[name] for name in names},
        "tables": run.tables(),
    }


def trials(folder: Path, mock: Running) -> dict[str, Any]:
    books = write_books(folder)

    def fresh(name: str) -> Run:
        (folder / name).mkdir()
        return Run(books, str(folder / name), mock)

    second = Machine(folder / "second.log")
    told = {"undisturbed": index(fresh("undisturbed")), "places": places()}
    for fate in FATES:
        told[fate] = index(fresh(fate), getattr(second, fate))
        second.end()
        assert wait_for_nodes(1, ADDRESS), "the head does not notice"
        second = Machine(folder / f"after-{fate}.log")
    return told


def main(folder: str) -> None:
    network()
    start_head(Path(folder))
    with running(Config(seconds=SECONDS, slots=SLOTS, max_entities=1), HEAD) as mock:
        print(json.dumps(trials(Path(folder), mock)))


if __name__ == "__main__":
    main(*sys.argv[1:])
