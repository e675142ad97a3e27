"""Whether the engines that the settings ask for can share GPUs: told before anything is deployed.

Ray only books the fractions; the memory is vLLM's, which takes its share of the whole GPU without asking who else is
there. And a replica whose fraction is nowhere free waits for ever, without an error.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations, product

from tgrag.errors import ConfigurationError
from tgrag.settings import EngineSettings

CONTEXT_SHARE = 0.02  # of a GPU, for the CUDA context of each process on it, which vLLM does not count
_TOO_LITTLE = 1e-6  # Ray books in steps of 0.0001

Engines = Mapping[str, EngineSettings]


def check_shares(engines: Engines) -> None:
    """Raise ConfigurationError when engines that Ray may put on one GPU take more memory than it has.

    engines: by name; those without a GPU or a model do not count.
    """
    sharing = {}
    for name, engine in engines.items():
        if not engine.gpus:
            continue
        if engine.tensor_parallel > 1 and engine.gpus != engine.tensor_parallel:
            raise ConfigurationError(
                f"models.{name} spreads over {engine.tensor_parallel} GPUs and books {engine.gpus:g}; "
                f"set models.{name}.gpus to {engine.tensor_parallel}"
            )
        if engine.tensor_parallel == 1 and engine.gpus > 1:
            raise ConfigurationError(
                f"models.{name} books {engine.gpus:g} GPUs and uses one; set models.{name}.tensor_parallel as well"
            )
        if engine.gpus < 1:
            if engine.memory_share is None:
                raise ConfigurationError(
                    f"models.{name} books a part of a GPU and would take all of its memory; set "
                    f"models.{name}.memory_share below {engine.gpus:g}"
                )
            sharing[name] = engine
    _check_fullest(sharing)


def _check_fullest(sharing: Engines) -> None:
    """Look at every set of replicas whose fractions fit one GPU, and tell of the one that takes most."""
    counts = product(*(range(min(e.replicas, int(1 / e.gpus)) + 1) for e in sharing.values()))
    sets = (dict(zip(sharing, numbers, strict=True)) for numbers in counts)
    together = [
        one for one in sets if sum(n * sharing[name].gpus for name, n in one.items()) <= 1 + _TOO_LITTLE
    ]

    def taken(one: Mapping[str, int]) -> float:
        return sum(n * (sharing[name].memory_share or 0.0) for name, n in one.items())

    def room(one: Mapping[str, int]) -> float:
        return 1 - CONTEXT_SHARE * sum(one.values())

    fullest = max(together, key=lambda one: taken(one) - room(one))
    if taken(fullest) > room(fullest) + _TOO_LITTLE:
        told = ", ".join(f"{n} × {name} {sharing[name].memory_share:g}" for name, n in fullest.items() if n)
        raise ConfigurationError(
            f"models on one GPU take {taken(fullest):.2f} of its memory ({told}), and {room(fullest):.2f} is there beside "
            "their CUDA contexts; lower models.*.memory_share, or raise models.*.gpus so that fewer come together"
        )


def check_places(engines: Engines, nodes: Sequence[int]) -> None:
    """Raise ConfigurationError when a replica may find no place, whatever the order in which Ray places them.

    nodes: the number of GPUs of each.
    """
    wanted = {name: engine for name, engine in engines.items() if engine.gpus}
    for order in permutations(wanted):
        left_out = _left_out([(name, wanted[name]) for name in order], nodes)
        if left_out:
            total = sum(engine.gpus * engine.replicas for engine in wanted.values())
            advice = (
                "add GPUs, or lower models.*.replicas or models.*.gpus"
                if total > sum(nodes)
                else "give what is large whole GPUs, or bound models.*.replicas_per_node: fractions that fit together only "
                "in one order may come in another"
            )
            raise ConfigurationError(
                f"models.{left_out} may find no place: the models book {total:g} GPUs, and Ray counts {sum(nodes)} on "
                f"{len(nodes)} nodes; {advice}"
            )


def _left_out(order: Sequence[tuple[str, EngineSettings]], nodes: Sequence[int]) -> str | None:
    """Place replicas as Ray does: a deployment spreads over the nodes, a fraction goes to the fullest GPU that has it."""
    free = [[1.0] * n_gpus for n_gpus in nodes]
    for name, engine in order:
        here = [0] * len(nodes)
        for _ in range(engine.replicas):
            most = engine.replicas_per_node or engine.replicas
            fitting = [
                number for number in range(len(nodes)) if here[number] < most and _fits(free[number], engine)
            ]
            if not fitting:
                return name
            node = min(fitting, key=lambda number: (here[number], -sum(free[number])))
            here[node] += 1
            for gpu in _taken(free[node], engine):
                free[node][gpu] -= min(1.0, engine.gpus)
    return None


def _fits(free: Sequence[float], engine: EngineSettings) -> bool:
    return len(list(_taken(free, engine))) == max(1, engine.tensor_parallel)


def _taken(free: Sequence[float], engine: EngineSettings) -> Iterator[int]:
    """Yield the GPUs of a node that an engine gets; too few when it does not fit."""
    wanted = min(1.0, engine.gpus)
    fitting = sorted(
        (gpu for gpu in range(len(free)) if free[gpu] >= wanted - _TOO_LITTLE), key=lambda gpu: free[gpu]
    )
    yield from fitting[: engine.tensor_parallel]
