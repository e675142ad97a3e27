"""One engine start at a time on the same GPUs: engines that measure the free memory at the same moment fail."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock

from tgrag.hashing import stable_hash

WAIT_SECONDS = 3600.0  # a large model loads for minutes, and several may be before this one


@contextmanager
def one_start_at_a_time(folder: Path | None = None) -> Iterator[None]:
    """Hold the lock of this node and of the GPUs that this process sees; that of a killed holder is free.

    folder: of lock files, that of temporary files of this user without it. Raises filelock.Timeout after WAIT_SECONDS.
    """
    gpus = os.environ.get("CUDA_VISIBLE_DEVICES", "")
    place = folder or Path(tempfile.gettempdir())
    name = f"tgrag-engine-start-{os.getuid()}-{stable_hash(gpus)[:8]}.lock"
    with FileLock(place / name, timeout=WAIT_SECONDS):
        yield
