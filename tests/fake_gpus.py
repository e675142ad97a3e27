"""A Ray that believes it has GPUs, and the deployments of the models with nothing in them.

``python -m tests.fake_gpus NODES`` starts it with as many nodes as NODES has numbers, each with so many GPUs, deploys what
the settings ask for with the very options of the real deployments, waits until every replica runs, and prints which
GPUs each was given, as JSON: {"chat": [[node, "0"], …], …}. What spreads over several GPUs tells those of its bundles.
"""

import json
import os
import sys
import time
from typing import Any

from tgrag.cluster import _start
from tgrag.serve.config import served_engines
from tgrag.serve.models import deployment_options
from tgrag.settings import load_settings

START_SECONDS = 400
CPUS = 32  # of a node; as many replicas as there are start on whatever cores there are


class Empty:
    def __init__(self, name: str) -> None:
        import ray

        group = ray.util.get_current_placement_group()
        bundles = [bundle.get("GPU", 0) for bundle in group.bundle_specs] if group else []
        node = ray.get_runtime_context().get_node_id()
        told = (name, node, os.environ.get("CUDA_VISIBLE_DEVICES", ""), sum(bundles))
        ray.get(ray.get_actor("book", namespace="fake").note.remote(told))


class Book:
    """What the replicas have told."""

    def __init__(self) -> None:
        self.entries: list[tuple[str, str, str, float]] = []

    def note(self, entry: tuple[str, str, str, float]) -> None:
        self.entries.append(entry)

    def read(self) -> list[tuple[str, str, str, float]]:
        return self.entries


def start(nodes: list[int]) -> None:
    import ray
    from ray.cluster_utils import Cluster

    first, *others = nodes
    if not others:
        _start(
            {
                "address": "local",
                "num_cpus": CPUS,
                "num_gpus": first,
                "include_dashboard": False,
                "log_to_driver": False,
            }
        )
        return
    head = {"num_cpus": CPUS, "num_gpus": first, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    for n_gpus in others:
        cluster.add_node(num_cpus=CPUS, num_gpus=n_gpus)
    ray.init(address=cluster.address, log_to_driver=False)


def main(nodes: list[int]) -> None:
    start(nodes)

    import ray
    from ray import serve

    book = ray.remote(Book).options(name="book", namespace="fake", num_cpus=0).remote()
    engines = served_engines(load_settings())
    targets = [
        serve.RunTarget(
            serve.deployment(Empty, name=name, **deployment_options(engine)).bind(name), name, None
        )
        for name, engine in engines.items()
    ]
    serve.run_many(targets, wait_for_applications_running=False)
    deadline = time.monotonic() + START_SECONDS
    while any(app.status != "RUNNING" for app in serve.status().applications.values()):
        if time.monotonic() > deadline:
            sys.exit(f"not all run: {serve.status()}")
        time.sleep(0.5)
    found: dict[str, list[Any]] = {name: [] for name in engines}
    for name, node, visible, bundled in ray.get(book.read.remote()):
        found[name].append([node, bundled or visible])
    print(json.dumps(found))
    serve.shutdown()
    ray.shutdown()


if __name__ == "__main__":
    main([int(number) for number in sys.argv[1:]])
