"""What GPUs there are, by NVIDIA's own tool, and whether the models that are configured fit on one."""

import csv
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

from tgrag.doctor.findings import Finding, failed, ok

QUERY = ("nvidia-smi", "--query-gpu=name,memory.total,memory.free", "--format=csv,noheader,nounits")
TOOL_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Gpu:
    """Memory in MiB."""

    name: str
    total: int
    free: int


def read_gpus() -> list[Gpu]:
    """Return the GPUs of this machine; none where there is no driver, or it does not answer."""
    if not shutil.which(QUERY[0]):
        return []
    try:
        told = subprocess.run(QUERY, capture_output=True, text=True, timeout=TOOL_SECONDS, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return []
    return parse_gpus(told)


def parse_gpus(told: str) -> list[Gpu]:
    rows = [[cell.strip() for cell in row] for row in csv.reader(told.splitlines())]
    return [Gpu(row[0], int(row[1]), int(row[2])) for row in rows if len(row) == 3 and row[1].isdigit()]


def gpus(where: str, found: Sequence[Gpu], counted: float | None = None) -> Finding:
    """where: this machine or a node. counted: by Ray, where there is one."""
    check = f"gpu: {where}"
    if counted and not found:
        return failed(
            check,
            f"Ray counts {counted:g} GPUs, and nvidia-smi finds none",
            "install NVIDIA's driver there, or start Ray with the GPUs that there are (--num-gpus)",
        )
    if found and counted == 0:
        return failed(
            check,
            f"{len(found)} GPUs are there, and Ray counts none",
            "start Ray with --num-gpus, and with its container allowed to see them",
        )
    return ok(check, "; ".join(map(_told, found)) or "no GPU")


def _told(gpu: Gpu) -> str:
    return f"{gpu.name}, {gpu.free / 1024:.0f} of {gpu.total / 1024:.0f} GiB free"
