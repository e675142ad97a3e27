"""Whether the models that are to run on this Ray fit on the GPUs that there are."""

from collections.abc import Mapping, Sequence

from tgrag.doctor.findings import Finding, failed, ok, warning
from tgrag.doctor.gpus import Gpu
from tgrag.errors import ConfigurationError
from tgrag.models.gpu_shares import check_places, check_shares
from tgrag.settings import EngineSettings

CHECK = "gpu shares"
UNUSED = 0.95  # of a GPU's memory is free when nothing runs there


def shares(
    engines: Mapping[str, EngineSettings], counted: Sequence[int], found: Sequence[Gpu]
) -> list[Finding]:
    """counted: GPUs of each node, as Ray counts them. found: those of all nodes, as far as nvidia-smi tells."""
    booked = sum(engine.gpus * engine.replicas for engine in engines.values())
    if not booked:
        return []
    try:
        check_shares(engines)
        check_places(engines, counted)
    except ConfigurationError as error:
        return [failed(CHECK, error.message, "change models.*, or add GPUs; deploy/ has settings that fit")]
    used = [gpu for gpu in found if gpu.free < UNUSED * gpu.total]
    if used:
        taken = sum(gpu.total - gpu.free for gpu in used) / 1024
        return [
            warning(
                CHECK,
                f"{taken:.0f} GiB are in use on {len(used)} of {len(found)} GPUs",
                "well when these models run already; else end what runs there: vLLM wants its share free",
            )
        ]
    return [ok(CHECK, f"the models book {booked:g} of {sum(counted)} GPUs, each replica has a place")]
