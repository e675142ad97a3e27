"""Whether the models that are to run on this Ray fit on the GPUs that there are: by Ray's count, and by memory."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tgrag.doctor.findings import Finding, failed, ok, warning
from tgrag.doctor.gpus import Gpu
from tgrag.settings import EngineSettings, Settings

MOST_MEMORY = 0.97  # of a GPU, all engines on it together; the rest is for CUDA's context of each process
CHECK = "gpu shares"
ROUNDING = 1e-9


@dataclass(slots=True)
class Card:
    """One GPU and who is on it. free: MiB; None where nvidia-smi has not told. booked: as Ray counts, 1 is all of it."""

    where: str
    gpu: Gpu | None
    booked: float = 0.0
    memory: float = 0.0
    engines: list[str] = field(default_factory=list)

    def takes(self, part: float) -> bool:
        return self.booked + part <= 1 + ROUNDING

    def book(self, name: str, part: float, memory: float) -> None:
        self.booked += part
        self.memory += memory
        self.engines.append(name)


def served_engines(settings: Settings) -> dict[str, EngineSettings]:
    """Return the engines that the Serve config will start, by application."""
    backends = {
        "chat": settings.chat.backend,
        "embed": settings.embed.backend,
        "rerank": settings.rerank.backend,
    }
    engines: dict[str, EngineSettings] = {name: getattr(settings.models, name) for name in backends}
    return {name: engine for name, engine in engines.items() if backends[name] == "serve"}


def cards(where: str, counted: float, found: Sequence[Gpu]) -> list[Card]:
    """Return the GPUs of a node that Ray may give away. counted: by Ray."""
    known = [*found, *([None] * int(counted))]
    return [Card(where, gpu) for gpu in known[: int(counted)]]


def shares(engines: Mapping[str, EngineSettings], there: Sequence[Card]) -> list[Finding]:
    """Check that all replicas of the engines have a place. there: with nothing on them yet."""
    wanting = {name: engine for name, engine in engines.items() if engine.gpus or engine.tensor_parallel > 1}
    if not wanting:
        return []
    if faults := [fault for name, engine in wanting.items() if (fault := _own_fault(name, engine))]:
        return [failed(CHECK, "; ".join(faults), "set memory_share somewhat below gpus")]
    homeless = placed(wanting, there)
    if homeless:
        return [
            failed(
                CHECK,
                f"no GPU is left for {', '.join(homeless)}; there are {len(there)}",
                "add GPUs, or lower models.*.replicas or models.*.gpus: together at most 1 a GPU",
            )
        ]
    findings = [_memory(card) for card in there if card.engines]
    return [finding for finding in findings if finding.status != "ok"] or findings[:1]


def _own_fault(name: str, engine: EngineSettings) -> str:
    """Return what is wrong with an engine that shares a GPU, whoever it shares it with."""
    if engine.tensor_parallel > 1 or engine.gpus >= 1:
        return ""
    if engine.memory_share is None:
        return f"models.{name}: gpus {engine.gpus:g} without memory_share, so vLLM takes nearly all of the memory"
    if engine.memory_share > engine.gpus:
        return f"models.{name}: memory_share {engine.memory_share:g} is more than gpus {engine.gpus:g}"
    return ""


def placed(engines: Mapping[str, EngineSettings], there: Sequence[Card]) -> list[str]:
    """Book the replicas on the GPUs, the largest first; return those that have no place."""
    replicas = [(name, engine) for name, engine in engines.items() for _ in range(engine.replicas)]
    replicas.sort(key=lambda replica: -_whole(replica[1]) or -replica[1].gpus)
    return [name for name, engine in replicas if not _place(name, engine, there)]


def _whole(engine: EngineSettings) -> int:
    """Return how many whole GPUs of one node a replica needs; 0 when it takes a part of one."""
    return engine.tensor_parallel if engine.tensor_parallel > 1 else int(engine.gpus)


def _place(name: str, engine: EngineSettings, there: Sequence[Card]) -> bool:
    share = engine.memory_share or MOST_MEMORY
    if number := _whole(engine):
        for where in dict.fromkeys(card.where for card in there):
            unused = [card for card in there if card.where == where and card.takes(1.0)]
            if len(unused) >= number:
                for card in unused[:number]:
                    card.book(name, 1.0, share)
                return True
        return False
    fitting = [card for card in there if card.takes(engine.gpus)]
    if not fitting:
        return False
    max(fitting, key=lambda card: card.booked).book(name, engine.gpus, share)
    return True


def _memory(card: Card) -> Finding:
    on_it = f"{' and '.join(card.engines)} on a GPU of {card.where}"
    if card.memory > MOST_MEMORY:
        return failed(
            CHECK,
            f"{on_it}: memory_share {card.memory:.2f} together",
            f"keep the sum at {MOST_MEMORY} or below: each process also has a context of its own",
        )
    if card.gpu and card.memory * card.gpu.total > card.gpu.free:
        return warning(
            CHECK,
            f"{on_it}: they want {card.memory * card.gpu.total / 1024:.0f} GiB, {card.gpu.free / 1024:.0f} are free",
            "well when they run already; else end what uses the GPU, or lower memory_share",
        )
    return ok(CHECK, f"{on_it}: {card.booked:.2f} of it, memory {card.memory:.2f}")
