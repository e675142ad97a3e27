"""Asking every node of the Ray that this process is connected to. In: a function; out: what each node said, or why not."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

PATIENCE_SECONDS = 60.0
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Node:
    """gpus: as Ray counts them, which is what deployments ask for."""

    node_id: str
    name: str
    gpus: float


@dataclass(frozen=True, slots=True)
class Said(Generic[Value]):
    """What one node said; fault: why it said nothing."""

    node: Node
    value: Value | None = None
    fault: str = ""


def alive_nodes() -> list[Node]:
    """Return the nodes, sorted by name."""
    import ray

    nodes = [
        Node(node["NodeID"], f"{node['NodeName']} ({node['NodeID'][:8]})", node["Resources"].get("GPU", 0))
        for node in ray.nodes()
        if node["Alive"]
    ]
    return sorted(nodes, key=lambda node: node.name)


def ask_each(
    nodes: Sequence[Node], function: Callable[..., Value], *arguments: Any, patience: float = PATIENCE_SECONDS
) -> list[Said[Value]]:
    """Run a function of tgrag's once on each node, on all at the same time and beside whatever runs there."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    task = ray.remote(num_cpus=0, max_retries=0)(function)
    asked = {
        node: task.options(
            scheduling_strategy=NodeAffinitySchedulingStrategy(node.node_id, soft=False)
        ).remote(*arguments)
        for node in nodes
    }
    if asked:
        ray.wait(list(asked.values()), num_returns=len(asked), timeout=patience)
    return [_answer(node, reference) for node, reference in asked.items()]


def _answer(node: Node, reference: Any) -> Said[Any]:
    import ray

    try:
        return Said(node, ray.get(reference, timeout=0))
    except ray.exceptions.GetTimeoutError:
        ray.cancel(reference)
        return Said(node, fault="did not answer in time")
    except ray.exceptions.RayError as error:
        return Said(node, fault=str(error).strip().splitlines()[-1])
