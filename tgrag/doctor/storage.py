"""Checks of the root: reachable, writable, conditional writes, its clock. A probe comes and goes."""

import secrets
import time
from collections.abc import Callable

from tgrag.doctor.clock import apart, clock
from tgrag.doctor.findings import Finding, failed, ok
from tgrag.errors import StorageError
from tgrag.shared_root import PROBE
from tgrag.store.root import Root

STORE_PRECISION_SECONDS = 1.0  # S3 tells when an object was written in whole seconds
SIGNATURE_SECONDS = 900.0  # S3 refuses requests signed by a clock that is further off


def store(root: Root, now: Callable[[], float] = time.time) -> list[Finding]:
    folder, check = f"{PROBE}{secrets.token_hex(8)}", "object store"
    path = f"{folder}/probe"
    try:
        before = now()
        created = root.create(path, b"first")
        after = now()
        created_again = root.create(path, b"second")
        content = root.read(path)
        (info,) = root.objects(folder)
        root.delete_folder(folder)
        stays = root.exists(path)
    except (StorageError, FileNotFoundError, ValueError) as error:
        told = (
            error.message if isinstance(error, StorageError) else f"what was written is not there ({error})"
        )
        return [failed(check, told, "mend access to the root, or name another with --root")]
    off = apart(before, info.written_at, after, STORE_PRECISION_SECONDS)
    return [
        _kept(root.address, created, content in (b"first", b"second"), stays),
        _conditional(created_again or content != b"first"),
        clock("object store", off, SIGNATURE_SECONDS, "S3 refuses what is signed"),
    ]


def _kept(address: str, created: bool, read: bool, stays: bool) -> Finding:
    faults = [
        fault
        for fault, is_so in (
            ("a new object cannot be created", not created),
            ("an object is not read as it was written", not read),
            ("a deleted object stays", stays),
        )
        if is_so
    ]
    if faults:
        return failed(
            "object store",
            f"{address}: {'; '.join(faults)}",
            "use a store that is consistent, without caches between",
        )
    return ok("object store", f"{address}: written, read, deleted")


def _conditional(overwritten: bool) -> Finding:
    if overwritten:
        return failed(
            "conditional writes",
            "the store overwrote an object that was to be created only when absent",
            "use a store that honours If-None-Match on PUT: two runs would overwrite each other's answers here",
        )
    return ok("conditional writes", "of two writers exactly one succeeds")
